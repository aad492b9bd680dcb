/* SPDX-License-Identifier: BSD-3-Clause */
/* The baselines: rank r on slot r, and a seeded shuffle. */
#include "map/problem.h"

int topomap_map_identity(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    (void)err;
    for (uint32_t u = 0; u < problem->weights.vertices; u++)
        slot_of[u] = u;
    return 0;
}

int topomap_map_random(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    topomap_random random = {problem->seed};

    topomap_map_identity(problem, slot_of, err);
    topomap_random_shuffle(&random, slot_of, problem->weights.vertices);
    return 0;
}
