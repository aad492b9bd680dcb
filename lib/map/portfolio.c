/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "map/parameters.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { JOINING_NODES = 512 }; /* neighbour joining on a torus pays on small allocations only */

/* A swap search ends in the nearest dip: from a baseline that is worse than this many times the
 * best construction, it has never caught up on the bench instances, and takes longest. */
#define REFINE_WITHIN 1.5

/* What "auto" tries, in this order, from which effort on, and with how many seeds when strong. */
static const struct {
    const char *name;
    unsigned on;
    enum topomap_effort from;
    uint32_t seeds;
} candidates[] = {
    {"tree+swap", TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX, TOPOMAP_FAST, 4},
    {"rb-wrap+swap", TOPOMAP_ON_TORUS, TOPOMAP_FAST, 4},
    {"refine", TOPOMAP_ON_ALL, TOPOMAP_FAST, 2},
    {"rb+swap", TOPOMAP_ON_TORUS, TOPOMAP_DEFAULT, 1},
    {"tree+swap", TOPOMAP_ON_TORUS, TOPOMAP_STRONG, 1},
};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

typedef struct portfolio {
    topomap_problem *problem;
    const topomap_map_options *options;
    topomap_mapping *mapping;
    uint32_t *trial; /* [slots] */
    size_t capacity;
} portfolio;

static int report(portfolio *p, const char *name, double J, double seconds, topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    topomap_candidate *row;

    if (topomap_grow(&mapping->candidate, &p->capacity, mapping->candidates + 1, sizeof *row,
                     err) != 0)
        return -1;
    row = &mapping->candidate[mapping->candidates++];
    snprintf(row->name, sizeof row->name, "%s", name);
    row->J = J;
    row->seconds = seconds;
    return 0;
}

static int consider(portfolio *p, const char *name, double started, topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    double J = topomap_problem_cost(p->problem, p->trial);

    if (mapping->candidates == 0 || J < mapping->J) {
        mapping->J = J;
        snprintf(mapping->algorithm, sizeof mapping->algorithm, "%s", name);
        memcpy(mapping->slot_of_rank, p->trial,
               p->problem->weights.vertices * sizeof *p->trial);
    }
    return report(p, name, J, topomap_clock_cpu() - started, err);
}

static int unsuitable(const struct topomap_algorithm_impl *impl, const topomap_machine *machine,
                      topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "algorithm '%s' works on: %s; this machine is a %s", impl->row.name,
                             impl->row.machines, machine->kind_name);
}

/* One word of a name: construct into the trial, refine it, or begin from the given mapping. */
static int run_word(portfolio *p, const char *word, size_t length, int first, topomap_error *err)
{
    const char *comma = memchr(word, ',', length);
    size_t name = comma ? (size_t)(comma - word) : length;
    const struct topomap_algorithm_impl *impl = topomap_algorithm_find(word, name);
    topomap_problem *problem = p->problem;
    int refines;

    if (!impl)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no algorithm '%.*s'; `topomap algorithms` lists them",
                                 (int)(name > 64 ? 64 : name), word);
    if (strcmp(impl->row.kind, "portfolio") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "'%s' stands alone, without '+' or ','",
                                 impl->row.name);
    refines = strcmp(impl->row.kind, "refine") == 0;
    if (!(impl->on & (1u << problem->machine->kind)))
        return unsuitable(impl, problem->machine, err);
    if (first ? 0 : !refines || strcmp(impl->row.name, "refine") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' cannot stand after '+': it does not refine", impl->row.name);
    if (topomap_parameters_set(problem, impl, comma ? comma + 1 : word + length,
                               comma ? length - name - 1 : 0, err) != 0)
        return -1;
    if (refines && first)
        memcpy(p->trial, problem->start, problem->weights.vertices * sizeof *p->trial);
    return (impl->run ? impl->run : topomap_map_swap)(problem, p->trial, err);
}

static int run_name(portfolio *p, const char *name, topomap_error *err)
{
    const char *word = name;
    double started = topomap_clock_cpu();

    for (;;) {
        size_t length = strcspn(word, "+");

        if (run_word(p, word, length, word == name, err) != 0)
            return -1;
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    if (p->problem->inter_only && topomap_problem_sort_inside(p->problem, p->trial, err) != 0)
        return -1;
    return consider(p, name, started, err);
}

static int run_auto(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint64_t seed = problem->seed;
    int status;

    memcpy(p->trial, problem->start, problem->weights.vertices * sizeof *p->trial);
    status = consider(p, p->options->start_name ? p->options->start_name : "identity",
                      topomap_clock_cpu(), err);
    for (size_t i = 0; status == 0 && i < CANDIDATES; i++) {
        uint32_t seeds = problem->effort == TOPOMAP_STRONG ? candidates[i].seeds : 1;

        if (candidates[i].from > problem->effort ||
            !(candidates[i].on & (1u << problem->machine->kind)))
            continue;
        if (problem->machine->kind == TOPOMAP_MACHINE_TORUS &&
            strncmp(candidates[i].name, "tree", 4) == 0 && problem->machine->nodes > JOINING_NODES)
            continue;
        if (strcmp(candidates[i].name, "refine") == 0 && problem->effort < TOPOMAP_STRONG &&
            p->mapping->candidate[0].J > REFINE_WITHIN * p->mapping->J)
            continue;
        for (uint32_t k = 0; status == 0 && k < seeds && !topomap_problem_late(problem); k++) {
            problem->seed = seed + k;
            status = run_name(p, candidates[i].name, err);
        }
        problem->seed = seed;
    }
    return status;
}

int topomap_portfolio_run(topomap_problem *problem, const topomap_map_options *options,
                          topomap_mapping *mapping, topomap_error *err)
{
    portfolio p = {.problem = problem, .options = options, .mapping = mapping};
    int status;

    p.trial = topomap_alloc(problem->weights.vertices, sizeof *p.trial, err);
    if (!p.trial)
        return -1;
    if (!options->algorithm || strcmp(options->algorithm, "auto") == 0)
        status = run_auto(&p, err);
    else
        status = run_name(&p, options->algorithm, err);
    free(p.trial);
    return status;
}
