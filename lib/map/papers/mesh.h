/* SPDX-License-Identifier: BSD-3-Clause */
/* What Bhatele's heuristics share: the processors seen as a box with the dimensions that matter,
 * and objects put near a wanted place. */
#ifndef TOPOMAP_MESH_H
#define TOPOMAP_MESH_H

#include "map/papers/cells.h"
#include "map/problem.h"

typedef struct topomap_mesh {
    topomap_problem *problem;
    topomap_cells cells;
    uint32_t axes;                         /* dimensions in which the allocation has an extent */
    uint32_t axis[TOPOMAP_MACHINE_DIMS];   /* [axes] which of the machine's */
    uint32_t low[TOPOMAP_MACHINE_DIMS];    /* [axes] of the box around the nodes that have slots */
    uint32_t extent[TOPOMAP_MACHINE_DIMS]; /* [axes] at least 2 */
    uint32_t depth;                        /* most slots at one place of the machine */
    uint32_t *slot_of;                     /* [vertices], UINT32_MAX: not placed */
} topomap_mesh;

/** All ranks unplaced, all slots free. */
int topomap_mesh_init(topomap_mesh *mesh, topomap_problem *problem, uint32_t *slot_of,
                      topomap_error *err);
void topomap_mesh_clear(topomap_mesh *mesh);

/** Puts a rank as near as possible to a place of the box: \p at [axes], below the extents. */
void topomap_mesh_put(topomap_mesh *mesh, uint32_t rank, const uint32_t *at);
/** A place of the box, from 0 to 1 in each dimension ([axes]). */
void topomap_mesh_put_part(topomap_mesh *mesh, uint32_t rank, const double *part);
/** Puts a rank near the machine's coordinates \p coord ([dims]). */
void topomap_mesh_put_near(topomap_mesh *mesh, uint32_t rank, const uint32_t *coord);
/** The machine's coordinates ([dims]) of a rank that is placed. */
void topomap_mesh_where(const topomap_mesh *mesh, uint32_t rank, uint32_t *coord);
/** The centroid ([dims]) of the placed neighbours of a rank, the shorter way round where a
 *  dimension wraps; returns how many neighbours are placed. */
uint32_t topomap_mesh_centroid(const topomap_mesh *mesh, uint32_t rank, uint32_t *coord);
/** The middle of the box, as the machine's coordinates ([dims]). */
void topomap_mesh_middle(const topomap_mesh *mesh, uint32_t *coord);
/** Forgets all placements. */
int topomap_mesh_restart(topomap_mesh *mesh, topomap_error *err);

#endif
