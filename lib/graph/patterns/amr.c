/* SPDX-License-Identifier: BSD-3-Clause */
/* Adaptive mesh refinement: blocks of equal size in cells, halved around the shell of a ball. */
#include <math.h>
#include <stdlib.h>

#include "graph/patterns/patterns.h"
#include "util/alloc.h"

static const topomap_pattern_param amr[] = {
    {"shape", TOPOMAP_PARAM_SHAPE, "XxY|XxYxZ", "8x8x8", "coarse blocks in each dimension", 2, 3},
    {"levels", TOPOMAP_PARAM_COUNT, "N", "2", "how often blocks are halved at the shell", 0, 8},
    {"radius", TOPOMAP_PARAM_REAL, "R", "0.3", "of the shell, as a share of the shortest side", 0,
     2},
    {"n", TOPOMAP_PARAM_COUNT, "N", "",
     "ranks, each with an equal run of blocks along the Z-order curve (a rank a block)", 0, 0},
    {"subcycle", TOPOMAP_PARAM_FLAG, NULL, "",
     "a finer level takes twice the time steps: loads, and bytes between its blocks", 0, 0},
    TOPOMAP_PARAM_BYTES("64", "each way over the face that two blocks share"),
    TOPOMAP_PARAM_SEED,
    TOPOMAP_PARAM_NONE,
};

struct leaf {
    uint32_t corner[3]; /* in blocks of the finest level */
    uint32_t level;     /* 0 is coarse */
};

struct blocks {
    int dims, levels;
    uint64_t size[3]; /* in blocks of the finest level */
    double centre[3], radius;
    struct leaf *leaf;
    size_t count, capacity;
    uint32_t *owner; /* [size] the leaf that has each finest block */
    uint32_t *rank;  /* [count] of each leaf */
};

/* Refined while nearer to the shell than 1.7 sides. A leaf of side s that touches one of s/4 would
 * be within 0.83 s of a centre nearer than 0.85 s, which is less than 1.7 s: neighbours differ by
 * one level at most. */
static int is_refined(const struct blocks *b, const uint64_t *corner, uint64_t side)
{
    double sum = 0;

    for (int k = 0; k < b->dims; k++) {
        double d = (double)corner[k] + (double)side / 2 - b->centre[k];

        sum += d * d;
    }
    return fabs(sqrt(sum) - b->radius) < 1.7 * (double)side;
}

/* The leaves of one block, its parts in Z order. */
static int add_block(struct blocks *b, const uint64_t *corner, int level, topomap_error *err)
{
    uint64_t side = UINT64_C(1) << (b->levels - level);

    if (level == b->levels || !is_refined(b, corner, side))
        return TOPOMAP_APPEND(
            b->leaf, b->count, b->capacity, err,
            (struct leaf){{(uint32_t)corner[0], (uint32_t)corner[1], (uint32_t)corner[2]},
                          (uint32_t)level});
    for (unsigned part = 0; part < 1u << b->dims; part++) {
        uint64_t at[3];

        for (int k = 0; k < 3; k++)
            at[k] = corner[k] + (part >> k & 1) * (side / 2);
        if (add_block(b, at, level + 1, err))
            return -1;
    }
    return 0;
}

TOPOMAP_COMPARE(by_curve, struct leaf, topomap_pattern_curve(x->corner, y->corner, 2, -1), 0)

static uint64_t cell_of(const struct blocks *b, uint64_t x, uint64_t y, uint64_t z)
{
    return x + b->size[0] * (y + b->size[1] * z);
}

static void own(struct blocks *b, uint32_t i)
{
    const struct leaf *leaf = &b->leaf[i];
    uint64_t side = UINT64_C(1) << (b->levels - (int)leaf->level);
    uint64_t depth = b->dims == 3 ? side : 1;

    for (uint64_t z = 0; z < depth; z++)
        for (uint64_t y = 0; y < side; y++)
            for (uint64_t x = 0; x < side; x++)
                b->owner[cell_of(b, leaf->corner[0] + x, leaf->corner[1] + y,
                                 leaf->corner[2] + z)] = i;
}

