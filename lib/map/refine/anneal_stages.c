/* SPDX-License-Identifier: BSD-3-Clause */
/* `anneal` and `anneal-hot`: groups of slots from the outside in, then slots, level by level from
 * the outermost. Temperatures are fractions of what a swap across the level costs that makes J
 * worse: up to a tenth, a good start keeps its outline; from a fifth on, little of it is left. */
#include <string.h>

#include "map/problem.h"
#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"

typedef struct schedule {
    topomap_cooling groups, slots; /* proposals for each place, at each level */
} schedule;

/* Along a hierarchy, and where the distances between nodes are not nested: there, where a node's
 * ranks go is easily changed, and hotter is better. */
#define QUIET 0.0003 /* hardly anything is accepted any more */
static const schedule warm[][2] = {
    [TOPOMAP_FAST] = {{{0, 0, 0, 0}, {60, 0.05, 0.08, 0}},
                      {{400, 0.2, 0.04, 0}, {60, 0.05, 0.04, 0}}},
    [TOPOMAP_DEFAULT] = {{{150, 0.06, 0.04, 0}, {300, 0.06, 0.04, QUIET}},
                         {{2000, 0.2, 0.04, 0}, {300, 0.08, 0.03, 0}}},
    [TOPOMAP_STRONG] = {{{800, 0.06, 0.04, 0}, {5000, 0.08, 0.06, QUIET / 3}},
                        {{8000, 0.3, 0.04, 0}, {4000, 0.2, 0.04, 0}}},
};
static const schedule hot[][2] = {
    [TOPOMAP_FAST] = {{{0, 0, 0, 0}, {60, 0.25, 0.08, 0}},
                      {{400, 0.3, 0.04, 0}, {60, 0.3, 0.04, 0}}},
    [TOPOMAP_DEFAULT] = {{{0, 0, 0, 0}, {300, 0.2, 0.06, QUIET}},
                         {{1500, 0.3, 0.04, 0}, {400, 0.3, 0.04, 0}}},
    [TOPOMAP_STRONG] = {{{0, 0, 0, 0}, {4000, 0.2, 0.06, QUIET}},
                        {{8000, 0.3, 0.04, 0}, {4000, 0.35, 0.04, 0}}},
};

/* Of the proposals, what the innermost groups take: ranks find their places there soon. */
static const double innermost[] = {
    [TOPOMAP_FAST] = 1.0, [TOPOMAP_DEFAULT] = 0.3, [TOPOMAP_STRONG] = 0.5};

/* Edges looked at in one phase at most: what keeps large and dense graphs in bounds. */
static const double edges_at_most[] = {
    [TOPOMAP_FAST] = 2e8, [TOPOMAP_DEFAULT] = 2.5e8, [TOPOMAP_STRONG] = 3e9};

/* What is looked at of them where sums over them decide; a launch does not wait longer for more. */
static const double arcs_with_sums[] = {
    [TOPOMAP_FAST] = 1.0, [TOPOMAP_DEFAULT] = 0.4, [TOPOMAP_STRONG] = 0.7};

static const uint32_t table_nodes[] = {[TOPOMAP_FAST] = 1024,
                                       [TOPOMAP_DEFAULT] = TOPOMAP_CLOSE_NODES,
                                       [TOPOMAP_STRONG] = TOPOMAP_CLOSE_NODES};

static topomap_cooling in_bounds(const topomap_problem *problem, const topomap_anneal *a,
                                 topomap_cooling cooling)
{
    double arcs = topomap_anneal_arcs(a), most;

    if (topomap_anneal_sums(a))
        arcs *= arcs_with_sums[problem->effort];
    most = edges_at_most[problem->effort] / (8 + arcs);

    /* The bound is one of memory's speed: only who asks for more proposals moves it up. */
    if (problem->patience > 0.0 && problem->patience < 1.0)
        most *= problem->patience;
    most *= topomap_parameter_number(problem, "proposals", 100) / 100.0;
    cooling.proposals *= a->vertices;
    if ((double)cooling.proposals > most)
        cooling.proposals = (uint64_t)most;
    return cooling;
}

