/* SPDX-License-Identifier: BSD-3-Clause */
/* Stencils, tori, rings and chains: ranks on a grid of up to four dimensions. */
#include "graph/patterns.h"

#include <string.h>

#define MOST_OFFSETS 26 /* of a 27-point stencil */

struct offset {
    int step[TOPOMAP_PATTERN_DIMS];
    uint64_t bytes;
};

struct grid {
    const topomap_pattern_args *args;
    uint64_t stride[TOPOMAP_PATTERN_DIMS];
    struct offset offset[MOST_OFFSETS];
    int offsets;
};

struct arc {
    uint32_t to;
    uint64_t bytes;
};

/* A block of 8 points a side sends 8x8 of them over a face, 8 over an edge, 1 over a corner: each
 * further dimension that two neighbours differ in divides by 8. At least one byte. */
static uint64_t bytes_across(uint64_t bytes, int differ)
{
    for (int k = 1; k < differ; k++)
        bytes /= 8;
    return bytes ? bytes : 1;
}

static void offsets_fill(struct grid *grid)
{
    int dims = grid->args->dims, total = 1;
    int most = grid->args->points == 9 || grid->args->points == 27 ? dims : 1;

    for (int k = 0; k < dims; k++)
        total *= 3;
    for (int code = 0; code < total; code++) {
        struct offset *offset = &grid->offset[grid->offsets];
        int rest = code, differ = 0;

        memset(offset, 0, sizeof *offset);
        for (int k = 0; k < dims; k++, rest /= 3) {
            offset->step[k] = rest % 3 - 1;
            differ += offset->step[k] != 0;
        }
        if (differ < 1 || differ > most)
            continue;
        offset->bytes = bytes_across(grid->args->bytes, differ);
        if (++grid->offsets == MOST_OFFSETS)
            break;
    }
}

/* The neighbour of the rank at `at`, or -1 where the grid ends there. */
static int64_t neighbour(const struct grid *grid, const uint64_t *at, const struct offset *offset)
{
    uint64_t rank = 0;

    for (int k = 0; k < grid->args->dims; k++) {
        uint64_t size = grid->args->dim[k];
        uint64_t place = at[k] + (uint64_t)(int64_t)offset->step[k];

        if (place >= size) { /* one step below 0 is the largest number */
            if (!(grid->args->wrap >> k & 1))
                return -1;
            place = offset->step[k] < 0 ? size - 1 : 0;
        }
        rank += place * grid->stride[k];
    }
    return (int64_t)rank;
}

/* Where a periodic dimension has two ranks, both ways lead to the same neighbour, and both
 * messages count. Where it has one, a rank talks to itself, which costs nothing. */
static int add_rank(const struct grid *grid, uint64_t rank, const uint64_t *at, topomap_arcs *arcs,
                    topomap_error *err)
{
    struct arc row[MOST_OFFSETS];
    int count = 0;

    for (int i = 0; i < grid->offsets; i++) {
        int64_t to = neighbour(grid, at, &grid->offset[i]);
        int place = count;

        if (to < 0 || (uint64_t)to == rank)
            continue;
        for (; place && row[place - 1].to > to; place--)
            row[place] = row[place - 1];
        row[place] = (struct arc){(uint32_t)to, grid->offset[i].bytes};
        count++;
    }
    for (int i = 0; i < count; i++)
        if (topomap_arcs_add(arcs, (uint32_t)rank, row[i].to, row[i].bytes, 0, err))
            return -1;
    return 0;
}

static int grid_new(struct grid *grid, topomap_pattern_args *args, topomap_error *err)
{
    int dims = args->dims;

    memset(grid, 0, sizeof *grid);
    grid->args = args;
    args->ranks = 1;
    for (int i = 0; i < dims; i++) {
        int k = args->last_fastest ? dims - 1 - i : i;

        grid->stride[k] = args->ranks;
        args->ranks *= args->dim[k]; /* both factors are at most 2^31 */
        if (args->ranks > TOPOMAP_GRAPH_RANKS)
            return topomap_error_set(err, TOPOMAP_EUSAGE, "more than 2^31 ranks");
    }
    offsets_fill(grid);
    if (args->ranks * (uint64_t)grid->offsets > TOPOMAP_PATTERN_ARCS)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "more than 2^31 arcs (%llu ranks with up to %d "
                                 "neighbours)",
                                 (unsigned long long)args->ranks, grid->offsets);
    return 0;
}

int topomap_pattern_grid(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err)
{
    uint64_t at[TOPOMAP_PATTERN_DIMS] = {0};
    struct grid grid;

    if (grid_new(&grid, args, err) ||
        topomap_arcs_reserve(arcs, args->ranks * (size_t)grid.offsets, err))
        return -1;
    for (uint64_t rank = 0; rank < args->ranks; rank++) {
        if (add_rank(&grid, rank, at, arcs, err))
            return -1;
        for (int i = 0; i < args->dims; i++) { /* the next place, as an odometer turns */
            int k = args->last_fastest ? args->dims - 1 - i : i;

            if (++at[k] < args->dim[k])
                break;
            at[k] = 0;
        }
    }
    return 0;
}
