/* SPDX-License-Identifier: BSD-3-Clause */
/* `bhatele`: all of the heuristics of Bhatele (2010) that take the graph, the least hop-bytes stay.
 */
#include <string.h>

#include "map/problem.h"
#include "util/alloc.h"

static const topomap_algorithm_impl *const heuristics[] = {
    &topomap_algorithm_mxovlp, &topomap_algorithm_mxov_al,  &topomap_algorithm_coce,
    &topomap_algorithm_exco,   &topomap_algorithm_affn,     &topomap_algorithm_stack,
    &topomap_algorithm_fold,   &topomap_algorithm_chain,    &topomap_algorithm_bft,
    &topomap_algorithm_mht,    &topomap_algorithm_coce_mht, &topomap_algorithm_brick,
};
enum { HEURISTICS = sizeof heuristics / sizeof heuristics[0] };

static double hop_bytes(const topomap_problem *problem, const uint32_t *slot_of)
{
    const topomap_weights *w = &problem->weights;
    double sum = 0;

    for (uint32_t u = 0; u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (u < w->target[e])
                sum += (double)w->weight[e] *
                       topomap_machine_hops(problem->machine, slot_of[u], slot_of[w->target[e]]);
    return sum;
}

static int map_bhatele(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *trial = topomap_alloc(n, sizeof *trial, err);
    double least = 0;
    int found = 0;

    if (!trial)
        return -1;
    for (size_t i = 0; i < HEURISTICS; i++) {
        topomap_error refused;
        double sum;

        if (found && topomap_problem_late(problem))
            break;
        if (topomap_algorithm_run(heuristics[i], problem, trial, &refused) != 0) {
            if (refused.code == TOPOMAP_EUSAGE)
                continue;
            *err = refused;
            return -1;
        }
        sum = hop_bytes(problem, trial);
        if (found && sum >= least)
            continue;
        found = 1;
        least = sum;
        memcpy(slot_of, trial, n * sizeof *slot_of);
    }
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_bhatele = {
    .row = {"bhatele", BY_BHATELE ", the best by hop-bytes", "construct", FITS_GRID,
            "all of Bhatele's heuristics below that take the graph; the least hop-bytes stay"},
    .parameters = topomap_parameters_coordinates,
    .run = map_bhatele,
};