static int stage(topomap_problem *problem, int level, const topomap_cooling *each,
                 uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_closeness_clear) topomap_closeness close = {0};
    TOPOMAP_CLEANUP(topomap_anneal_clear) topomap_anneal anneal = {0};
    topomap_cooling cooling;

    if (topomap_closeness_init(&close, problem->machine, level, table_nodes[problem->effort], err))
        return -1;
    if (close.places == 1 || (close.how == TOPOMAP_CLOSE_BITS && close.levels == 0) ||
        (level >= 0 && close.places == problem->machine->slots))
        return 0; /* no swap can change anything, or slots come anyway */
    if (topomap_anneal_init(&anneal, problem, &close, slot_of, err))
        return -1;
    cooling = in_bounds(problem, &anneal, *each);
    for (int l = level < 0 ? (int)close.levels - 1 : 0; l >= 0; l--) {
        anneal.lowest = (uint32_t)l;
        if (l == 0 && close.levels > 1 && close.how == TOPOMAP_CLOSE_BITS)
            cooling.proposals = (uint64_t)((double)cooling.proposals * innermost[problem->effort]);
        if (topomap_anneal_run(&anneal, problem, &cooling, err))
            return -1;
    }
    topomap_anneal_store(&anneal, slot_of, problem->work.scratch);
    return 0;
}

int topomap_anneal_slots(topomap_problem *problem, const topomap_cooling *cooling,
                         uint32_t *slot_of, topomap_error *err)
{
    return stage(problem, TOPOMAP_CLOSE_SLOTS, cooling, slot_of, err);
}

static int stages(topomap_problem *problem, const schedule *s, uint32_t *slot_of,
                  topomap_error *err)
{
    for (int l = (int)topomap_closeness_levels(problem->machine); s->groups.proposals && l-- > 0;)
        if (stage(problem, l, &s->groups, slot_of, err))
            return -1;
    return stage(problem, TOPOMAP_CLOSE_SLOTS, &s->slots, slot_of, err);
}

/* What a caller or a user gives it. */
static topomap_cooling tuned(const topomap_problem *problem, topomap_cooling cooling)
{
    double more = problem->patience > 0.0 ? problem->patience : 1.0;
    double heat = (double)topomap_parameter_number(problem, "heat", 100) / 100.0;

    more = more * topomap_parameter_number(problem, "proposals", 100) / 100.0;
    cooling.proposals = (uint64_t)((double)cooling.proposals * more);
    cooling.hot *= heat;
    cooling.cold *= heat;
    return cooling;
}

static int anneal(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
                  topomap_error *err)
{
    const schedule *by_effort = (self->variant ? hot : warm)[problem->effort];
    double before = topomap_clock_cpu(), cost = topomap_problem_cost(problem, slot_of);
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *keep = topomap_alloc(n, sizeof *keep, err);
    schedule s = by_effort[problem->machine->kind != TOPOMAP_MACHINE_TREE];

    if (!keep)
        return -1;
    s.groups = tuned(problem, s.groups);
    s.slots = tuned(problem, s.slots);
    memcpy(keep, slot_of, n * sizeof *keep);
    if (problem->weights.offset[n] > 0 && stages(problem, &s, slot_of, err))
        return -1;
    if (topomap_problem_cost(problem, slot_of) > cost)
        memcpy(slot_of, keep, n * sizeof *keep);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return 0;
}

static const topomap_parameter parameters[] = {
    {"proposals", "PERCENT", "how many swaps it proposes, of what the effort has (100)", 1, 100000},
    {"heat", "PERCENT", "how hot it is, of what the effort has (100)", 1, 1000},
    {NULL, NULL, NULL, 0, 0},
};

const topomap_algorithm_impl topomap_algorithm_anneal = {
    .row = {"anneal", "topomap", "refine", FITS_ALL,
            "simulated annealing by swaps of whole groups, then of ranks, with O(degree) gains"},
    .parameters = parameters,
    .run_family = anneal,
};

const topomap_algorithm_impl topomap_algorithm_anneal_hot = {
    .row = {"anneal-hot", "topomap", "refine", FITS_ALL,
            "the same from a temperature at which little of the start is left: for dense graphs"},
    .parameters = parameters,
    .run_family = anneal,
    .variant = 1,
};
