/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian products of paths, rings and complete groups, and copies of them: each rank talks to
 * those that differ from it in one factor. */
#include "graph/patterns/patterns.h"

enum kind { PATH, RING, ALL, COPIES }; /* as the parameters below */

static const topomap_pattern_param product[] = {
    {"path", TOPOMAP_PARAM_FACTOR, "N", "", "neighbours along a line", 0, 0},
    {"ring", TOPOMAP_PARAM_FACTOR, "N", "", "neighbours round a ring", 0, 0},
    {"all", TOPOMAP_PARAM_FACTOR, "N", "", "all others of a group", 0, 0},
    {"copies", TOPOMAP_PARAM_FACTOR, "N", "", "that do not talk to each other", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "to each neighbour"),
    TOPOMAP_PARAM_NONE,
};

static uint64_t degree_of(int kind, uint64_t n)
{
    return kind == ALL ? n - 1 : kind == COPIES ? 0 : 2;
}

/* The i-th neighbour of x in a factor of n; x itself where there is none. */
static uint64_t neighbour(int kind, uint64_t n, uint64_t x, uint64_t i)
{
    if (kind == ALL)
        return (x + 1 + i) % n;
    if (kind == RING)
        return (x + (i ? n - 1 : 1)) % n;
    if (i)
        return x ? x - 1 : x;
    return x + 1 < n ? x + 1 : x;
}

static int add_rank(const topomap_pattern_args *args, uint64_t rank, uint64_t bytes,
                    topomap_pattern_out *out)
{
    uint64_t stride = 1;

    for (int k = 0; k < args->factors; stride *= args->factor[k++].size) {
        int kind = args->factor[k].param;
        uint64_t n = args->factor[k].size, x = rank / stride % n;

        for (uint64_t i = 0; i < degree_of(kind, n); i++) {
            uint64_t y = neighbour(kind, n, x, i);

            if (y != x && topomap_pattern_arc(out, rank, rank + (y - x) * stride, bytes))
                return -1;
        }
    }
    return 0;
}

static int make_product(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t ranks = 1, degree = 0, bytes = topomap_pattern_number(args, "bytes");

    for (int k = 0; k < args->factors; k++) {
        ranks = topomap_pattern_times(ranks, args->factor[k].size);
        degree += degree_of(args->factor[k].param, args->factor[k].size);
    }
    if (!args->factors)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "no factor: path=N, ring=N, all=N, copies=N");
    if (topomap_pattern_size(out, ranks, topomap_pattern_times(ranks, degree)))
        return -1;
    for (uint64_t rank = 0; rank < ranks; rank++)
        if (add_rank(args, rank, bytes, out))
            return -1;
    return 0;
}

const topomap_pattern topomap_patterns_product[] = {
    {{"product", "each rank and those that differ from it in one factor; the first varies fastest"},
     product,
     0,
     0,
     make_product},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
