/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/patterns.h"

/* The last group is smaller where the groups do not come out even. */
int topomap_pattern_alltoall(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err)
{
    uint64_t n = args->ranks, size = args->group ? args->group : n;

    if (size > n)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a group of %llu is larger than n=%llu",
                                 (unsigned long long)size, (unsigned long long)n);
    if (n * (size - 1) > TOPOMAP_PATTERN_ARCS) /* both are at most 2^31 */
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "more than 2^31 arcs (%llu ranks with up to "
                                 "%llu neighbours)",
                                 (unsigned long long)n, (unsigned long long)size - 1);
    if (topomap_arcs_reserve(arcs, n * (size - 1), err))
        return -1;
    for (uint64_t u = 0; u < n; u++) {
        uint64_t begin = u / size * size, end = begin + size < n ? begin + size : n;

        for (uint64_t v = begin; v < end; v++)
            if (v != u && topomap_arcs_add(arcs, (uint32_t)u, (uint32_t)v, args->bytes, 0, err))
                return -1;
    }
    return 0;
}
