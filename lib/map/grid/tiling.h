/* SPDX-License-Identifier: BSD-3-Clause */
/* Cutting a recognised grid (or product of lines and groups) into boxes for the groups of a
 * hierarchy, at the least cost: straight cuts from side to side, all of them tried. Every nested
 * tiling with equal boxes is among them. */
#ifndef TOPOMAP_TILING_H
#define TOPOMAP_TILING_H

#include "graph/recognise/lattice.h"
#include "map/problem.h"

/** The problem's pattern, found once and kept: that of the whole graph, else of its heavy pairs
 *  (graph/recognise/heavy_edges.h), where nearly all ranks have a place in it. EUSAGE, with the
 * algorithm's name, where there is none. The lattice is lent. */
int topomap_problem_lattice(topomap_problem *problem, const char *algorithm,
                            const topomap_lattice **lattice, topomap_error *err);

/** What edges weigh, on average, by the dimensions in which their ends differ. */
typedef struct topomap_grid_weights {
    double along[TOPOMAP_LATTICE_DIMS];
    double across[16]; /* by set of dimensions, of more than one; diagonals only */
    int even;          /* nonzero: all edges of one kind weigh the same */
} topomap_grid_weights;

/** A hierarchy of equal groups: group[0] is 1 slot, group[levels] all of them; two slots whose
 *  smallest common group is of level l cost cost[l]. */
typedef struct topomap_tiling_levels {
    uint32_t levels;
    uint32_t group[2 * TOPOMAP_MACHINE_LEVELS + 1];
    double cost[2 * TOPOMAP_MACHINE_LEVELS + 1];
} topomap_tiling_levels;

typedef struct topomap_tiling {
    const topomap_lattice *lattice;
    topomap_tiling_levels levels;
    topomap_grid_weights weights;
    struct topomap_cut *table; /* boxes whose best cut is known */
    size_t capacity, count, most;
} topomap_tiling;

int topomap_tiling_open(topomap_tiling *tiling, const topomap_problem *problem,
                        const topomap_lattice *lattice, const topomap_tiling_levels *levels,
                        topomap_error *err);
void topomap_tiling_close(topomap_tiling *tiling);

/** Least cost of all edges inside a box of \p size, whose volume is a multiple or a divisor of
 *  the groups'; INFINITY where no straight cuts divide it. */
int topomap_tiling_cost(topomap_tiling *tiling, const uint32_t *size, double *cost,
                        topomap_error *err);
/** Sum of weights of the edges inside a box. */
double topomap_tiling_inside(const topomap_tiling *tiling, const uint32_t *size);
/** The most that a box of \p cells cells has inside, whether such boxes tile the grid or not; one
 *  of its sides need not be whole. */
double topomap_tiling_most_inside(const topomap_tiling *tiling, uint32_t cells);
/** Gives the cells of the box at \p corner the places \p first and on, by the cuts of
 *  topomap_tiling_cost(), which was finite. \p place [cells] */
int topomap_tiling_lay(topomap_tiling *tiling, const uint32_t *corner, const uint32_t *size,
                       uint32_t first, uint32_t *place, topomap_error *err);

/** A box shape with the volume of a group that tiles the whole grid, and what it would cost. */
typedef struct topomap_tile {
    uint32_t size[TOPOMAP_LATTICE_DIMS];
    double cost;
} topomap_tile;
/** The \p most best shapes for groups of level \p level, the best first: cost inside, and \p
 *  outside a unit of weight between them. Returns how many, or -1. */
int topomap_tiling_shapes(topomap_tiling *tiling, uint32_t level, double outside,
                          topomap_tile *tile, int most, topomap_error *err);

#endif
