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
#include "util/keyed.h"

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

/* The heap has the vertices by how much they exchange with those that are placed, the greatest
 * first. A vertex has several entries, because it gets a new one each time its value grows; the
 * newest comes first. Entries of vertices that are placed are skipped. */
static int place_all(const topomap_weights *w, int linked, double *exchanged,
                     topomap_places *places, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_heap_clear) topomap_heap heap = {0};
    uint32_t u = heaviest(w), slot = topomap_places_centre(places);

    for (uint32_t v = 0; v < w->vertices; v++) {
        slot_of[v] = UINT32_MAX;
        if (topomap_heap_push(&heap, (topomap_keyed){.a = v}, err))
            return -1;
    }
    for (uint32_t placed = 1;; placed++) {
        topomap_places_take(places, slot);
        slot_of[u] = slot;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e];

            exchanged[v] += (double)w->weight[e];
            if (slot_of[v] == UINT32_MAX &&
                topomap_heap_push(
                    &heap, (topomap_keyed){.key = -topomap_keyed_number(exchanged[v]), .a = v},
                    err))
                return -1;
        }
        if (placed == w->vertices)
            return 0;
        do
            u = topomap_heap_pop(&heap).a;
        while (slot_of[u] != UINT32_MAX);
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
    uint32_t n = problem->weights.vertices;
    TOPOMAP_CLEANUP(topomap_places_clear) topomap_places places = {0};
    TOPOMAP_FREED double *exchanged = topomap_alloc(n, sizeof *exchanged, err);

    if (!exchanged || topomap_places_init(&places, problem->machine, err) ||
        place_all(&problem->weights, self->variant, exchanged, &places, slot_of, err))
        return -1;
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
