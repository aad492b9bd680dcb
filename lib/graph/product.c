/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian products of paths, rings and complete groups, and copies of them: each rank talks to
 * those that differ from it in one factor. */
#include "graph/patterns.h"

static uint64_t degree_of(const topomap_pattern_factor *factor)
{
    return factor->kind == TOPOMAP_FACTOR_ALL      ? factor->size - 1
           : factor->kind == TOPOMAP_FACTOR_COPIES ? 0
                                                   : 2;
}

/* The i-th neighbour of x in a factor; x itself where there is none. */
static uint64_t neighbour(const topomap_pattern_factor *factor, uint64_t x, uint64_t i)
{
    uint64_t n = factor->size;

    if (factor->kind == TOPOMAP_FACTOR_ALL)
        return (x + 1 + i) % n;
    if (factor->kind == TOPOMAP_FACTOR_RING)
        return (x + (i ? n - 1 : 1)) % n;
    if (i)
        return x ? x - 1 : x;
    return x + 1 < n ? x + 1 : x;
}

static int add_rank(const topomap_pattern_args *args, uint32_t rank, topomap_arcs *arcs,
                    topomap_error *err)
{
    uint64_t stride = 1;

    for (int k = 0; k < args->factors; stride *= args->factor[k++].size) {
        const topomap_pattern_factor *factor = &args->factor[k];
        uint64_t x = rank / stride % factor->size;

        for (uint64_t i = 0; i < degree_of(factor); i++) {
            uint64_t y = neighbour(factor, x, i);

            if (y != x && topomap_arcs_add(arcs, rank, (uint32_t)(rank + (y - x) * stride),
                                           args->bytes, 0, err))
                return -1;
        }
    }
    return 0;
}

int topomap_pattern_product(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err)
{
    uint64_t degree = 0;

    args->ranks = 1;
    for (int k = 0; k < args->factors; k++) {
        args->ranks *= args->factor[k].size; /* both at most 2^31 */
        degree += degree_of(&args->factor[k]);
        if (args->ranks > TOPOMAP_GRAPH_RANKS)
            return topomap_error_set(err, TOPOMAP_EUSAGE, "more than 2^31 ranks");
    }
    if (!args->factors)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "no factor");
    if (args->ranks * degree > TOPOMAP_PATTERN_ARCS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "more than 2^31 arcs");
    for (uint64_t rank = 0; rank < args->ranks; rank++)
        if (add_rank(args, (uint32_t)rank, arcs, err))
            return -1;
    return 0;
}
