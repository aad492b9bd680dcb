/* SPDX-License-Identifier: BSD-3-Clause */
/* The NAS parallel benchmarks on MPI: who talks to whom by their decompositions, and the bytes of
 * one time step (one iteration). Bailey et al., "The NAS parallel benchmarks 2.0", NAS-95-020. */
#include "graph/patterns/patterns.h"

#define CLASS                                                                                      \
    {                                                                                              \
        "class", TOPOMAP_PARAM_WORD, "S|W|A|B|C|D|E|F", "C", "size of the problem", 0, 0           \
    }

static const topomap_pattern_param square[] = {TOPOMAP_PARAM_RANKS("ranks, a square number"), CLASS,
                                               TOPOMAP_PARAM_NONE};
static const topomap_pattern_param power[] = {TOPOMAP_PARAM_RANKS("ranks, a power of two"), CLASS,
                                              TOPOMAP_PARAM_NONE};
static const topomap_pattern_param oblong[] = {
    TOPOMAP_PARAM_RANKS("ranks: a product of P and Q, P <= 2Q"), CLASS, TOPOMAP_PARAM_NONE};

static const topomap_pattern_param sort[] = {
    TOPOMAP_PARAM_RANKS("ranks, a power of two"),
    {"class", TOPOMAP_PARAM_WORD, "S|W|A|B|C|D|E", "C", "size of the problem", 0, 0},
    TOPOMAP_PARAM_NONE,
};

/* Points a side of BT, SP and LU, which differ in class W. */
static double solver_side(const topomap_pattern_args *args, double in_w)
{
    static const double side[] = {12, 0, 64, 102, 162, 408, 1020, 2560};
    uint64_t class = topomap_pattern_number(args, "class");

    return class == 1 ? in_w : side[class];
}

static int refuse(topomap_error *err, uint64_t n, const char *what)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE, "%llu ranks: %s", (unsigned long long)n, what);
}

/* ---- BT and SP ------------------------------------------------------------------------------ */

/* Multipartition: p x p ranks have p cells each, along a diagonal of the cube of p^3 cells, so that
 * every rank works in every stage of a line solve. A rank's six neighbours are the same for all
 * its cells; in the third dimension they lie on the anti-diagonal. Each way go two layers of five
 * variables (the faces for the right-hand side), `ahead` values a point to the successor in the
 * forward elimination, `behind` to the predecessor in the substitution; cells at the end of the
 * cube send nothing on. */
static int multipartition(const topomap_pattern_args *args, double side, double ahead,
                          double behind, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n"), p = topomap_pattern_root(n);
    double face = 8.0 * (side / (double)p) * (side / (double)p) * (double)(p - 1);

    if (p * p != n)
        return refuse(out->err, n, "not a square number");
    if (side / (double)p < 3.0)
        return refuse(out->err, n, "cells have fewer than 3 points a side in this class");
    if (topomap_pattern_size(out, n, 6 * n))
        return -1;
    for (uint64_t r = 0; p > 1 && r < n; r++) {
        uint64_t i = r % p, j = r / p, up_i = (i + 1) % p, up_j = (j + 1) % p;
        uint64_t down_i = (i + p - 1) % p, down_j = (j + p - 1) % p;
        uint64_t next[3] = {up_i + p * j, i + p * up_j, down_i + p * up_j};
        uint64_t last[3] = {down_i + p * j, i + p * down_j, up_i + p * down_j};

        for (int k = 0; k < 3; k++)
            if (topomap_pattern_send(out, r, next[k], face * (10 + ahead)) ||
                topomap_pattern_send(out, r, last[k], face * (10 + behind)))
                return -1;
    }
    return 0;
}

/* 5x5 blocks and five right-hand sides ahead, five values back. */
static int make_bt(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return multipartition(args, solver_side(args, 24), 30, 5, out);
}

/* Pentadiagonal systems: 22 values ahead, two layers of five back. */
static int make_sp(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    return multipartition(args, solver_side(args, 36), 22, 10, out);
}

/* ---- LU ------------------------------------------------------------------------------------- */

/* Pencils on a grid of xdim x ydim ranks, x fastest, as square as it gets: two wavefronts, forward
 * and back, with five variables of an edge in each of the side - 2 planes, and two layers of the
 * faces for the right-hand side. */
