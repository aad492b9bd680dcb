/* SPDX-License-Identifier: BSD-3-Clause */
/* Threshold accepting: Hoefler & Snir, ICS 2011, section 3.5. Two random ranks change places; what
 * makes J worse by less than a threshold is accepted, and the threshold falls after every 20 tries.
 * The paper evaluates everything again each time and runs until the time is up; here a try costs
 * O(degree) (Schulz & Traeff, section 3.2), and the tries are counted, so that a seed always gives
 * the same. The best placement that was met is kept.
 *
 * With the objective congestion it is the paper's: the fast congestion (links.h), with the
 * paths of the ranks that moved alone found again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/links/links.h"
#include "map/objective.h"
#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/sorted.h"

enum { INNER = 20, SAMPLES = 64 };

/* By effort: tries a vertex, and edges (of the graph; with congestion, of the network) looked at by
 * all of them. */
static const struct {
    uint32_t tries;
    double edges, links;
} budget[] = {{20, 1e7, 1e7}, {200, 1e8, 5e7}, {1000, 1e9, 2e8}};

typedef struct threshold {
    topomap_swap swap;
    topomap_fast_loads *fast; /* with the objective congestion; else NULL */
    topomap_random random;
    double J, best_J;
    uint32_t *log;  /* [2 * vertices] pairs exchanged since the best placement */
    uint32_t *best; /* [vertices] that placement, where is_stored */
    uint32_t vertices, logged;
    int is_stored;
} threshold;

/* Takes back what the log has, on a placement. */
static void rewind_log(const threshold *t, uint32_t *place_of)
{
    for (uint32_t i = t->logged; i-- > 0;)
        TOPOMAP_SWAP(place_of[t->log[2 * i]], place_of[t->log[2 * i + 1]]);
}

/* The maximum alone has plateaus, on which the mean shows a way. */
static double value(const threshold *t)
{
    return topomap_fast_loads_max(t->fast) + t->fast->sum / t->fast->network->links;
}

/* What a swap would change. With congestion it is done, and to be taken back. */
static int price(threshold *t, uint32_t u, uint32_t x, double *delta)
{
    if (!t->fast) {
        *delta = topomap_swap_delta(&t->swap, u, x);
        return 0;
    }
    if (topomap_fast_loads_swap(t->fast, u, x))
        return -1;
    *delta = value(t) - t->J; /* NaN where both are lost: not accepted */
    return 0;
}

static void accept(threshold *t, uint32_t u, uint32_t x, double delta)
{
    if (t->fast)
        topomap_moves_exchange(t->swap.place_of, t->swap.vertex_at, u, x);
    else
        topomap_swap_apply(&t->swap, u, x);
    t->J = t->fast ? value(t) : t->J + delta;
    if (t->J < t->best_J - 1e-12 * fabs(t->best_J)) {
        t->best_J = t->J;
        t->logged = 0;
        t->is_stored = 0;
        return;
    }
    if (t->is_stored)
        return;
    t->log[2 * t->logged] = u;
    t->log[2 * t->logged + 1] = x;
    if (++t->logged == t->vertices) { /* once for as many swaps: O(1) each */
        memcpy(t->best, t->swap.place_of, t->vertices * sizeof *t->best);
        rewind_log(t, t->best);
        t->is_stored = 1;
    }
}

/* Two different vertices, at least one of them with edges. */
static int draw(threshold *t, uint32_t *u, uint32_t *x)
{
    const topomap_weights *w = t->swap.weights;

    *u = topomap_random_below(&t->random, t->vertices);
    *x = topomap_random_below(&t->random, t->vertices);
    if (t->fast && t->fast->at[*u] == t->fast->at[*x])
        return 0;
    return *u != *x && (w->offset[*u] != w->offset[*u + 1] || w->offset[*x] != w->offset[*x + 1]);
}

/* The first threshold: what one random swap in ten changes less by (of those that change a
 * maximum). A mean would undo a good start before it falls. */
static int sample(threshold *t, double *first)
{
    double change[SAMPLES];
    uint32_t u, x, drawn = 0;

    for (int i = 0; i < SAMPLES; i++) {
        double delta;

        if (!draw(t, &u, &x))
            continue;
        if (price(t, u, x, &delta))
            return -1;
        if (t->fast)
            topomap_fast_loads_undo(t->fast);
        delta = fabs(delta);
        if (t->fast ? delta > 0 && delta < INFINITY : 1)
            change[drawn++] = delta;
    }
    TOPOMAP_SORT(change, drawn, topomap_by_double);
    *first = drawn ? change[drawn / 10] : 0;
    return 0;
}

