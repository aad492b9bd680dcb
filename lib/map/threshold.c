/* SPDX-License-Identifier: BSD-3-Clause */
/* Threshold accepting: Hoefler & Snir, ICS 2011, section 3.5. Two random ranks change places; what
 * makes J worse by less than a threshold is accepted, and the threshold falls after every 20 tries.
 * The paper evaluates everything again each time and runs until the time is up; here a try costs
 * O(degree) (Schulz & Traeff, section 3.2), and the tries are counted, so that a seed always gives
 * the same. The best placement that was met is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/distance.h"
#include "map/swap_search.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { INNER = 20, SAMPLES = 64 };

/* By effort: tries a vertex, and edges looked at by all of them. */
static const struct {
    uint32_t tries;
    double edges;
} budget[] = {{20, 1e7}, {200, 1e8}, {1000, 1e9}};

typedef struct threshold {
    topomap_swap swap;
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
    for (uint32_t i = t->logged; i-- > 0;) {
        uint32_t u = t->log[2 * i], x = t->log[2 * i + 1], place = place_of[u];

        place_of[u] = place_of[x];
        place_of[x] = place;
    }
}

static void accept(threshold *t, uint32_t u, uint32_t x, double delta)
{
    topomap_swap_apply(&t->swap, u, x);
    t->J += delta;
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
    return *u != *x && (w->offset[*u] != w->offset[*u + 1] || w->offset[*x] != w->offset[*x + 1]);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* The first threshold: what one random swap in ten changes less by. A mean would undo a good start
 * before it falls. */
static double sample(threshold *t)
{
    double change[SAMPLES];
    uint32_t u, x, drawn = 0;

    for (int i = 0; i < SAMPLES; i++)
        if (draw(t, &u, &x))
            change[drawn++] = fabs(topomap_swap_delta(&t->swap, u, x));
    if (drawn)
        qsort(change, drawn, sizeof *change, ascending);
    return drawn ? change[drawn / 10] : 0;
}

static void run(threshold *t, topomap_problem *problem)
{
    const topomap_weights *w = t->swap.weights;
    double tries = (double)budget[problem->effort].tries * t->vertices;
    double degree = (double)w->offset[t->vertices] / t->vertices, first = sample(t);
    uint64_t rounds;

    if (tries * degree > budget[problem->effort].edges)
        tries = budget[problem->effort].edges / degree;
    rounds = (uint64_t)(tries / INNER) + 1;
    for (uint64_t round = 0; round < rounds && !topomap_problem_late(problem); round++) {
        double left = 1 - (double)(round + 1) / (double)rounds, limit = first * left * left;

        for (int i = 0; i < INNER; i++) {
            uint32_t u, x;
            double delta;

            if (!draw(t, &u, &x))
                continue;
            delta = topomap_swap_delta(&t->swap, u, x);
            if (delta < limit)
                accept(t, u, x, delta);
        }
    }
}

static void start(threshold *t)
{
    const topomap_weights *w = t->swap.weights;

    for (uint32_t u = 0; u < t->vertices; u++) {
        t->swap.vertex_at[t->swap.place_of[u]] = u;
        t->swap.gamma[u] = 0;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            t->swap.gamma[u] +=
                (double)w->weight[e] * topomap_slot_distance(t->swap.machine, t->swap.place_of[u],
                                                             t->swap.place_of[w->target[e]]);
        t->J += t->swap.gamma[u] / 2;
    }
    t->best_J = t->J;
}

int topomap_map_threshold(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    uint32_t n = problem->weights.vertices;
    threshold t = {.swap = {.weights = &problem->weights,
                            .machine = problem->machine,
                            .place_of = slot_of,
                            .problem = problem},
                   .random = {problem->seed},
                   .vertices = n};
    int status = -1;

    t.swap.vertex_at = topomap_alloc(n, sizeof(uint32_t), err);
    t.swap.gamma = topomap_alloc(n, sizeof(double), err);
    t.log = topomap_alloc((size_t)n * 2, sizeof *t.log, err);
    t.best = topomap_alloc(n, sizeof *t.best, err);
    if (t.swap.vertex_at && t.swap.gamma && t.log && t.best) {
        start(&t);
        run(&t, problem);
        if (t.is_stored)
            memcpy(slot_of, t.best, n * sizeof *slot_of);
        else
            rewind_log(&t, slot_of);
        status = 0;
    }
    free(t.swap.vertex_at);
    free(t.swap.gamma);
    free(t.log);
    free(t.best);
    problem->phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return status;
}
