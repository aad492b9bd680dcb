/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid of equal boxes of ranks, and regions of it that are halved by coordinates. */
#ifndef TOPOMAP_COARSE_GRID_H
#define TOPOMAP_COARSE_GRID_H

#include "map/grid/tiling.h"
#include "util/arena.h"

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

#endif
