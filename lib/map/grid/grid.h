/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of recognised grids. */
#pragma once

#include "graph/recognise/lattice.h"
#include "map/problem.h"
#include "util/alloc.h"

/* ---- tiling -------------------------------------------------------------------- */
/* Cutting a recognised grid (or product of lines and groups) into boxes for the groups of a
 * hierarchy, at the least cost: straight cuts from side to side, all of them tried. Every nested
 * tiling with equal boxes is among them. */

/** The problem's pattern, found once and kept: that of the whole graph, else of its heavy pairs
 *  (graph/recognise/name.h), where nearly all ranks have a place in it. EUSAGE, with the
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

/* ---- coarse grid --------------------------------------------------------------- */
/* A grid of equal boxes of ranks, and regions of it that are halved by coordinates. */

typedef struct topomap_coarse {
    topomap_arena memory;
    const topomap_lattice *lattice;
    uint32_t box[TOPOMAP_LATTICE_DIMS]; /* ranks of one item */
    uint32_t dims, items, size[TOPOMAP_LATTICE_DIMS];
    double face[TOPOMAP_LATTICE_DIMS]; /* weight between two items next to each other */
    uint32_t *item;                    /* [items] in the order of the places they go to */
    uint32_t *region;                  /* [items] by item: which region it is in */
    uint32_t *scratch;                 /* [items] */
    uint32_t *at;    /* [dims * items] coordinates of all items along 0, then along 1, ... */
    uint32_t *plain; /* [items] those of each range that is halved, ascending */
} topomap_coarse;

int topomap_coarse_open(topomap_coarse *coarse, const topomap_tiling *tiling, const uint32_t *box,
                        topomap_error *err);
void topomap_coarse_close(topomap_coarse *coarse);

/** How many coordinates the items at lo..hi-1 have along `dim`. */
uint32_t topomap_coarse_extent(const topomap_coarse *coarse, uint32_t lo, uint32_t hi,
                               uint32_t dim);

static inline uint32_t topomap_coarse_at(const topomap_coarse *coarse, uint32_t item, uint32_t dim)
{
    return coarse->at[(size_t)dim * coarse->items + item];
}

/* A range of items, the region that they are, and dividing it (coarse_cut.c): begin, then for each
 * range as many times as one likes order and cut, then divide. */

/** All items are one range, in order, of region 0. */
void topomap_coarse_begin(topomap_coarse *coarse);
/** Orders the items at lo..hi-1 by coordinate \p dim, then by number. */
void topomap_coarse_order(topomap_coarse *coarse, uint32_t lo, uint32_t hi, uint32_t dim);
/** Weight between lo..middle-1 and middle..hi-1 of a range that is in the order of \p dim. */
double topomap_coarse_cut(const topomap_coarse *coarse, uint32_t lo, uint32_t middle, uint32_t dim);
/** Makes two ranges of one in the order that it is in; the second becomes \p region, a new one. */
void topomap_coarse_divide(topomap_coarse *coarse, uint32_t lo, uint32_t middle, uint32_t hi,
                           uint32_t region);

/** place [cells]: where each cell goes, each item being laid as the tiling lays its box, the item
 *  at position i on places i * volume and on. */
int topomap_coarse_lay(const topomap_coarse *coarse, topomap_tiling *tiling, uint32_t *place,
                       topomap_error *err);

/** The best of several placements. */
typedef struct topomap_kept {
    topomap_problem *problem;
    const topomap_lattice *lattice;
    uint32_t *place; /* [cells] the one to look at: the place of each cell */
    uint32_t *trial; /* [slots] */
    double J;        /* INFINITY before the first */
} topomap_kept;
int topomap_kept_open(topomap_kept *kept, topomap_problem *problem, const topomap_lattice *lattice,
                      topomap_error *err);
void topomap_kept_close(topomap_kept *kept);
/** Puts each cell's rank on slots[place]; vertices without a cell go to the slots that are left.
 *  Copies it to \p slot_of where its J is the least so far. */
void topomap_kept_consider(topomap_kept *kept, const uint32_t *slots, uint32_t *slot_of);

/** Calls \p see with each item next to \p item and the weight between them. */
typedef void (*topomap_coarse_see)(void *data, uint32_t item, double weight);
void topomap_coarse_around(const topomap_coarse *coarse, uint32_t item, topomap_coarse_see see,
                           void *data);

/** Those along one dimension alone, whose items are \p stride apart. */
static inline __attribute__((always_inline)) void
topomap_coarse_along(const topomap_coarse *coarse, uint32_t item, uint32_t dim, uint32_t stride,
                     topomap_coarse_see see, void *data)
{
    const topomap_lattice *l = coarse->lattice;
    uint32_t x = topomap_coarse_at(coarse, item, dim), n = coarse->size[dim];
    uint32_t first = item - x * stride;
    double face = coarse->face[dim];

    switch (l->kind[dim]) {
    case TOPOMAP_LATTICE_CLIQUE:
        for (uint32_t y = 0; y < n; y++)
            if (y != x)
                see(data, first + y * stride, face);
        break;
    case TOPOMAP_LATTICE_COPIES:
        break;
    default:
        if (x + 1 < n)
            see(data, item + stride, face);
        if (x > 0)
            see(data, item - stride, face);
        if (l->kind[dim] == TOPOMAP_LATTICE_RING && n > 1 && l->size[dim] > 2 &&
            (x == 0 || x + 1 == n))
            see(data, first + (x ? 0 : n - 1) * stride, face);
    }
}

/* ---- grid torus ---------------------------------------------------------------- */
/* Ways to lay a grid of boxes of ranks, one a node, on a torus or mesh. */

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
