/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/portfolio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"

/* A swap search ends in the nearest dip: from a baseline that is worse than the best construction it
 * takes longest and catches up least. */
#define REFINE_WITHIN 1.0

#define PROBE 0.3
#define REST 2.0

enum { MANY = 40000 }; /* slots that matched is for: recursion takes too long */
#define HIERARCHIES (TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX)

/* What "auto" tries, in this order, from which effort on: a construction with how many seeds when
 * strong, then what refines the best of them. */
static const struct {
    const char *name;
    unsigned on;
    enum topomap_effort from, to;
    uint32_t least, most; /* slots */
    uint32_t seeds;
    const char *refine[3];
} candidates[] = {
    {"matched", TOPOMAP_ON_ALL, TOPOMAP_FAST, TOPOMAP_DEFAULT, MANY, UINT32_MAX, 1, {"anneal"}},
    {"tree", HIERARCHIES, TOPOMAP_FAST, TOPOMAP_DEFAULT, 0, MANY - 1, 1, {"anneal"}},
    {"top-down", HIERARCHIES, TOPOMAP_STRONG, TOPOMAP_STRONG, 0, UINT32_MAX, 5,
     {"anneal", "anneal-hot"}},
    {"rb-wrap", TOPOMAP_ON_TORUS, TOPOMAP_FAST, TOPOMAP_DEFAULT, 0, MANY - 1, 1, {"anneal"}},
    {"rb-wrap", TOPOMAP_ON_TORUS, TOPOMAP_STRONG, TOPOMAP_STRONG, 0, UINT32_MAX, 3,
     {"anneal", "anneal-hot"}},
    {"refine", TOPOMAP_ON_ALL, TOPOMAP_FAST, TOPOMAP_STRONG, 0, UINT32_MAX, 1, {NULL}},
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
    const struct topomap_algorithm_impl *impl = topomap_algorithm_find(word, length);
    topomap_problem *problem = p->problem;
    int refines;

    if (!impl)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no algorithm '%.*s'; `topomap algorithms` lists them",
                                 (int)(length > 64 ? 64 : length), word);
    if (strcmp(impl->row.kind, "portfolio") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "'%s' stands alone, without '+'",
                                 impl->row.name);
    refines = strcmp(impl->row.kind, "refine") == 0;
    if (!(impl->on & (1u << problem->machine->kind)))
        return unsuitable(impl, problem->machine, err);
    if (first ? 0 : !refines || strcmp(impl->row.name, "refine") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' cannot stand after '+': it does not refine", impl->row.name);
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

/* The best placement so far becomes the trial, a refinement improves it. */
static int refine_best(portfolio *p, const char *start, const uint32_t *placement,
                       const char *refinement, topomap_error *err)
{
    double started = topomap_clock_cpu();
    char name[64];

    memcpy(p->trial, placement, p->problem->weights.vertices * sizeof *p->trial);
    if (run_word(p, refinement, strlen(refinement), 0, err) != 0)
        return -1;
    if (p->problem->inter_only && topomap_problem_sort_inside(p->problem, p->trial, err) != 0)
        return -1;
    snprintf(name, sizeof name, "%s+%s", start, refinement);
    return consider(p, name, started, err);
}

/* One refinement has all the time that there is. Of two, each shows on a part of it what it can do,
 * and the better one goes on with the rest. */
static int refine_by_turns(portfolio *p, const char *start, const char *const *refinement,
                           uint32_t *best, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    const topomap_mapping *mapping = p->mapping;
    const char *chosen = refinement[0];
    double least = INFINITY;
    int status = 0;

    problem->patience = PROBE;
    for (size_t r = 0; status == 0 && refinement[1] && refinement[r]; r++) {
        if (topomap_problem_late(problem))
            break;
        status = refine_best(p, start, best, refinement[r], err);
        if (status == 0 && mapping->candidate[mapping->candidates - 1].J < least) {
            least = mapping->candidate[mapping->candidates - 1].J;
            chosen = refinement[r];
        }
    }
    problem->patience = refinement[0] && refinement[1] ? REST : 1.0;
    if (status == 0 && chosen && !topomap_problem_late(problem))
        status = refine_best(p, start, best, chosen, err);
    problem->patience = 1.0;
    return status;
}

/* Constructs with every seed, then refines the best of them. */
static int run_candidate(portfolio *p, size_t i, uint32_t *best, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t seeds = problem->effort == TOPOMAP_STRONG ? candidates[i].seeds : 1;
    uint64_t seed = problem->seed;
    double least = INFINITY;
    int status = 0;

    for (uint32_t k = 0; status == 0 && k < seeds && !topomap_problem_late(problem); k++) {
        problem->seed = seed + k;
        status = run_name(p, candidates[i].name, err);
        if (status == 0 && p->mapping->candidate[p->mapping->candidates - 1].J < least) {
            least = p->mapping->candidate[p->mapping->candidates - 1].J;
            memcpy(best, p->trial, problem->weights.vertices * sizeof *best);
        }
    }
    problem->seed = seed;
    return status == 0 ? refine_by_turns(p, candidates[i].name, candidates[i].refine, best, err)
                       : -1;
}

static int run_auto(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t *best = topomap_alloc(problem->weights.vertices, sizeof *best, err);
    int status;

    if (!best)
        return -1;
    memcpy(p->trial, problem->start, problem->weights.vertices * sizeof *p->trial);
    status = consider(p, p->options->start_name ? p->options->start_name : "identity",
                      topomap_clock_cpu(), err);
    for (size_t i = 0; status == 0 && i < CANDIDATES; i++) {
        if (problem->effort < candidates[i].from || problem->effort > candidates[i].to ||
            problem->machine->slots < candidates[i].least ||
            problem->machine->slots > candidates[i].most ||
            !(candidates[i].on & (1u << problem->machine->kind)))
            continue;
        if (strcmp(candidates[i].name, "refine") == 0 &&
            p->mapping->candidate[0].J > REFINE_WITHIN * p->mapping->J)
            continue;
        if (!topomap_problem_late(problem))
            status = run_candidate(p, i, best, err);
    }
    free(best);
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