static int run(threshold *t, topomap_problem *problem)
{
    const topomap_weights *w = t->swap.weights;
    double tries = (double)budget[problem->effort].tries * t->vertices;
    double degree = (double)w->offset[t->vertices] / t->vertices, first;
    uint64_t rounds, before = t->fast ? t->fast->search.looked : 0;

    if (sample(t, &first))
        return -1;
    if (tries * degree > budget[problem->effort].edges)
        tries = budget[problem->effort].edges / degree;
    if (t->fast)
        tries = fmin(tries, budget[problem->effort].links * SAMPLES /
                                (double)(t->fast->search.looked - before + SAMPLES));
    rounds = (uint64_t)(tries / INNER) + 1;
    for (uint64_t round = 0; round < rounds && !topomap_problem_late(problem); round++) {
        double left = 1 - (double)(round + 1) / (double)rounds, limit = first * left * left;

        for (int i = 0; i < INNER; i++) {
            uint32_t u, x;
            double delta;

            if (!draw(t, &u, &x))
                continue;
            if (price(t, u, x, &delta))
                return -1;
            if (delta < limit)
                accept(t, u, x, delta);
            else if (t->fast)
                topomap_fast_loads_undo(t->fast);
        }
    }
    return 0;
}

static void start(threshold *t)
{
    for (uint32_t u = 0; u < t->vertices; u++)
        t->J += t->swap.gamma[u] / 2;
    if (t->fast)
        t->J = value(t);
    t->best_J = t->J;
}

static int open_fast(const topomap_problem *problem, const uint32_t *slot_of,
                     topomap_fast_loads *fast, topomap_error *err)
{
    const topomap_network *network = problem->objective->network;
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *at = topomap_alloc(n, sizeof *at, err);

    if (!at)
        return -1;
    for (uint32_t v = 0; v < n; v++)
        at[v] = network->vertex_of[problem->machine->node_of[slot_of[v]]];
    return topomap_fast_loads_init(fast, problem->graph, network, n, at, err);
}

static int refine(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    uint32_t n = problem->weights.vertices;
    topomap_fast_loads fast = {0};
    threshold t = {.swap = {.weights = &problem->weights,
                            .machine = problem->machine,
                            .place_of = slot_of,
                            .problem = problem},
                   .fast = problem->objective ? &fast : NULL,
                   .random = {problem->seed},
                   .vertices = n};
    int status = -1;

    t.log = topomap_arena_alloc(&t.swap.memory, (size_t)n * 2, sizeof *t.log, err);
    t.best = topomap_arena_alloc(&t.swap.memory, n, sizeof *t.best, err);
    if (topomap_swap_open(&t.swap, err) == 0 &&
        (!t.fast || open_fast(problem, slot_of, t.fast, err) == 0)) {
        start(&t);
        status = run(&t, problem) ? topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory") : 0;
        if (t.is_stored)
            memcpy(slot_of, t.best, n * sizeof *slot_of);
        else
            rewind_log(&t, slot_of);
    }
    topomap_fast_loads_clear(&fast);
    topomap_arena_clear(&t.swap.memory);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return status;
}

/* The paths kept are an estimate of the estimate: a whole one decides whether it is better. */
static int refine_fast(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    topomap_objective o = *problem->objective;
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *before = topomap_alloc(n, sizeof *before, err);
    topomap_score was = {0}, is = {0};

    o.model = "fast";
    o.by_time = 0;
    if (!before)
        return -1;
    memcpy(before, slot_of, n * sizeof *before);
    if (topomap_objective_score(&o, problem->graph, problem->machine, slot_of, &was, err) ||
        refine(problem, slot_of, err) ||
        topomap_objective_score(&o, problem->graph, problem->machine, slot_of, &is, err))
        return -1;
    if (topomap_score_better(&was, &is))
        memcpy(slot_of, before, n * sizeof *before);
    return 0;
}

static int map_threshold(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return problem->objective ? refine_fast(problem, slot_of, err) : refine(problem, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_threshold = {
    .row =
        {"threshold", BY_HOEFLER ", 3.5", "refine", FITS_ALL,
         "threshold accepting: random swaps that make J (or the fast congestion) worse by less and "
         "less"},
    .run = map_threshold,
};
