/* SPDX-License-Identifier: BSD-3-Clause */
/* Stencils, tori, meshes, rings and chains: ranks on a grid of any dimension. */
#include <stdlib.h>
#include <string.h>

#include "graph/patterns/patterns.h"

#define SIDE_HELP "bytes to each neighbour; by direction: x:64,y:32, or x+:64,x-:8"
#define BYTES                                                                                      \
    {                                                                                              \
        "bytes", TOPOMAP_PARAM_SIDES, "N|x:N,...", "64", SIDE_HELP, 0, 0                           \
    }
#define WRAP                                                                                       \
    {"periodic", TOPOMAP_PARAM_FLAG, NULL, "", "all dimensions wrap around", 0, 0},                \
    {                                                                                              \
        "wrap", TOPOMAP_PARAM_WRAP, "LETTERS", "", "these dimensions wrap around", 0, 0            \
    }
#define SIDE                                                                                       \
    {                                                                                              \
        "side", TOPOMAP_PARAM_COUNT, "N", "8",                                                     \
            "points a side of a rank's block: each further dimension that two neighbours differ "  \
            "in divides the bytes by it",                                                          \
            1, 0x1p31                                                                              \
    }
#define POINTS_HELP                                                                                \
    "neighbours and the point itself: 2k+1 (those next to it in one of k dimensions) to 3^k (all)"

#define STENCIL(points)                                                                            \
    {                                                                                              \
        {"points", TOPOMAP_PARAM_COUNT, points, NULL, POINTS_HELP, 3, 6561},                       \
            {"shape", TOPOMAP_PARAM_SHAPE, "AxBx...", NULL, "ranks in each dimension", 1, 8},      \
            WRAP, TOPOMAP_PARAM_ORDER, BYTES, SIDE, TOPOMAP_PARAM_NONE                             \
    }
static const topomap_pattern_param stencil[] = STENCIL("POINTS"), stencil2d[] = STENCIL("5|9"),
                                   stencil3d[] = STENCIL("7|19|27"),
                                   stencil4d[] = STENCIL("9|33|65|81");
