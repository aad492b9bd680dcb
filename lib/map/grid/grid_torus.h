/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to lay a grid of boxes of ranks, one a node, on a torus or mesh. */
#ifndef TOPOMAP_GRID_TORUS_H
#define TOPOMAP_GRID_TORUS_H

#include "map/grid/coarse_grid.h"

/** Foldings of the items onto all nodes of a torus or mesh: each dimension of the grid runs through
 *  one or several dimensions of the machine, back and forth. Returns how many were found, at most
 *  \p most, the cheapest first; -1 on failure. \p node [most * items] the node of each item. */
int topomap_fold(const topomap_coarse *coarse, const topomap_machine *machine, uint32_t *node,
                 int most, topomap_error *err);

/** Halves the nodes by coordinates and the items by theirs, to the same sizes, each pair of halves
 *  turned towards what lies around it.
 *  \param nodes  [count] those to use; they are reordered
 *  \param items_of  [nodes of the machine] items that each takes; their sum over \p nodes is the
 *                   number of items
 *  \param node  [items] the node of each item
 *  \param doubt  0; or by what share a way to halve may look worse than it is, at random */
int topomap_halve_torus(topomap_coarse *coarse, const topomap_machine *machine, uint32_t *nodes,
                        uint32_t count, const uint32_t *items_of, double doubt,
                        topomap_random *random, uint32_t *node, topomap_error *err);

#endif
