/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees and butterflies of collective operations, masters with workers, wavefronts. */
#include "graph/patterns/patterns.h"

static const topomap_pattern_param tree[] = {
    TOPOMAP_PARAM_RANKS("ranks"),
    {"kind", TOPOMAP_PARAM_WORD, "binomial|kary", "",
     "binomial: a rank's parent has its lowest one bit cleared (k-ary where k is given)", 0, 0},
    {"k", TOPOMAP_PARAM_COUNT, "N", "2", "children of a k-ary tree's inner rank", 1, 0x1p31},
    {"direction", TOPOMAP_PARAM_WORD, "both|down|up", "both", "broadcast, reduce, or both", 0, 0},
    {"carry", TOPOMAP_PARAM_WORD, "same|below", "same",
     "same: bytes on every edge; below: bytes for each rank below it (scatter, gather)", 0, 0},
    {"root", TOPOMAP_PARAM_COUNT, "RANK", "0", "all ranks are counted from it", 0, 0x1p31},
    TOPOMAP_PARAM_BYTES("64", "over an edge"),
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param butterfly[] = {
    TOPOMAP_PARAM_RANKS("ranks"),
    {"kind", TOPOMAP_PARAM_WORD, "doubling|halving|dissemination", "doubling",
     "recursive doubling; halving and doubling (each step half the bytes); each rank to the one "
     "2^k on",
     0, 0},
    TOPOMAP_PARAM_BYTES("64", "each way in the first step"),
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param master[] = {
    TOPOMAP_PARAM_RANKS("ranks"),
    {"masters", TOPOMAP_PARAM_COUNT, "N", "1",
     "the first ranks; each has an equal, consecutive share of the others, the first has the "
     "masters",
     0, 0},
    TOPOMAP_PARAM_BYTES("64", "to a worker"),
    {"back", TOPOMAP_PARAM_COUNT, "N", "", "from a worker (as bytes= if left out)", 1, 0x1p62},
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param sweep[] = {
    {"shape", TOPOMAP_PARAM_SHAPE, "PxQ", NULL, "ranks in each dimension", 2, 2},
    {"sweeps", TOPOMAP_PARAM_WORD, "1|2|4|8", "8",
     "wavefronts: from one corner, from it and back, from all corners, from all in both "
     "directions of the third dimension",
     0, 0},
    TOPOMAP_PARAM_ORDER,
    TOPOMAP_PARAM_BYTES("64", "to the next rank in each direction, for each wavefront"),
    TOPOMAP_PARAM_NONE,
};

/* ---- Trees ---------------------------------------------------------------------------------- */

static uint64_t parent_of(uint64_t r, uint64_t k)
{
    return k ? (r - 1) / k : r & (r - 1); /* k 0: binomial */
}

static int add_branch(const topomap_pattern_args *args, uint64_t up, uint64_t down, uint64_t bytes,
                      topomap_pattern_out *out)
{
    uint64_t direction = topomap_pattern_number(args, "direction");

    if (direction != 2 && topomap_pattern_arc(out, up, down, bytes))
        return -1;
    return direction != 1 ? topomap_pattern_arc(out, down, up, bytes) : 0;
}

static int make_tree(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    const topomap_pattern_value *kind = topomap_pattern_get(args, "kind");
    int kary = kind->given ? kind->number == 1 : topomap_pattern_get(args, "k")->given;
    uint64_t n = topomap_pattern_number(args, "n"), root = topomap_pattern_number(args, "root");
    uint64_t k = kary ? topomap_pattern_number(args, "k") : 0;
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    int below = topomap_pattern_number(args, "carry") == 1;
    uint32_t *size;

    if (root >= n)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "root=%llu of %llu ranks",
                                 (unsigned long long)root, (unsigned long long)n);
    if (topomap_pattern_size(out, n, 2 * (n - 1)))
        return -1;
    size = topomap_pattern_alloc(out, below ? n : 1, sizeof *size);
    if (!size)
        return -1;
    for (uint64_t r = n - 1; r > 0; r--) { /* children have larger numbers */
        uint64_t up = parent_of(r, k), carried = bytes;

        if (below) {
            size[r]++;
            size[up] += size[r];
            carried = topomap_pattern_times(bytes, size[r]);
        }
        if (add_branch(args, (up + root) % n, (r + root) % n, carried, out))
            return -1;
    }
    return 0;
}

/* ---- Butterflies ---------------------------------------------------------------------------- */

static int make_dissemination(uint64_t n, uint64_t bytes, topomap_pattern_out *out)
{
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t step = 1; step < n; step *= 2)
            if (topomap_pattern_arc(out, r, (r + step) % n, bytes))
                return -1;
    return 0;
}

/* Where the ranks are no power of two, the first ones go together in pairs, of which the odd one
 * takes part, and gives the even one the result: Thakur, Rabenseifner, Gropp, "Optimization of
 * collective communication operations in MPICH", 2005, section 4.4. */
static int make_butterfly(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n"), kind = topomap_pattern_number(args, "kind");
    uint64_t bytes = topomap_pattern_number(args, "bytes"), power = 1, rest;
    int steps = 1;

    for (; 2 * power <= n; power *= 2)
        steps++;
    rest = n - power;
    if (topomap_pattern_size(out, n, n * (uint64_t)steps))
        return -1;
    if (kind == 2)
        return make_dissemination(n, bytes, out);
    for (uint64_t r = 0; r < 2 * rest; r += 2)
        if (topomap_pattern_pair(out, r, r + 1, bytes))
            return -1;
    for (uint64_t a = 0; a < power; a++)
        for (uint64_t step = 1; step < power; step *= 2) {
            uint64_t b = a ^ step, part = kind == 1 ? bytes / step : bytes;

            if (a < b && topomap_pattern_pair(out, a < rest ? 2 * a + 1 : a + rest,
                                              b < rest ? 2 * b + 1 : b + rest, part + !part))
                return -1;
        }
    return 0;
}

/* ---- Masters -------------------------------------------------------------------------------- */

static int make_master(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n"),
             masters = topomap_pattern_number(args, "masters");
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    uint64_t back = topomap_pattern_number_or(args, "back", bytes);

    if (masters > n)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "%llu masters among %llu ranks",
                                 (unsigned long long)masters, (unsigned long long)n);
    if (topomap_pattern_size(out, n, 2 * (n - 1)))
        return -1;
    for (uint64_t r = 1; r < n; r++) {
        uint64_t of = r < masters ? 0 : (r - masters) * masters / (n - masters);

        if (topomap_pattern_arc(out, of, r, bytes) || topomap_pattern_arc(out, r, of, back))
            return -1;
    }
    return 0;
}