static const topomap_pattern_param torus[] = {
    {"shape", TOPOMAP_PARAM_SHAPE, "AxBx...", NULL, "ranks in each dimension", 1, 8},
    {"points", TOPOMAP_PARAM_COUNT, "N", "", POINTS_HELP, 3, 6561},
    TOPOMAP_PARAM_ORDER,
    BYTES,
    SIDE,
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param line[] = {
    {"n", TOPOMAP_PARAM_SHAPE, "N", NULL, "ranks", 1, 1},
    BYTES,
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param md2d[] = {
    TOPOMAP_PARAM_RANKS("ranks, a square number"),
    TOPOMAP_PARAM_BYTES("64", "bytes to a neighbour across a side"),
    {"corner", TOPOMAP_PARAM_COUNT, "N", "", "bytes across a corner (those of a side if left out)",
     1, 0x1p62},
    TOPOMAP_PARAM_NONE,
};

struct offset {
    int step[TOPOMAP_PATTERN_DIMS];
    int64_t delta; /* of the rank, away from the edges */
    uint64_t bytes;
};

struct grid {
    int dims, last_fastest;
    uint64_t dim[TOPOMAP_PATTERN_DIMS], stride[TOPOMAP_PATTERN_DIMS];
    uint64_t wrap, corner; /* corner: bytes where neighbours differ in more than one dimension */
    struct offset *offset; /* ascending by delta */
    int offsets;
};

/* In how many dimensions neighbours may differ, by the number of points; 0: no such stencil. */
static int most_differing(uint64_t points, int dims)
{
    uint64_t count = 1, ways = 1; /* ways: dims over d, times 2^d */

    for (int d = 1; d <= dims; d++) {
        ways = ways * 2 * (uint64_t)(dims - d + 1) / (uint64_t)d;
        count += ways;
        if (count == points)
            return d;
    }
    return 0;
}

/* A block of 8 points a side sends 8x8 of them over a face, 8 over an edge, 1 over a corner: each
 * further dimension divides by the side. At least one byte. */
static uint64_t bytes_across(const topomap_pattern_args *args, const int *step, uint64_t side)
{
    uint64_t bytes = UINT64_MAX;
    int differ = 0;

    for (int k = 0; k < args->dims; k++)
        if (step[k]) {
            uint64_t face = args->side[k][step[k] > 0];

            bytes = face < bytes ? face : bytes;
            differ++;
        }
    for (int k = 1; k < differ; k++)
        bytes /= side;
    return bytes ? bytes : 1;
}

TOPOMAP_COMPARE(by_delta, struct offset, TOPOMAP_ORDER(x->delta, y->delta), 0)

static int offsets_fill(struct grid *grid, const topomap_pattern_args *args, int most,
                        uint64_t side, topomap_pattern_out *out)
{
    int total = 1;

    for (int k = 0; k < grid->dims; k++)
        total *= 3;
    grid->offset = topomap_pattern_alloc(out, (size_t)total, sizeof *grid->offset);
    if (!grid->offset)
        return -1;
    for (int code = 0; code < total; code++) {
        struct offset *offset = &grid->offset[grid->offsets];
        int rest = code, differ = 0;

        memset(offset, 0, sizeof *offset);
        for (int k = 0; k < grid->dims; k++, rest /= 3) {
            offset->step[k] = rest % 3 - 1;
            offset->delta += offset->step[k] * (int64_t)grid->stride[k];
            differ += offset->step[k] != 0;
        }
        if (differ < 1 || differ > most)
            continue;
        offset->bytes =
            differ > 1 && grid->corner ? grid->corner : bytes_across(args, offset->step, side);
        grid->offsets++;
    }
    qsort(grid->offset, (size_t)grid->offsets, sizeof *grid->offset, by_delta);
    return 0;
}

/* The neighbour of the rank at `at`, or -1 where the grid ends there. */
static int64_t neighbour(const struct grid *grid, const uint64_t *at, const struct offset *offset)
{
    uint64_t rank = 0;

    for (int k = 0; k < grid->dims; k++) {
        uint64_t size = grid->dim[k];
        uint64_t place = at[k] + (uint64_t)(int64_t)offset->step[k];

        if (place >= size) { /* one step below 0 is the largest number */
            if (!(grid->wrap >> k & 1))
                return -1;
            place = offset->step[k] < 0 ? size - 1 : 0;
        }
        rank += place * grid->stride[k];
    }
    return (int64_t)rank;
}

static int is_inside(const struct grid *grid, const uint64_t *at)
{
    for (int k = 0; k < grid->dims; k++)
        if (at[k] == 0 || at[k] + 1 >= grid->dim[k])
            return 0;
    return 1;
}

static int add_inside(const struct grid *grid, uint64_t rank, topomap_pattern_out *out)
{
    for (int i = 0; i < grid->offsets; i++)
        if (topomap_pattern_arc(out, rank, (uint64_t)((int64_t)rank + grid->offset[i].delta),
                                grid->offset[i].bytes))
            return -1;
    return 0;
}

/* Where a periodic dimension has two ranks, both ways lead to the same neighbour, and both
 * messages count. Where it has one, a rank talks to itself, which costs nothing. */
static int add_edge(const struct grid *grid, uint64_t rank, const uint64_t *at,
                    topomap_pattern_out *out)
{
    for (int i = 0; i < grid->offsets; i++) {
        int64_t to = neighbour(grid, at, &grid->offset[i]);

        if (to >= 0 && (uint64_t)to != rank &&
            topomap_pattern_arc(out, rank, (uint64_t)to, grid->offset[i].bytes))
            return -1;
    }
    return 0;
}

static int add_ranks(const struct grid *grid, topomap_pattern_out *out)
{
    uint64_t at[TOPOMAP_PATTERN_DIMS] = {0};

    for (uint64_t rank = 0; rank < out->ranks; rank++) {
        if (is_inside(grid, at) ? add_inside(grid, rank, out) : add_edge(grid, rank, at, out))
            return -1;
        for (int i = 0; i < grid->dims; i++) { /* the next place, as an odometer turns */
            int k = grid->last_fastest ? grid->dims - 1 - i : i;

            if (++at[k] < grid->dim[k])
                break;
            at[k] = 0;
        }
    }
    return 0;
}

/* Makes the arcs of a grid: its shape and its bytes are those of the arguments, all else is as in
 * `base`. Neighbours differ in up to `most` dimensions. */
static int make(const topomap_pattern_args *args, const struct grid *base, int most, uint64_t side,
                topomap_pattern_out *out)
{
    struct grid grid = *base;
    uint64_t ranks = 1;

    grid.dims = args->dims;
    memcpy(grid.dim, args->dim, sizeof grid.dim);
    for (int i = 0; i < grid.dims; i++) {
        int k = grid.last_fastest ? grid.dims - 1 - i : i;

        grid.stride[k] = ranks;
        ranks = topomap_pattern_times(ranks, grid.dim[k]);
    }
    return offsets_fill(&grid, args, most, side, out) ||
                   topomap_pattern_size(out, ranks,
                                        topomap_pattern_times(ranks, (uint64_t)grid.offsets)) ||
                   add_ranks(&grid, out)
               ? -1
               : 0;
}

static uint64_t all_dims(const topomap_pattern_args *args)
{
    return (UINT64_C(1) << args->dims) - 1;
}

static int wrong_points(const topomap_pattern_args *args, topomap_error *err)
{
    int dims = args->dims, box = 1;

    for (int k = 0; k < dims; k++)
        box *= 3;
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "no number of points in %d dimension%s: %llu; %d, %d and what lies "
                             "between them by a dimension are",
                             dims, dims > 1 ? "s" : "",
                             (unsigned long long)topomap_pattern_number(args, "points"),
                             2 * dims + 1, box);
}

static int make_box(const topomap_pattern_args *args, uint64_t wrap, topomap_pattern_out *out)
{
    struct grid grid = {.last_fastest = (int)topomap_pattern_number(args, "order"), .wrap = wrap};
    uint64_t points = topomap_pattern_number(args, "points");
    int most = points ? most_differing(points, args->dims) : 1;

    if (!most)
        return wrong_points(args, out->err);
    return make(args, &grid, most, topomap_pattern_number(args, "side"), out);
}

static int make_stencil(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    int periodic = topomap_pattern_number(args, "periodic") != 0;

    return make_box(args, periodic ? all_dims(args) : topomap_pattern_number(args, "wrap"), out);
}

static int make_torus(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return make_box(args, all_dims(args), out);
}

static int make_mesh(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return make_box(args, 0, out);
}

static int make_ring(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return make(args, &(struct grid){.wrap = 1}, 1, 1, out);
}

static int make_chain(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return make(args, &(struct grid){.wrap = 0}, 1, 1, out);
}

/* The grid of Lindgren's thesis: square, periodic, eight neighbours. */
static int make_md2d(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n"), side = topomap_pattern_root(n);
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    topomap_pattern_args square = *args;
    struct grid grid = {.wrap = 3};

    if (side * side != n)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "%llu is not a square number: %llu or %llu?",
                                 (unsigned long long)n, (unsigned long long)(side * side),
                                 (unsigned long long)((side + 1) * (side + 1)));
    grid.corner = topomap_pattern_number(args, "corner");
    square.dims = 2;
    for (int k = 0; k < 2; k++) {
        square.dim[k] = side;
        square.side[k][0] = square.side[k][1] = bytes;
    }
    return make(&square, &grid, 2, 1, out);
}