static int make_lu(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n"), x = topomap_pattern_root(n), y;
    double side = solver_side(args, 33), line;

    x += x * x < n;
    while (x < n && (n % x || 2 * (n / x) < x))
        x++;
    y = n / x;
    if (x * y != n || 2 * y < x)
        return refuse(out->err, n, "not a product of P and Q with P <= 2Q");
    line = 8.0 * (5 * (side - 2) + 10 * side);
    if (topomap_pattern_size(out, n, 4 * n))
        return -1;
    for (uint64_t r = 0; r < n; r++) {
        double over_x = line * side / (double)y, over_y = line * side / (double)x;

        if (r % x + 1 < x && (topomap_pattern_send(out, r, r + 1, over_x) ||
                              topomap_pattern_send(out, r + 1, r, over_x)))
            return -1;
        if (r + x < n && (topomap_pattern_send(out, r, r + x, over_y) ||
                          topomap_pattern_send(out, r + x, r, over_y)))
            return -1;
    }
    return 0;
}

/* ---- CG ------------------------------------------------------------------------------------- */

/* nprows x npcols ranks, row by row, npcols = nprows or twice that. Each of the 26 products with
 * the matrix is summed along a row by recursive halving, na/npcols values a step, and its result
 * goes to the transposed rank; sums of scalars (54 values) go along the row too. */
static int make_cg(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    static const double size[] = {1400, 7000, 14000, 75000, 150000, 1500000, 9000000, 54000000};
    uint64_t n = topomap_pattern_number(args, "n"), rows = 1, cols = 1;
    double part;

    while (rows * cols < n)
        *(cols > rows ? &rows : &cols) *= 2;
    if (rows * cols != n)
        return refuse(out->err, n, "not a power of two");
    part = size[topomap_pattern_number(args, "class")] / (double)cols;
    if (topomap_pattern_size(out, n, 33 * n))
        return -1;
    for (uint64_t r = 0; r < n; r++) {
        uint64_t other = r % rows * rows + r / rows;

        if (cols != rows)
            other = 2 * (r / 2 % rows * rows + r / 2 / rows) + r % 2;
        for (uint64_t step = cols / 2; step; step /= 2)
            if (topomap_pattern_send(out, r, r / cols * cols + (r % cols ^ step),
                                     8 * (26 * part + 54)))
                return -1;
        if (topomap_pattern_send(out, r, other, 8 * 26 * part))
            return -1;
    }
    return 0;
}

/* ---- MG ------------------------------------------------------------------------------------- */

struct multigrid {
    uint64_t dim[3], stride[3];
};

/* One exchange of the borders at a level of `side` points, three times in an iteration (`times`).
 * Below one point a rank, every (dim / side)th rank works, with those as far away. */
static int add_level(const struct multigrid *mg, uint64_t side, double times,
                     topomap_pattern_out *out)
{
    double width[3]; /* with the borders */
    uint64_t step[3];

    for (int k = 0; k < 3; k++) {
        step[k] = mg->dim[k] > side ? mg->dim[k] / side : 1;
        width[k] = 2.0 + (step[k] > 1 ? 1.0 : (double)(side / mg->dim[k]));
    }
    for (uint64_t r = 0; r < out->ranks; r++) {
        double face[3] = {(width[1] - 2) * (width[2] - 2), width[0] * (width[2] - 2),
                          width[0] * width[1]};
        uint64_t at[3];
        int works = 1;

        for (int k = 0; k < 3; k++) {
            at[k] = r / mg->stride[k] % mg->dim[k];
            works &= (at[k] + 1) % step[k] == 0;
        }
        for (int k = 0; works && k < 3; k++) {
            uint64_t up = (at[k] + step[k]) % mg->dim[k];
            uint64_t down = (at[k] + mg->dim[k] - step[k]) % mg->dim[k];
            uint64_t base = r - at[k] * mg->stride[k];
            double bytes = 8.0 * times * face[k];

            if (topomap_pattern_send(out, r, base + up * mg->stride[k], bytes) ||
                topomap_pattern_send(out, r, base + down * mg->stride[k], bytes))
                return -1;
        }
    }
    return 0;
}