/* ---- Wavefronts ----------------------------------------------------------------------------- */

/* Koch, Baker, Alcouffe's sweeps: two of the third dimension's directions, four corners. */
static int make_sweep(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    static const uint64_t up[] = {1, 1, 2, 4}, down[] = {0, 1, 2, 4}; /* wavefronts each way */
    uint64_t sweeps = topomap_pattern_number(args, "sweeps");
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    int row = topomap_pattern_number(args, "order") == 1;
    uint64_t stride[2] = {row ? args->dim[1] : 1, row ? 1 : args->dim[0]};
    uint64_t n = args->dim[0] * args->dim[1];

    if (topomap_pattern_size(out, n, topomap_pattern_times(n, 4)))
        return -1;
    for (uint64_t y = 0; y < args->dim[1]; y++)
        for (uint64_t x = 0; x < args->dim[0]; x++) {
            uint64_t at[2] = {x, y}, r = x * stride[0] + y * stride[1];

            for (int k = 0; k < 2; k++) {
                uint64_t to = r + stride[k];

                if (at[k] + 1 == args->dim[k])
                    continue;
                if (topomap_pattern_arc(out, r, to, topomap_pattern_times(bytes, up[sweeps])) ||
                    (down[sweeps] &&
                     topomap_pattern_arc(out, to, r, topomap_pattern_times(bytes, down[sweeps]))))
                    return -1;
            }
        }
    return 0;
}

const topomap_pattern topomap_patterns_trees[] = {
    {{"tree", "a broadcast or reduction tree, binomial or k-ary"}, tree, 1, 0, make_tree},
    {{"butterfly", "an all-reduce: partners whose numbers differ in one bit"},
     butterfly,
     1,
     0,
     make_butterfly},
    {{"master", "a master and its workers"}, master, 1, 0, make_master},
    {{"sweep", "wavefronts over a grid (Sn transport)"}, sweep, 1, 0, make_sweep},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
