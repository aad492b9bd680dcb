/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that talk to all others of their group: all-to-all exchanges and transposes. */
#include "graph/patterns.h"

static const topomap_pattern_param alltoall[] = {
    {"n", TOPOMAP_PARAM_COUNT, "N", NULL, "ranks", 0, 0},
    {"group", TOPOMAP_PARAM_COUNT, "N", "", "ranks of a group, consecutive (all are one)", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "from each rank to each other of its group"),
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param fft[] = {
    {"shape", TOPOMAP_PARAM_SHAPE, "PxQ", NULL, "P groups of Q ranks transpose, then Q of P", 2, 2},
    {"order", TOPOMAP_PARAM_WORD, "row|column", "row",
     "row: the Q ranks of a group are consecutive; column: the P are", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "from each rank to each other in the groups of Q"),
    {"second", TOPOMAP_PARAM_COUNT, "N", "", "the same in the groups of P (as bytes= if left out)",
     1, 0x1p62},
    {"volume", TOPOMAP_PARAM_COUNT, "N", "",
     "bytes of the whole array instead: each rank's share goes to its group in equal parts", 1,
     0x1p62},
    {"phases", TOPOMAP_PARAM_FLAG, NULL, "", "the two transposes are one after the other", 0, 0},
    TOPOMAP_PARAM_NONE,
};

/* Ranks first, first + stride, ...: each to each. */
static int add_group(uint64_t first, uint64_t stride, uint64_t size, uint64_t bytes,
                     topomap_pattern_out *out, topomap_error *err)
{
    for (uint64_t i = 0; i < size; i++)
        for (uint64_t j = 0; j < size; j++)
            if (i != j && topomap_arcs_add(&out->arcs, (uint32_t)(first + i * stride),
                                           (uint32_t)(first + j * stride), bytes, 0, err))
                return -1;
    return 0;
}

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
    for (uint64_t u = 0; u < n; u += size)
        if (add_group(u, 1, u + size < n ? size : n - u, bytes, out, err))
            return -1;
    return 0;
}

/* All groups of one transpose: `count` of them, of `size` ranks. */
static int add_transpose(uint64_t count, uint64_t size, int consecutive, uint64_t bytes,
                         topomap_pattern_out *out, topomap_error *err)
{
    for (uint64_t g = 0; g < count; g++)
        if (add_group(consecutive ? g * size : g, consecutive ? 1 : count, size, bytes, out, err))
            return -1;
    return 0;
}

static int make_fft(const topomap_pattern_args *args, topomap_pattern_out *out, topomap_error *err)
{
    uint64_t p = args->dim[0], q = args->dim[1], n = p * q;
    uint64_t bytes = topomap_pattern_number(args, "bytes"), second = bytes, share;
    int row = topomap_pattern_number(args, "order") == 0;
    int phases = topomap_pattern_number(args, "phases") != 0;

    if (topomap_pattern_get(args, "second")->given)
        second = topomap_pattern_number(args, "second");
    if (topomap_pattern_get(args, "volume")->given) {
        share = topomap_pattern_number(args, "volume") / n;
        bytes = share / q ? share / q : 1;
        second = share / p ? share / p : 1;
    }
    if (topomap_pattern_size(out, n, topomap_pattern_times(n, p + q - 2), err))
        return -1;
    if ((phases && topomap_pattern_phase(out, err)) || add_transpose(p, q, row, bytes, out, err) ||
        (phases && topomap_pattern_phase(out, err)))
        return -1;
    return add_transpose(q, p, !row, second, out, err);
}

const topomap_pattern topomap_patterns_groups[] = {
    {{"alltoall", "all pairs within groups of consecutive ranks"}, alltoall, 1, 0, make_alltoall},
    {{"fft", "pencils of a three-dimensional FFT: transposes within rows and columns"},
     fft,
     1,
     0,
     make_fft},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