/* A periodic cube of ranks, x fastest; a V-cycle down to 2 points a side. The few borders that go
 * to ranks that come back to work are left out: they go to neighbours of the same level. */
static int make_mg(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    static const uint64_t size[] = {32, 128, 256, 256, 512, 1024, 2048, 4096};
    uint64_t n = topomap_pattern_number(args, "n"), log = 0;
    uint64_t side = size[topomap_pattern_number(args, "class")];
    struct multigrid mg;

    while (UINT64_C(1) << (log + 1) <= n)
        log++;
    if (UINT64_C(1) << log != n)
        return refuse(out->err, n, "not a power of two");
    mg.dim[0] = UINT64_C(1) << log / 3;
    mg.dim[1] = UINT64_C(1) << (log - log / 3) / 2;
    mg.dim[2] = n / (mg.dim[0] * mg.dim[1]);
    if (mg.dim[2] > side)
        return refuse(out->err, n, "fewer points than ranks in this class");
    mg.stride[0] = 1;
    mg.stride[1] = mg.dim[0];
    mg.stride[2] = mg.dim[0] * mg.dim[1];
    if (topomap_pattern_size(out, n, topomap_pattern_times(n, 14)))
        return -1;
    for (; side >= 2; side /= 2)
        if (add_level(&mg, side, side > 2 ? 3 : 2, out))
            return -1;
    return 0;
}

/* ---- FT and IS ------------------------------------------------------------------------------ */

/* Slabs where there are enough planes: one transpose among all. Else np1 = nz pencils by np2: a
 * transpose among np2 consecutive ranks and one among np1. 16 bytes a point. */
static int make_ft(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    static const double points[] = {0x1p18, 0x1p19, 0x1p23, 0x1p25, 0x1p27, 0x1p31, 0x1p34, 0x1p37};
    static const uint64_t planes[] = {64, 32, 128, 256, 512, 1024, 2048, 4096};
    uint64_t n = topomap_pattern_number(args, "n"), class = topomap_pattern_number(args, "class");
    uint64_t np1 = n <= planes[class] ? 1 : planes[class], np2 = n / np1;
    double share = 16.0 * points[class] / (double)n;

    if (n & (n - 1))
        return refuse(out->err, n, "not a power of two");
    if (topomap_pattern_size(out, n, topomap_pattern_times(n, np1 + np2 - 2)))
        return -1;
    return topomap_pattern_exchange(out, np1, np2, 1, topomap_pattern_whole(share / (double)np2)) ||
                   topomap_pattern_exchange(out, np2, np1, 0,
                                            topomap_pattern_whole(share / (double)np1))
               ? -1
               : 0;
}

/* Every rank sends every other the keys of its buckets, 4 bytes each, and first how many. */
static int make_is(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    static const double keys[] = {0x1p16, 0x1p20, 0x1p23, 0x1p25, 0x1p27, 0x1p31, 0x1p35};
    uint64_t n = topomap_pattern_number(args, "n");
    double bytes = 4.0 * keys[topomap_pattern_number(args, "class")] / (double)n / (double)n + 4.0;

    if (n & (n - 1))
        return refuse(out->err, n, "not a power of two");
    if (topomap_pattern_size(out, n, topomap_pattern_times(n, n - 1)))
        return -1;
    return topomap_pattern_exchange(out, 1, n, 1, topomap_pattern_whole(bytes));
}

const topomap_pattern topomap_patterns_nas[] = {
    {{"nas-bt", "NAS BT: block tridiagonal solver, multipartition"}, square, 1, 0, make_bt},
    {{"nas-cg", "NAS CG: conjugate gradients, rows and transposed ranks"}, power, 1, 0, make_cg},
    {{"nas-ft", "NAS FT: three-dimensional FFT, slabs or pencils"}, power, 1, 0, make_ft},
    {{"nas-is", "NAS IS: integer sort, all to all"}, sort, 1, 0, make_is},
    {{"nas-lu", "NAS LU: wavefronts on a grid of pencils"}, oblong, 1, 0, make_lu},
    {{"nas-mg", "NAS MG: multigrid on a periodic cube, all levels"}, power, 1, 0, make_mg},
    {{"nas-sp", "NAS SP: pentadiagonal solver, multipartition"}, square, 1, 0, make_sp},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