const topomap_pattern topomap_patterns_grid[] = {
    {{"stencil2d", "halo exchange on a grid of 5 or 9 points"}, stencil2d, 2, 2, make_stencil},
    {{"stencil3d", "the same in three dimensions: 7, 19 or 27 points"},
     stencil3d,
     2,
     3,
     make_stencil},
    {{"stencil4d", "the same in four dimensions: 9 to 81 points"}, stencil4d, 2, 4, make_stencil},
    {{"stencil", "the same in any number of dimensions up to 8"}, stencil, 2, 0, make_stencil},
    {{"torus2d", "nearest neighbours on a periodic grid"}, torus, 1, 2, make_torus},
    {{"torus3d", "the same in three dimensions"}, torus, 1, 3, make_torus},
    {{"torus4d", "the same in four dimensions (lattice QCD)"}, torus, 1, 4, make_torus},
    {{"torus5d", "the same in five dimensions"}, torus, 1, 5, make_torus},
    {{"torus6d", "the same in six dimensions"}, torus, 1, 6, make_torus},
    {{"torus", "the same in any number of dimensions up to 8"}, torus, 1, 0, make_torus},
    {{"mesh", "nearest neighbours on a grid with edges, up to 8 dimensions"},
     torus,
     1,
     0,
     make_mesh},
    {{"ring", "each rank and the next, the last and the first"}, line, 1, 0, make_ring},
    {{"chain", "each rank and the next"}, line, 1, 0, make_chain},
    {{"md2d", "two-dimensional molecular dynamics: a periodic square grid, 8 neighbours"},
     md2d,
     1,
     0,
     make_md2d},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
