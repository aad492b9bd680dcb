/* SPDX-License-Identifier: BSD-3-Clause */
/* Two greedy constructions that VieM compares with (section 2). Both place next the rank that
 * exchanges most with the ranks already placed. Mueller-Merbach chooses the slot without looking at
 * that rank: the one of least total distance to the slots taken. GreedyAllC (Glantz, Meyerhenke,
 * Noe) chooses the slot where the rank's own traffic costs least. Ties by the lowest id, which the
 * papers leave open. Both are quadratic as published; here a slot is found among one candidate a
 * group of each level (map/objective.h). */

#include "map/objective.h"
#include "map/problem.h"
#include "util/alloc.h"
#include "util/clock.h"

/* Unplaced vertices, the one that exchanges most with the placed first. */
typedef struct ranking {
    double *key;    /* [n] */
    uint32_t *heap; /* vertices */
    uint32_t *at;   /* [n] position in the heap */
    uint32_t count;
} ranking;

static int before(const ranking *r, uint32_t u, uint32_t v)
{
    return r->key[u] != r->key[v] ? r->key[u] > r->key[v] : u < v;
}

static void put(ranking *r, uint32_t at, uint32_t u)
{
    r->heap[at] = u;
    r->at[u] = at;
}

static void rise(ranking *r, uint32_t u)
{
    uint32_t at = r->at[u];

    while (at && before(r, u, r->heap[(at - 1) / 2])) {
        put(r, at, r->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(r, at, u);
}

static void sink(ranking *r, uint32_t at, uint32_t u)
{
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= r->count)
            break;
        if (child + 1 < r->count && before(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (!before(r, r->heap[child], u))
            break;
        put(r, at, r->heap[child]);
        at = child;
    }
    put(r, at, u);
}

static void take_out(ranking *r, uint32_t u)
{
    uint32_t at = r->at[u], last = r->heap[--r->count];

    if (last == u)
        return;
    sink(r, at, last);
    rise(r, last);
}

static int ranking_init(ranking *r, uint32_t n, topomap_arena *memory, topomap_error *err)
{
    r->key = topomap_arena_alloc(memory, n, sizeof *r->key, err);
    r->heap = topomap_arena_alloc(memory, n, sizeof *r->heap, err);
    r->at = topomap_arena_alloc(memory, n, sizeof *r->at, err);
    if (memory->is_short)
        return -1;
    for (r->count = 0; r->count < n; r->count++)
        put(r, r->count, r->count);
    return 0;
}

/* The vertex of the largest weighted degree. */
static uint32_t heaviest(const topomap_weights *w)
{
    uint32_t best = 0;
    double most = -1;

    for (uint32_t u = 0; u < w->vertices; u++) {
        double sum = 0;

        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            sum += (double)w->weight[e];
        if (sum > most) {
            most = sum;
            best = u;
        }
    }
    return best;
}

static void place_all(const topomap_weights *w, int linked, ranking *r, topomap_places *places,
                      uint32_t *slot_of)
{
    uint32_t u = heaviest(w), slot = topomap_places_centre(places);

    for (uint32_t v = 0; v < w->vertices; v++)
        slot_of[v] = UINT32_MAX;
    for (;;) {
        take_out(r, u);
        topomap_places_take(places, slot);
        slot_of[u] = slot;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (slot_of[w->target[e]] == UINT32_MAX) {
                r->key[w->target[e]] += (double)w->weight[e];
                rise(r, w->target[e]);
            }
        if (r->count == 0)
            return;
        u = r->heap[0];
        for (uint64_t e = w->offset[u]; linked && e < w->offset[u + 1]; e++)
            if (slot_of[w->target[e]] != UINT32_MAX)
                topomap_places_pull(places, slot_of[w->target[e]], (double)w->weight[e]);
        slot = linked ? topomap_places_pulled(places) : topomap_places_nearest(places);
    }
}

/* \p self->variant: whether the slot is chosen by the rank's own traffic. */
static int construct(const topomap_algorithm_impl *self, topomap_problem *problem,
                     uint32_t *slot_of, topomap_error *err)
{
    double started = topomap_clock_cpu();
    TOPOMAP_CLEANUP(topomap_places_clear) topomap_places places = {0};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    ranking r = {0};

    if (topomap_places_init(&places, problem->machine, err) ||
        ranking_init(&r, problem->weights.vertices, &memory, err))
        return -1;
    place_all(&problem->weights, self->variant, &r, &places, slot_of);
    problem->found.phase_seconds[TOPOMAP_PHASE_INTER] += topomap_clock_cpu() - started;
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_mueller_merbach = {
    .row = {"mueller-merbach", "Mueller-Merbach 1970, as in " BY_VIEM ", 2", "construct", FITS_ALL,
            "the rank that talks most to those placed, on the slot nearest to those taken"},
    .run_family = construct,
};

const topomap_algorithm_impl topomap_algorithm_greedy_all_c = {
    .row = {"greedy-all-c", "Glantz, Meyerhenke, Noe: GreedyAllC, as in " BY_VIEM ", 2",
            "construct", FITS_ALL,
            "the rank that talks most to those placed, on the slot where that costs least"},
    .run_family = construct,
    .variant = 1,
};
