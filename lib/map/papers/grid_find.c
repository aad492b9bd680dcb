/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/papers/papers.h"

enum { DISTANCES = 80 }; /* neighbours of one rank that a pattern of 4 dimensions allows: 3^4 - 1 */

/* How a grid explains a graph: edges between next neighbours, those that differ in more than one
 * dimension, and those that wrap. */
typedef struct fit {
    uint64_t plain, diagonal, wrapped;
} fit;

typedef struct search {
    const topomap_weights *weights;
    uint32_t ranks, dims, distances;
    uint32_t distance[DISTANCES]; /* that one rank has to others, those that divide the ranks */
    topomap_grid best;
    fit best_fit;
    int found;
} search;

static int edge_fits(const topomap_grid *grid, uint32_t u, uint32_t v, fit *fit)
{
    uint32_t differ = 0;
    int wraps = 0;

    for (uint32_t d = 0; d < grid->dims; d++) {
        uint32_t size = grid->dim[d], a = u % size, b = v % size, gap = a < b ? b - a : a - b;

        if (gap > 1 && gap + 1 != size)
            return 0;
        differ += gap != 0;
        wraps |= gap > 1;
        u /= size;
        v /= size;
    }
    fit->diagonal += differ > 1;
    fit->wrapped += (uint64_t)wraps;
    fit->plain += differ == 1 && !wraps;
    return 1;
}

/* Small grids with diagonals and wraparound explain anything (2x2x2: any 8 ranks), so at least
 * half of the edges between next neighbours must be there. Both count each edge twice. */
static int is_covered(const topomap_grid *grid, uint32_t ranks, const fit *fit)
{
    uint64_t edges = 0;

    for (uint32_t d = 0; d < grid->dims; d++)
        edges += 2 * (uint64_t)(ranks / grid->dim[d]) * (grid->dim[d] - 1);
    return 2 * fit->plain >= edges;
}

static void try_grid(search *s, const topomap_grid *grid)
{
    const topomap_weights *w = s->weights;
    fit got = {0, 0, 0};

    for (uint32_t u = 0; u < s->ranks; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (!edge_fits(grid, u, w->target[e], &got))
                return;
    if (!is_covered(grid, s->ranks, &got))
        return;
    if (s->found && (got.diagonal > s->best_fit.diagonal ||
                     (got.diagonal == s->best_fit.diagonal && got.wrapped >= s->best_fit.wrapped)))
        return;
    s->best = *grid;
    s->best_fit = got;
    s->found = 1;
}

/* Extends the grid by every size that leads to the next stride. */
static void extend(search *s, topomap_grid grid, uint32_t stride)
{
    if (grid.dims + 1 == s->dims) {
        grid.dim[grid.dims++] = s->ranks / stride;
        try_grid(s, &grid);
        return;
    }
    for (uint32_t i = 0; i < s->distances; i++) {
        uint32_t next = s->distance[i];
        topomap_grid longer = grid;

        if (next <= stride || next % stride != 0 || next == s->ranks)
            continue;
        longer.dim[longer.dims++] = next / stride;
        extend(s, longer, next);
    }
}

/* The distances of the rank with the most neighbours: a candidate for each stride is among them,
 * in ascending order. */
static int collect(search *s)
{
    const topomap_weights *w = s->weights;
    uint32_t center = 0, most = 1;

    for (uint32_t d = 0; d < s->dims; d++)
        most *= 3;
    for (uint32_t u = 0; u < s->ranks; u++) {
        uint64_t degree = w->offset[u + 1] - w->offset[u];

        if (degree > most - 1)
            return 0;
        if (degree > w->offset[center + 1] - w->offset[center])
            center = u;
    }
    s->distances = 0;
    for (uint64_t e = w->offset[center]; e < w->offset[center + 1]; e++) {
        uint32_t v = w->target[e], gap = v < center ? center - v : v - center, i = s->distances;

        if (s->ranks % gap != 0 || gap == 1)
            continue;
        while (i > 0 && s->distance[i - 1] >= gap)
            i--;
        if (i < s->distances && s->distance[i] == gap)
            continue;
        for (uint32_t k = s->distances++; k > i; k--)
            s->distance[k] = s->distance[k - 1];
        s->distance[i] = gap;
    }
    return 1;
}

int topomap_grid_find(const topomap_weights *weights, uint32_t ranks, uint32_t dims,
                      topomap_grid *grid)
{
    uint32_t from = dims ? dims : 1, to = dims ? dims : TOPOMAP_GRID_DIMS;

    if (ranks == 0 || to > TOPOMAP_GRID_DIMS || weights->offset[weights->vertices] == 0)
        return 0;
    for (uint32_t k = from; k <= to; k++) {
        search s = {.weights = weights, .ranks = ranks, .dims = k};

        if (collect(&s))
            extend(&s, (topomap_grid){0}, 1);
        if (s.found) {
            *grid = s.best;
            return 1;
        }
    }
    return 0;
}
