/* SPDX-License-Identifier: BSD-3-Clause */
/* Published heuristics, and what they share. */
#pragma once

#include "graph/graph.h"
#include "machine/machine.h"
#include "map/problem.h"
#include "util/alloc.h"

/* ---- cells --------------------------------------------------------------------- */
/* The free slots of a mesh or torus, in a k-d tree of its nodes: findNext of Bhatele's heuristics.
 * A spiral outwards looks at every taken place on its way and is quadratic when the mesh fills;
 * here subtrees without a free slot are skipped whole. */

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

/* ---- mesh ---------------------------------------------------------------------- */
/* What Bhatele's heuristics share: the processors seen as a box with the dimensions that matter,
 * and objects put near a wanted place. */

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

/* ---- embedding ----------------------------------------------------------------- */

/** Where the ranks lie in space: position[rank * mesh->axes + axis], from 0 to 1, the objects'
 *  bounding box stretched over the processors' (Bhatele, AFFN). A grid of as many dimensions as
 *  the allocation gives its own coordinates. Any other graph is laid out: hop distances from a few
 *  pivots, reduced to their principal axes, the longest along the longest of the machine (Brandes
 *  and Pich, "Eigensolver methods for progressive multidimensional scaling of large data", 2006).
 *  Deterministic; O(edges) a pivot. Coordinates that are given (the algorithm's parameter) are
 * taken instead. \param position [ranks * axes] */
int topomap_embedding_make(const topomap_mesh *mesh, double *position, topomap_error *err);

/* ---- grid find ----------------------------------------------------------------- */

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

/* ---- growth -------------------------------------------------------------------- */
/* Two ways of growing a placement over a mesh, from whatever is placed already. */

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

/* ---- plane --------------------------------------------------------------------- */
/* 2-D grids of objects on 2-D grids of processors, as pure geometry: Bhatele (2010). */

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
