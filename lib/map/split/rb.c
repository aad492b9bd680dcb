/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive coordinate bipartition: Wu, Xiong, Lan (HierTopoMap), Alg. 2, section 3.1.2. The
 * allocated nodes are cut at the median of their longest extent, the graph into the same two
 * sizes, and so on. `rb` is the paper's and ignores wraparound. `rb-wrap` is ours: before
 * measuring, each wrapping dimension is rotated so that its largest empty gap lies at the seam,
 * and the halves of the graph are oriented towards the neighbours they have outside. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "map/problem.h"
#include "map/split/split.h"
#include "util/sorted.h"

TOPOMAP_COMPARE_BY(by_coordinate, const topomap_torus_seam *turn,
                   topomap_torus_seam_order(turn, turn->machine->node_of[x],
                                            turn->machine->node_of[y]))

static int split(void *data, uint32_t where, uint32_t *slots, uint32_t count, topomap_split *parts,
                 topomap_error *err)
{
    topomap_torus_seam *turn = data;
    const topomap_machine *m = turn->machine;
    uint32_t half = 0;

    (void)where;
    if (m->node_of[slots[0]] == m->node_of[slots[count - 1]])
        return topomap_split_inside(m, slots, count, parts, err);
    topomap_torus_seam_towards(turn, slots, count, m->node_of);
    qsort_r(slots, count, sizeof *slots, by_coordinate, turn);
    /* The median, moved to the nearest border between two nodes. */
    for (uint32_t i = 1; i < count; i++)
        if (m->node_of[slots[i]] != m->node_of[slots[i - 1]] &&
            (half == 0 || abs((int)(2 * i) - (int)count) < abs((int)(2 * half) - (int)count)))
            half = i;
    if (topomap_split_add(parts, half, 0, err) != 0)
        return -1;
    return topomap_split_add(parts, count - half, 0, err);
}

/* \p self->variant: whether it sees wraparound. */
static int map_rb(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
                  topomap_error *err)
{
    topomap_torus_seam turn;
    topomap_splitter splitter = {.data = &turn, .split = split, .orient = self->variant};
    int status;

    if (topomap_torus_seam_open(&turn, problem->machine, self->variant, err) != 0)
        return -1;
    status = topomap_grouped_map(problem, &splitter, slot_of, err);
    free(turn.seen);
    return status;
}

const topomap_algorithm_impl topomap_algorithm_rb = {
    .row = {"rb", BY_WU ", Alg. 2", "construct", "torus,mesh",
            "recursive coordinate bipartition as published: wraparound ignored"},
    .parameters = topomap_parameters_grouped,
    .run_family = map_rb,
};

const topomap_algorithm_impl topomap_algorithm_rb_wrap = {
    .row = {"rb-wrap", "topomap, after " BY_WU, "construct", "torus,mesh",
            "recursive coordinate bipartition that sees wraparound and orients its halves"},
    .parameters = topomap_parameters_grouped,
    .run_family = map_rb,
    .variant = 1,
};
