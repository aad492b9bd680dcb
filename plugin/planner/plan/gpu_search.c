/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <string.h>

#include "util/alloc.h"

#define SAME 1e-9 /* costs that differ by less than this part are one */

struct score {
    double cost, apart;
    uint32_t moved;
};

struct searching {
    const planner_gpu_search *of;
    uint32_t *best; /* [gpus] */
    uint32_t *at;   /* [gpus] that is being made */
    double *rest;   /* [takers + 1] of weights that are not all placed before taker k */
    struct score score;
    double least; /* cost of any two GPUs */
    uint32_t visits;
};

static double between(const double *of, uint32_t size, uint32_t a, uint32_t b)
{
    return of[(size_t)a * size + b];
}

static double sum_of(const planner_gpu_search *s, const double *costs, int weighed,
                     const uint32_t *gpu_of)
{
    double sum = 0;

    for (uint32_t a = 0; a < s->takers; a++)
        for (uint32_t b = 0; b < a; b++)
            sum += (weighed ? between(s->weight, s->takers, a, b) : 1) *
                   between(costs, s->gpus, gpu_of[a], gpu_of[b]);
    return sum;
}

double planner_gpu_cost(const planner_gpu_search *search, const uint32_t *gpu_of)
{
    return sum_of(search, search->cost, 1, gpu_of);
}

static struct score score_of(const planner_gpu_search *s, const uint32_t *gpu_of)
{
    struct score score = {.cost = planner_gpu_cost(s, gpu_of)};

    if (s->takers < s->gpus)
        score.apart = sum_of(s, s->apart, 0, gpu_of) * (s->compact ? -1 : 1);
    for (uint32_t a = 0; a < s->takers; a++)
        score.moved += gpu_of[a] != a;
    return score;
}

static int differs(double a, double b)
{
    double larger = a > b ? a : b, less = a > b ? b : a;

    return larger - less > SAME * (larger > 0 ? larger : -less);
}

/* Of two that are alike the one whose first taker that differs has the GPU before the other's. */
static int comes_first(const planner_gpu_search *s, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; i < s->takers; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return 0;
}

static int is_better(const planner_gpu_search *s, const struct score *a, const uint32_t *gpus_a,
                     const struct score *b, const uint32_t *gpus_b)
{
    if (differs(a->cost, b->cost))
        return a->cost < b->cost;
    if (differs(a->apart, b->apart))
        return a->apart > b->apart;
    if (a->moved != b->moved)
        return a->moved < b->moved;
    return comes_first(s, gpus_a, gpus_b);
}

static void swap(uint32_t *gpu_of, uint32_t a, uint32_t b)
{
    uint32_t gpu = gpu_of[a];

    gpu_of[a] = gpu_of[b];
    gpu_of[b] = gpu;
}

/* ---- Swaps -------------------------------------------------------------------------------- */

/* Swaps of two GPUs, one of them a taker's, for as long as one helps. */
static void descend(struct searching *s)
{
    enum { ROUNDS = 64 };
    int found = 1;

    memcpy(s->at, s->best, s->of->gpus * sizeof *s->at);
    for (int round = 0; found && round < ROUNDS; round++) {
        found = 0;
        for (uint32_t a = 0; a < s->of->takers; a++)
            for (uint32_t b = a + 1; b < s->of->gpus; b++) {
                struct score score;

                swap(s->at, a, b);
                score = score_of(s->of, s->at);
                if (is_better(s->of, &score, s->at, &s->score, s->best)) {
                    s->score = score;
                    swap(s->best, a, b);
                    found = 1;
                } else {
                    swap(s->at, a, b);
                }
            }
    }
}

/* ---- All ---------------------------------------------------------------------------------- */

static void take_made(struct searching *s)
{
    struct score score = score_of(s->of, s->at);

    if (is_better(s->of, &score, s->at, &s->score, s->best)) {
        s->score = score;
        memcpy(s->best, s->at, s->of->gpus * sizeof *s->best);
    }
}

/* Where all GPUs are taken, placements of equal cost differ in who has moved alone, and the one
 * that is there will do. */
static int is_hopeless(const struct searching *s, uint32_t taker, double cost)
{
    double least = cost + s->rest[taker] * s->least;

    return s->of->takers == s->of->gpus ? least >= s->score.cost * (1 - SAME)
                                        : least > s->score.cost * (1 + SAME);
}

/* Takers before `taker` are placed, on the first places of `at`. */
static void try_all(struct searching *s, uint32_t taker, double cost)
{
    const planner_gpu_search *of = s->of;

    if (!s->visits || is_hopeless(s, taker, cost))
        return;
    s->visits--;
    if (taker == of->takers) {
        take_made(s);
        return;
    }
    for (uint32_t i = taker; i < of->gpus; i++) {
        double more = 0;

        swap(s->at, taker, i);
        for (uint32_t a = 0; a < taker; a++)
            more += between(of->weight, of->takers, a, taker) *
                    between(of->cost, of->gpus, s->at[a], s->at[taker]);
        try_all(s, taker + 1, cost + more);
        swap(s->at, taker, i);
    }
}

static void prepare(struct searching *s)
{
    const planner_gpu_search *of = s->of;

    for (uint32_t i = 0; i < of->gpus; i++)
        s->best[i] = s->at[i] = i;
    s->least = of->gpus > 1 ? between(of->cost, of->gpus, 0, 1) : 0;
    for (uint32_t a = 0; a < of->gpus; a++)
        for (uint32_t b = 0; b < a; b++)
            if (between(of->cost, of->gpus, a, b) < s->least)
                s->least = between(of->cost, of->gpus, a, b);
    for (uint32_t taker = of->takers; taker-- > 0;) {
        s->rest[taker] = s->rest[taker + 1];
        for (uint32_t a = 0; a < taker; a++)
            s->rest[taker] += between(of->weight, of->takers, a, taker);
    }
    s->score = score_of(of, s->best);
    s->visits = of->visits;
}

/* ---- The GPUs that nobody takes first ----------------------------------------------------- */

/* A program that takes several at its tasks' number apart gets near ones. */
void planner_gpu_order_rest(const planner_gpu_search *s, uint32_t *gpu_of)
{
    for (uint32_t i = s->takers; s->takers && i < s->gpus; i++) {
        uint32_t own = gpu_of[i % s->takers], best = i;

        for (uint32_t k = i + 1; k < s->gpus; k++) {
            double here = between(s->apart, s->gpus, own, gpu_of[k]),
                   least = between(s->apart, s->gpus, own, gpu_of[best]);

            if (here < least || (here <= least && gpu_of[k] < gpu_of[best]))
                best = k;
        }
        swap(gpu_of, i, best);
    }
}

int planner_gpu_choose(const planner_gpu_search *search, uint32_t *gpu_of, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *at = topomap_alloc(search->gpus, sizeof *at, err);
    TOPOMAP_FREED double *rest = topomap_alloc((size_t)search->takers + 1, sizeof *rest, err);
    struct searching s = {.of = search, .best = gpu_of, .at = at, .rest = rest};

    if (!at || !rest)
        return -1;
    prepare(&s);
    descend(&s);
    for (uint32_t i = 0; i < search->gpus; i++)
        s.at[i] = i;
    try_all(&s, 0, 0);
    planner_gpu_order_rest(search, gpu_of);
    return 0;
}
