/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_GRID_FIND_H
#define TOPOMAP_GRID_FIND_H

#include "graph/graph.h"

enum { TOPOMAP_GRID_DIMS = 4 };

/** A grid of ranks; the first dimension varies fastest. */
typedef struct topomap_grid {
    uint32_t dims;
    uint32_t dim[TOPOMAP_GRID_DIMS];
} topomap_grid;

/** Whether the first \p ranks vertices talk as a grid of \p dims dimensions numbered in natural
 *  order does, or (dims 0) of the fewest dimensions, 1 to 4; fills *grid and returns 1, else 0.
 *  Bhatele (2010), Alg. 8.1: no rank has more neighbours than the pattern allows, and all
 *  neighbours are 1 or `dist` apart. Wraparound and diagonal neighbours are accepted too; where
 *  several grids explain all edges, the one with the fewest diagonal ones, then the fewest that
 *  wrap, then the shortest first dimension. Shuffled ids are not recognised. O(edges). */
int topomap_grid_find(const topomap_weights *weights, uint32_t ranks, uint32_t dims,
                      topomap_grid *grid);

#endif
