/* SPDX-License-Identifier: BSD-3-Clause */
/* `bhatele`: all of the heuristics of Bhatele (2010) that take the graph, the least hop-bytes stay.
 */
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "util/alloc.h"

static int (*const heuristics[])(topomap_problem *problem, uint32_t *slot_of,
                                 topomap_error *err) = {
    topomap_map_mxovlp, topomap_map_mxov_al, topomap_map_coce,     topomap_map_exco,
    topomap_map_affn,   topomap_map_stack,   topomap_map_fold,     topomap_map_chain,
    topomap_map_bft,    topomap_map_mht,     topomap_map_coce_mht, topomap_map_brick,
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

int topomap_map_bhatele(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    uint32_t n = problem->weights.vertices, *trial = topomap_alloc(n, sizeof *trial, err);
    double least = 0;
    int status = trial ? 0 : -1, found = 0;

    for (size_t i = 0; status == 0 && i < HEURISTICS; i++) {
        topomap_error refused;
        double sum;

        if (found && topomap_problem_late(problem))
            break;
        if (heuristics[i](problem, trial, &refused) != 0) {
            if (refused.code == TOPOMAP_EUSAGE)
                continue;
            *err = refused;
            status = -1;
            break;
        }
        sum = hop_bytes(problem, trial);
        if (found && sum >= least)
            continue;
        found = 1;
        least = sum;
        memcpy(slot_of, trial, n * sizeof *slot_of);
    }
    free(trial);
    return status;
}
