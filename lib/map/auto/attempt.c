/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/auto/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "util/alloc.h"
#include "util/clock.h"

/* By the word that stands for this kind in the row; a tree whose links are known is a fabric, too.
 */
static int suits(const topomap_algorithm_impl *impl, const topomap_machine *machine)
{
    static const char *const words[] = {[TOPOMAP_MACHINE_TREE] = "tree",
                                        [TOPOMAP_MACHINE_TORUS] = "torus",
                                        [TOPOMAP_MACHINE_MATRIX] = "fabric"};

    return strstr(impl->row.machines, words[machine->kind]) ||
           strstr(impl->row.machines, machine->kind_name) ||
           (machine->network && strstr(impl->row.machines, "fabric"));
}

/* One word: construct into slot_of, refine it, or begin from the given mapping. */
static int run_word(topomap_problem *problem, int is_auto, const char *word, size_t length,
                    int first, uint32_t *slot_of, topomap_error *err)
{
    const char *comma = memchr(word, ',', length);
    size_t name = comma ? (size_t)(comma - word) : length;
    const topomap_algorithm_impl *impl = topomap_algorithm_find(word, name);
    int refines;

    if (!impl)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no algorithm '%.*s'; `topomap algorithms` lists them",
                                 (int)(name > 64 ? 64 : name), word);
    if (strcmp(impl->row.kind, "portfolio") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "'%s' stands alone, without '+' or ','",
                                 impl->row.name);
    refines = strcmp(impl->row.kind, "refine") == 0;
    if (!suits(impl, problem->machine))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "algorithm '%s' works on: %s; this machine is a %s",
                                 impl->row.name, impl->row.machines, problem->machine->kind_name);
    if (first ? 0 : !refines || strcmp(impl->row.name, "refine") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' cannot stand after '+': it does not refine", impl->row.name);
    if (topomap_parameters_set(problem, impl, comma ? comma + 1 : word + length,
                               comma ? length - name - 1 : 0, err) != 0)
        return -1;
    if (refines && first)
        memcpy(slot_of, problem->start, problem->weights.vertices * sizeof *slot_of);
    if (!impl->run && !impl->run_family) /* refine */
        return problem->objective && !is_auto ? topomap_algorithm_relieve.run(problem, slot_of, err)
                                              : topomap_algorithm_swap.run(problem, slot_of, err);
    return topomap_algorithm_run(impl, problem, slot_of, err);
}

static int run_words(topomap_problem *problem, int is_auto, const topomap_attempt *attempt,
                     uint32_t *slot_of, topomap_error *err)
{
    const char *word = attempt->words;
    int first = !attempt->from;

    for (;; first = 0) {
        size_t length = strcspn(word, "+");

        if (run_word(problem, is_auto, word, length, first, slot_of, err) != 0)
            return -1;
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    return 0;
}

static int run(topomap_attempt *attempt, topomap_problem *problem, int is_auto, topomap_error *err)
{
    uint32_t n = problem->weights.vertices;

    attempt->slot_of = topomap_alloc(n, sizeof *attempt->slot_of, err);
    if (!attempt->slot_of)
        return -1;
    if (attempt->from)
        memcpy(attempt->slot_of, attempt->from, n * sizeof *attempt->slot_of);
    if (run_words(problem, is_auto, attempt, attempt->slot_of, err) != 0 ||
        (is_auto && topomap_algorithm_level.run(problem, attempt->slot_of, err) != 0) ||
        (problem->inter_only && topomap_problem_sort_inside(problem, attempt->slot_of, err) != 0) ||
        topomap_problem_abandoned(problem, err) != 0)
        return -1;
    return topomap_problem_score(problem, attempt->slot_of, &attempt->score, err);
}

int topomap_attempt_names(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (; words; words = strchr(words, '+') ? strchr(words, '+') + 1 : NULL)
        if (strcspn(words, "+,") == length && strncmp(words, name, length) == 0)
            return 1;
    return 0;
}

void topomap_attempt_run(topomap_attempt *attempt, topomap_problem *problem, uint32_t *scratch,
                         int is_auto)
{
    topomap_problem own = *problem;
    double before = topomap_clock_cpu();

    own.seed = attempt->seed;
    own.patience = attempt->patience;
    own.work.scratch = scratch;
    own.cancel = &attempt->cancel;
    own.found = (topomap_findings){0};
    attempt->status = run(attempt, &own, is_auto, &attempt->err);
    if (attempt->status != 0)
        memset(scratch, 0xff, own.weights.vertices * sizeof *scratch);
    if (problem->work.lattice != own.work.lattice)
        problem->work.lattice = own.work.lattice;
    if (attempt->status == 0)
        topomap_watch_add(problem->watch, 1);
    attempt->found = own.found;
    attempt->seconds += topomap_clock_cpu() - before;
}

void topomap_attempt_clear(topomap_attempt *attempt)
{
    free(attempt->slot_of);
    memset(attempt, 0, sizeof *attempt);
}

const topomap_algorithm_impl topomap_algorithm_refine = {
    .row = {"refine", "topomap", "refine", FITS_ALL,
            "swap search from the given mapping (--mapping)"},
};
