/* SPDX-License-Identifier: BSD-3-Clause */
/* 2-D grids of objects on 2-D grids of processors, as pure geometry: Bhatele (2010). */
#ifndef TOPOMAP_PLANE_H
#define TOPOMAP_PLANE_H

#include "map/papers/grid_find.h"
#include "map/papers/mesh.h"

typedef struct topomap_rectangle {
    uint32_t x, y; /* sizes */
} topomap_rectangle;

/** Where object (i % objects.x, i / objects.x) goes: at[2 * i] and at[2 * i + 1], inside
 *  \p processors. No two objects meet where there are at most as many as processors. */
typedef int (*topomap_plane_heuristic)(topomap_rectangle objects, topomap_rectangle processors,
                                       uint32_t *at, topomap_error *err);
int topomap_plane_overlap(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                          topomap_error *err);
int topomap_plane_aligned(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                          topomap_error *err);
int topomap_plane_affine(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                         topomap_error *err);
int topomap_plane_coce(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                       topomap_error *err);
int topomap_plane_exco(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                       topomap_error *err);

/** The tile of a node in the plane, tile.x * tile.y >= \p depth: the divisors of depth that bring
 *  the processors' shape nearest to the objects'. */
topomap_rectangle topomap_plane_tile(topomap_rectangle objects, topomap_rectangle nodes,
                                     uint32_t depth);

/** Fails with TOPOMAP_EUSAGE where the graph is no 2-D grid or the machine has more than
 *  \p axes dimensions (\p name is the algorithm's). */
int topomap_plane_require(const topomap_mesh *mesh, const char *name, uint32_t axes,
                          topomap_rectangle *objects, topomap_error *err);

#endif
