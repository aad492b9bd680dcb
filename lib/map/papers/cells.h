/* SPDX-License-Identifier: BSD-3-Clause */
/* The free slots of a mesh or torus, in a k-d tree of its nodes: findNext of Bhatele's heuristics.
 * A spiral outwards looks at every taken place on its way and is quadratic when the mesh fills;
 * here subtrees without a free slot are skipped whole. */
#ifndef TOPOMAP_CELLS_H
#define TOPOMAP_CELLS_H

#include "machine/machine.h"
#include "util/arena.h"

typedef struct topomap_cells {
    topomap_arena memory;
    const topomap_machine *machine;
    uint32_t *order, *position; /* [nodes] by place in the tree, and back */
    uint32_t *room;             /* [nodes] free slots */
    struct topomap_cells_branch *branch;
    uint16_t *box;   /* [branches * 2 * dims] lowest and highest coordinates of each */
    uint32_t *floor; /* by place of the box: nothing nearer was free the last time, so nothing is;
                        NULL where the allocation is too thin in its box */
} topomap_cells;

/** All slots free. The machine is a torus or mesh. O(nodes log^2 nodes). */
int topomap_cells_init(topomap_cells *cells, const topomap_machine *machine, topomap_error *err);
void topomap_cells_clear(topomap_cells *cells);

/** Takes a free slot of the node nearest to the place \p at ([dims], each below its dimension).
 *  Ties: the lowest node when this distance is reached from this place for the first time, then
 *  the first that is met (to rule out all lower ones would cost the whole rim of what is full).
 *  UINT32_MAX where nothing is free. */
uint32_t topomap_cells_next(topomap_cells *cells, const uint32_t *at);
/** Takes a free slot of the node nearest to the box that \p a and \p b span, the shorter way round
 *  where a dimension wraps; ties, so all nodes inside it, to the one with the most room, then the
 *  lowest. */
uint32_t topomap_cells_next_between(topomap_cells *cells, const uint32_t *a, const uint32_t *b);

#endif
