/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordering, cutting and dividing ranges of a coarse grid's items. An item's number has its
 * coordinates as digits, the last dimension's the most significant, so that a range whose items are
 * known ascending is in the order of any dimension after one stable pass; and where such an order
 * is cut, only items beside the cut have neighbours across it. */
#define _GNU_SOURCE /* qsort_r */
#include "map/grid/grid.h"
#include "util/sorted.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 1024, SHORT = 12 };

void topomap_coarse_begin(topomap_coarse *c)
{
    memset(c->region, 0, c->items * sizeof *c->region);
    for (uint32_t i = 0; i < c->items; i++)
        c->item[i] = c->plain[i] = i;
}

/* ---- Ordering ---------------------------------------------------------------------------- */

static void insert_all(const uint32_t *at, const uint32_t *from, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = from[i], k = i;

        for (; k > 0 && at[to[k - 1]] > at[item]; k--)
            to[k] = to[k - 1];
        to[k] = item;
    }
}

static void count_all(const uint32_t *at, uint32_t size, const uint32_t *from, uint32_t count,
                      uint32_t *to)
{
    uint32_t bin[BINS + 1];

    memset(bin, 0, (size + (size_t)1) * sizeof *bin);
    for (uint32_t i = 0; i < count; i++)
        bin[at[from[i]] + 1]++;
    for (uint32_t x = 0; x < size; x++)
        bin[x + 1] += bin[x];
    for (uint32_t i = 0; i < count; i++)
        to[bin[at[from[i]]]++] = from[i];
}

TOPOMAP_COMPARE_BY(by_coordinate, const uint32_t *at, TOPOMAP_ORDER(at[x], at[y]))

void topomap_coarse_order(topomap_coarse *c, uint32_t lo, uint32_t hi, uint32_t dim)
{
    uint32_t *at = c->at + (size_t)dim * c->items, *to = c->item + lo;
    const uint32_t *from = c->plain + lo;

    if (hi - lo > SHORT && dim + 1 < c->dims && c->size[dim] <= BINS) {
        count_all(at, c->size[dim], from, hi - lo, to);
    } else if (hi - lo <= SHORT && dim + 1 < c->dims) {
        insert_all(at, from, hi - lo, to);
    } else {
        memcpy(to, from, (hi - lo) * sizeof *to);
        if (dim + 1 < c->dims)
            qsort_r(to, hi - lo, sizeof *to, by_coordinate, at);
    }
}

/* ---- Cutting ----------------------------------------------------------------------------- */

/* Where an order is cut: items from `first` on, which is at `x` along `dim`, are across. */
typedef struct cutting {
    const topomap_coarse *coarse;
    uint32_t dim, x, first, region;
    uint64_t across[TOPOMAP_LATTICE_DIMS]; /* pairs so far */
    uint64_t found;                        /* beside one item */
} cutting;

static inline int is_across(const cutting *cut, uint32_t item)
{
    uint32_t x = topomap_coarse_at(cut->coarse, item, cut->dim);

    return (x > cut->x || (x == cut->x && item >= cut->first)) &&
           cut->coarse->region[item] == cut->region;
}

static inline void count_across(void *data, uint32_t item, double weight)
{
    cutting *cut = data;

    (void)weight; /* all alike: they are added up at the end */
    cut->found += (uint64_t)is_across(cut, item);
}

/* Counts the item's neighbours along one dimension that are across. */
static void look_along(cutting *cut, uint32_t item, uint32_t dim, uint32_t stride)
{
    cut->found = 0;
    topomap_coarse_along(cut->coarse, item, dim, stride, count_across, cut);
    cut->across[dim] += cut->found;
}

/* The first of lo..hi-1, which are in order, at a coordinate of at least x. */
static uint32_t first_at(const cutting *cut, uint32_t lo, uint32_t hi, uint32_t x)
{
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (topomap_coarse_at(cut->coarse, cut->coarse->item[middle], cut->dim) < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Steps along the order's own dimension go to the next coordinate, those of a ring also from the
 * first to the last one, and those of a clique anywhere. */
static void look_forward(cutting *cut, uint32_t lo, uint32_t middle, uint32_t stride)
{
    const topomap_coarse *c = cut->coarse;
    enum topomap_lattice_kind kind = c->lattice->kind[cut->dim];
    uint32_t from = lo, wrapped = lo;

    if (kind == TOPOMAP_LATTICE_PATH || kind == TOPOMAP_LATTICE_RING) {
        from = cut->x ? first_at(cut, lo, middle, cut->x - 1) : lo;
        wrapped = kind == TOPOMAP_LATTICE_RING ? first_at(cut, lo, from, 1) : lo;
    }
    for (uint32_t i = lo; i < wrapped; i++)
        look_along(cut, c->item[i], cut->dim, stride);
    for (uint32_t i = from; i < middle; i++)
        look_along(cut, c->item[i], cut->dim, stride);
}

double topomap_coarse_cut(const topomap_coarse *c, uint32_t lo, uint32_t middle, uint32_t dim)
{
    uint32_t first = c->item[middle];
    cutting cut = {.coarse = c,
                   .dim = dim,
                   .x = topomap_coarse_at(c, first, dim),
                   .first = first,
                   .region = c->region[first]};
    uint32_t same = first_at(&cut, lo, middle, cut.x);
    double weight = 0;

    for (uint32_t k = 0, stride = 1; k < c->dims; stride *= c->size[k++])
        if (k == dim)
            look_forward(&cut, lo, middle, stride);
        else
            for (uint32_t i = same; i < middle; i++)
                look_along(&cut, c->item[i], k, stride);
    for (uint32_t k = 0; k < c->dims; k++)
        weight += (double)cut.across[k] * c->face[k];
    return weight;
}

/* ---- Dividing ---------------------------------------------------------------------------- */

void topomap_coarse_divide(topomap_coarse *c, uint32_t lo, uint32_t middle, uint32_t hi,
                           uint32_t region)
{
    uint32_t kept = lo, moved = 0;

    for (uint32_t i = middle; i < hi; i++)
        c->region[c->item[i]] = region;
    for (uint32_t i = lo; i < hi; i++)
        if (c->region[c->plain[i]] == region)
            c->scratch[moved++] = c->plain[i];
        else
            c->plain[kept++] = c->plain[i];
    memcpy(c->plain + kept, c->scratch, moved * sizeof *c->plain);
}
