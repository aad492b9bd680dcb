/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructions along a hierarchy, from the outside in: Schulz & Traeff (VieM). `top-down`
 * (section 3.1): the graph into as many perfectly balanced blocks as the outermost level has
 * groups, each of them into the groups of the next, down to single slots. `multisection`: the
 * recursive multisection of section 4, by which VieM makes communication graphs, with one rank a
 * block: each level is one k-way partition, made exact by the moves that cut least. Groups may
 * be of any sizes; machines without levels get the tree of map/tree.c. */
#include "map/problem.h"
#include "map/split/split.h"
#include "partition/partition.h"

static int map_along(const topomap_algorithm_impl *self, topomap_problem *problem,
                     uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_tree_splitter_close) topomap_splitter splitter = {0};

    if (topomap_tree_splitter_open(problem->machine, &splitter, err))
        return -1;
    splitter.how = (unsigned)self->variant;
    return topomap_recursion_map(problem, &splitter, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_top_down = {
    .row = {"top-down", BY_VIEM ", 3.1", "construct", FITS_HIERARCHY,
            "perfectly balanced partitions along the hierarchy, each cut lowered by swaps"},
    .run_family = map_along,
    .variant = TOPOMAP_PARTITION_EXCHANGE,
};

const topomap_algorithm_impl topomap_algorithm_multisection = {
    .row = {"multisection", BY_VIEM ", 4 (RMS)", "construct", FITS_HIERARCHY,
            "k-way partitions along the hierarchy, corrected to its sizes"},
    .run_family = map_along,
    .variant = TOPOMAP_PARTITION_KWAY,
};