static int blocks_new(const topomap_pattern_args *args, struct blocks *b, topomap_pattern_out *out)
{
    topomap_random random = {topomap_pattern_number(args, "seed")};
    uint64_t cells = 1, least = UINT64_MAX, corner[3];

    b->dims = args->dims;
    b->levels = (int)topomap_pattern_number(args, "levels");
    for (int k = 0; k < 3; k++) {
        b->size[k] = k < b->dims ? args->dim[k] << b->levels : 1;
        cells = topomap_pattern_times(cells, b->size[k]);
        if (k < b->dims && b->size[k] < least)
            least = b->size[k];
    }
    if (cells > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "%llu blocks of the finest level; " TOPOMAP_PATTERN_LIMIT,
                                 (unsigned long long)cells);
    for (int k = 0; k < b->dims; k++) /* near the middle */
        b->centre[k] = (double)b->size[k] * (0.4 + 0.2 * topomap_pattern_unit(&random));
    b->radius = (double)least * topomap_pattern_get(args, "radius")->real;
    b->owner = topomap_pattern_alloc(out, cells, sizeof *b->owner);
    if (!b->owner)
        return -1;
    for (corner[2] = 0; corner[2] < b->size[2]; corner[2] += UINT64_C(1) << b->levels)
        for (corner[1] = 0; corner[1] < b->size[1]; corner[1] += UINT64_C(1) << b->levels)
            for (corner[0] = 0; corner[0] < b->size[0]; corner[0] += UINT64_C(1) << b->levels)
                if (add_block(b, corner, 0, out->err))
                    return -1;
    qsort(b->leaf, b->count, sizeof *b->leaf, by_curve);
    for (size_t i = 0; i < b->count; i++)
        own(b, (uint32_t)i);
    return 0;
}

static uint64_t steps_of(const struct leaf *leaf, int subcycle)
{
    return subcycle ? UINT64_C(1) << leaf->level : 1;
}

/* Runs of the curve with loads as equal as their order allows. */
static int share_out(struct blocks *b, uint64_t ranks, int subcycle, topomap_pattern_out *out)
{
    uint64_t total = 0, before = 0;

    b->rank = topomap_pattern_alloc(out, b->count, sizeof *b->rank);
    if (subcycle)
        out->load = topomap_alloc(ranks, sizeof *out->load, out->err);
    if (!b->rank || (subcycle && !out->load))
        return -1;
    for (size_t i = 0; i < b->count; i++)
        total += steps_of(&b->leaf[i], subcycle);
    for (size_t i = 0; i < b->count; i++) {
        uint64_t load = steps_of(&b->leaf[i], subcycle);
        uint64_t rank =
            (uint64_t)(((double)before + (double)load / 2) * (double)ranks / (double)total);

        b->rank[i] = (uint32_t)(ranks == b->count ? i : rank < ranks ? rank : ranks - 1);
        if (subcycle)
            out->load[b->rank[i]] += load;
        before += load;
    }
    return 0;
}

/* The face of a leaf's low side in dimension k: every leaf that touches it, once. */
static int add_face(const struct blocks *b, uint32_t i, int k, uint64_t bytes, int subcycle,
                    topomap_pattern_out *out)
{
    const struct leaf *leaf = &b->leaf[i];
    uint64_t side = UINT64_C(1) << (b->levels - (int)leaf->level), at[3], width[3];

    if (!leaf->corner[k])
        return 0;
    for (int d = 0; d < 3; d++) {
        at[d] = leaf->corner[d];
        width[d] = d == k || d >= b->dims ? 1 : side;
    }
    at[k]--;
    for (uint64_t z = 0; z < width[2]; z++)
        for (uint64_t y = 0; y < width[1]; y++)
            for (uint64_t x = 0; x < width[0]; x++) {
                uint64_t place[3] = {at[0] + x, at[1] + y, at[2] + z};
                uint32_t j = b->owner[cell_of(b, place[0], place[1], place[2])];
                const struct leaf *other = &b->leaf[j];
                const struct leaf *finer = leaf->level > other->level ? leaf : other;
                int first = 1; /* where the overlap of the two begins */

                for (int d = 0; d < b->dims; d++)
                    first &= d == k ||
                             place[d] == (leaf->corner[d] > other->corner[d] ? leaf->corner[d]
                                                                             : other->corner[d]);
                if (first && b->rank[i] != b->rank[j] &&
                    topomap_pattern_pair(out, b->rank[j], b->rank[i],
                                         topomap_pattern_times(bytes, steps_of(finer, subcycle))))
                    return -1;
            }
    return 0;
}

static void blocks_clear(struct blocks *b)
{
    free(b->leaf);
}

static int make_amr(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    TOPOMAP_CLEANUP(blocks_clear) struct blocks b = {0};
    int subcycle = topomap_pattern_number(args, "subcycle") != 0;
    uint64_t ranks = topomap_pattern_number(args, "n");

    if (blocks_new(args, &b, out))
        return -1;
    if (!ranks)
        ranks = b.count;
    if (ranks > b.count)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "n=%llu, but there are %zu blocks",
                                 (unsigned long long)ranks, b.count);
    /* At most 2^dims - 1 finer neighbours a face; most have one. */
    if (topomap_pattern_size(out, ranks, 2 * (uint64_t)b.dims * b.count) ||
        share_out(&b, ranks, subcycle, out))
        return -1;
    for (uint32_t i = 0; i < b.count; i++)
        for (int k = 0; k < b.dims; k++)
            if (add_face(&b, i, k, topomap_pattern_number(args, "bytes"), subcycle, out))
                return -1;
    return 0;
}

const topomap_pattern topomap_patterns_amr[] = {
    {{"amr", "blocks of an adaptively refined mesh, in Z order"}, amr, 1, 0, make_amr},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
