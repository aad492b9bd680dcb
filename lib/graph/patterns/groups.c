/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks with a collective operation in each: all-to-all exchanges, transposes, and the
 * rows and columns of a process grid. */
#include "graph/patterns/patterns.h"

static const topomap_pattern_param alltoall[] = {
    TOPOMAP_PARAM_RANKS("ranks"),
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

#define LINE_KINDS "none|ring|tree|butterfly|alltoall"
enum kind { NONE, RING, TREE, BUTTERFLY, ALLTOALL };

static const topomap_pattern_param grid[] = {
    {"shape", TOPOMAP_PARAM_SHAPE, "PxQ", NULL, "P rows of Q ranks, as in ScaLAPACK and HPL", 2, 2},
    {"order", TOPOMAP_PARAM_WORD, "row|column", "row",
     "row: the Q ranks of a row are consecutive; column: the P of a column are", 0, 0},
    {"rows", TOPOMAP_PARAM_WORD, LINE_KINDS, "ring", "what the ranks of a row do", 0, 0},
    {"columns", TOPOMAP_PARAM_WORD, LINE_KINDS, "butterfly", "what those of a column do", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "each way between two ranks of a row"),
    {"second", TOPOMAP_PARAM_COUNT, "N", "", "the same in a column (as bytes= if left out)", 1,
     0x1p62},
    {"phases", TOPOMAP_PARAM_FLAG, NULL, "", "rows, then columns", 0, 0},
    TOPOMAP_PARAM_NONE,
};

/* One rank of a group, `i`, with those that its collective joins it to: all in an all-to-all, else
 * those of larger numbers. */
static int add_rank(enum kind kind, uint64_t first, uint64_t stride, uint64_t size, uint64_t i,
                    uint64_t bytes, topomap_pattern_out *out)
{
    uint64_t here = first + i * stride;

    if (kind == RING)
        return topomap_pattern_pair(out, here, first + (i + 1) % size * stride, bytes);
    if (kind == ALLTOALL) {
        for (uint64_t j = 0; j < size; j++)
            if (j != i && topomap_pattern_arc(out, here, first + j * stride, bytes))
                return -1;
        return 0;
    }
    for (uint64_t step = 1; step < size; step *= 2) {
        if (i & step) {
            if (kind == TREE) /* binomial: children differ below the lowest one bit */
                break;
            continue;
        }
        if ((i | step) < size &&
            topomap_pattern_pair(out, here, first + (i | step) * stride, bytes))
            return -1;
    }
    return 0;
}

static int add_line(enum kind kind, uint64_t first, uint64_t stride, uint64_t size, uint64_t bytes,
                    topomap_pattern_out *out)
{
    for (uint64_t i = 0; kind != NONE && size > 1 && i < size; i++)
        if (add_rank(kind, first, stride, size, i, bytes, out))
            return -1;
    return 0;
}

/* All groups of one kind: `count` of them, of `size` ranks. */
static int add_lines(enum kind kind, uint64_t count, uint64_t size, int consecutive, uint64_t bytes,
                     topomap_pattern_out *out)
{
    for (uint64_t g = 0; g < count; g++)
        if (add_line(kind, consecutive ? g * size : g, consecutive ? 1 : count, size, bytes, out))
            return -1;
    return 0;
}

int topomap_pattern_exchange(topomap_pattern_out *out, uint64_t count, uint64_t size,
                             int consecutive, uint64_t bytes)
{
    return add_lines(ALLTOALL, count, size, consecutive, bytes, out);
}

static uint64_t most_arcs(enum kind kind, uint64_t size)
{
    uint64_t bits = 0;

    while (bits < 31 && UINT64_C(1) << bits < size)
        bits++;
    return kind == NONE ? 0 : kind == ALLTOALL ? size - 1 : kind == BUTTERFLY ? bits : 2;
}

/* The last group is smaller where the groups do not come out even. */
static int make_alltoall(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n");
    uint64_t size = topomap_pattern_number_or(args, "group", n);
    uint64_t bytes = topomap_pattern_number(args, "bytes");

    if (size > n)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "a group of %llu is larger than n=%llu",
                                 (unsigned long long)size, (unsigned long long)n);
    if (topomap_pattern_size(out, n, n * (size - 1))) /* both are at most 2^31 */
        return -1;
    for (uint64_t u = 0; u < n; u += size)
        if (add_line(ALLTOALL, u, 1, u + size < n ? size : n - u, bytes, out))
            return -1;
    return 0;
}

/* The rows, then the columns of PxQ ranks. */
static int make_both(const topomap_pattern_args *args, enum kind rows, enum kind columns,
                     uint64_t bytes, uint64_t second, topomap_pattern_out *out)
{
    uint64_t p = args->dim[0], q = args->dim[1], n = p * q;
    uint64_t most = most_arcs(rows, q) + most_arcs(columns, p);
    int row = topomap_pattern_number(args, "order") == 0;
    int phases = topomap_pattern_number(args, "phases") != 0;

    if (topomap_pattern_size(out, n, topomap_pattern_times(n, most)) ||
        (phases && topomap_pattern_phase(out)) || add_lines(rows, p, q, row, bytes, out) ||
        (phases && topomap_pattern_phase(out)))
        return -1;
    return add_lines(columns, q, p, !row, second, out);
}

static int make_fft(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t p = args->dim[0], q = args->dim[1], share;
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    uint64_t second = topomap_pattern_number_or(args, "second", bytes);

    if (topomap_pattern_get(args, "volume")->given) {
        share = topomap_pattern_number(args, "volume") / (p * q);
        bytes = share / q ? share / q : 1;
        second = share / p ? share / p : 1;
    }
    return make_both(args, ALLTOALL, ALLTOALL, bytes, second, out);
}

static int make_grid(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t bytes = topomap_pattern_number(args, "bytes");

    return make_both(args, (enum kind)topomap_pattern_number(args, "rows"),
                     (enum kind)topomap_pattern_number(args, "columns"), bytes,
                     topomap_pattern_number_or(args, "second", bytes), out);
}

const topomap_pattern topomap_patterns_groups[] = {
    {{"alltoall", "all pairs within groups of consecutive ranks"}, alltoall, 1, 0, make_alltoall},
    {{"fft", "pencils of a three-dimensional FFT: transposes within rows and columns"},
     fft,
     1,
     0,
     make_fft},
    {{"grid", "rows and columns of a process grid, a collective operation in each"},
     grid,
     1,
     0,
     make_grid},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
