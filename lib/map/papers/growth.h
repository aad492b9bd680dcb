/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ways of growing a placement over a mesh, from whatever is placed already. */
#ifndef TOPOMAP_GROWTH_H
#define TOPOMAP_GROWTH_H

#include "map/papers/mesh.h"

/** Breadth-first: each neighbour of a placed rank goes near it, in the direction in which it lies
 *  (\p position as of topomap_embedding_make(), or NULL: just near it). A part of the graph that
 *  nothing leads to begins with its lowest rank, at its position or in the first corner.
 *  \param seed [seeds] placed ranks, in the order in which they take turns */
int topomap_growth_breadth(topomap_mesh *mesh, const uint32_t *seed, uint32_t seeds,
                           const double *position, topomap_error *err);

/** Always the rank with the most placed neighbours next, ties to the lowest, near their centroid
 *  (MHT). \p between: near the box of the two placed neighbours that it talks to most (brick).
 *  A part of the graph that nothing leads to begins with its rank of most neighbours, in the
 *  middle of the machine. */
int topomap_growth_heap(topomap_mesh *mesh, int between, topomap_error *err);

#endif
