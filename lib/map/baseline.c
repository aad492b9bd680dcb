/* SPDX-License-Identifier: BSD-3-Clause */
/* The baselines: rank r on slot r, and a seeded shuffle. */
#include "map/problem.h"

static int map_identity(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    (void)err;
    topomap_identity(slot_of, problem->weights.vertices);
    return 0;
}

static int map_random(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    topomap_random random = {problem->seed};

    map_identity(problem, slot_of, err);
    topomap_random_shuffle(&random, slot_of, problem->weights.vertices);
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_identity = {
    .row = {"identity", "baseline", "construct", FITS_ALL,
            "rank r on slot r: Slurm's block layout"},
    .run = map_identity,
};

const topomap_algorithm_impl topomap_algorithm_random = {
    .row = {"random", "baseline", "construct", FITS_ALL, "a seeded shuffle"},
    .run = map_random,
};
