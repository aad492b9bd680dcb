/* SPDX-License-Identifier: BSD-3-Clause */
/* Random points and their triangulation. */
#ifndef TOPOMAP_GRAPH_PATTERNS_POINTS_H
#define TOPOMAP_GRAPH_PATTERNS_POINTS_H

#include "graph/patterns/patterns.h"

/** Coordinates are integers below this: products of differences stay exact. */
#define TOPOMAP_POINT_BITS 26

typedef struct topomap_point {
    uint32_t x[3];
    uint32_t id;
} topomap_point;

/** Adds both arcs of every edge of the Delaunay triangulation. \p point is sorted by (x, y), no two
 *  the same, at most 2^26. */
int topomap_delaunay(const topomap_point *point, uint32_t points, uint64_t bytes,
                     topomap_pattern_out *out, topomap_error *err);

#endif
