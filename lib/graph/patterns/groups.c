/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that talk to all others of their group. */
#include "graph/patterns.h"

static const topomap_pattern_param alltoall[] = {
    {"n", TOPOMAP_PARAM_COUNT, "N", NULL, "ranks", 0, 0},
    {"group", TOPOMAP_PARAM_COUNT, "N", "", "ranks of a group, consecutive (all are one)", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "from each rank to each other of its group"),
    TOPOMAP_PARAM_NONE,
};

/* The last group is smaller where the groups do not come out even. */
static int make_alltoall(const topomap_pattern_args *args, topomap_pattern_out *out,
                         topomap_error *err)
{
    uint64_t n = topomap_pattern_number(args, "n"), size = topomap_pattern_number(args, "group");
    uint64_t bytes = topomap_pattern_number(args, "bytes");

    size = size ? size : n;
    if (size > n)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a group of %llu is larger than n=%llu",
                                 (unsigned long long)size, (unsigned long long)n);
    if (topomap_pattern_size(out, n, n * (size - 1), err)) /* both are at most 2^31 */
        return -1;
    for (uint64_t u = 0; u < n; u++) {
        uint64_t begin = u / size * size, end = begin + size < n ? begin + size : n;

        for (uint64_t v = begin; v < end; v++)
            if (v != u && topomap_arcs_add(&out->arcs, (uint32_t)u, (uint32_t)v, bytes, 0, err))
                return -1;
    }
    return 0;
}

const topomap_pattern topomap_patterns_groups[] = {
    {{"alltoall", "all pairs within groups of consecutive ranks"}, alltoall, 1, 0, make_alltoall},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
