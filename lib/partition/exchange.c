/* SPDX-License-Identifier: BSD-3-Clause */
/* Top-down construction wants perfectly balanced partitions (VieM, section 3.1). Exact sizes leave
 * no room for single moves, so that what is left to improve after topomap_balance() is swaps. */
#include "partition/partition.h"

#include "util/alloc.h"

enum {
    ROUNDS = 16,
    PARTNERS = 64,   /* priced for one vertex at most */
    LOOKS = 1 << 16, /* edges looked at for each vertex: a dense graph ends before its rounds do */
};

typedef struct exchange {
    const idx_t *offset, *target, *weight;
    idx_t *part;
    int64_t *link;  /* [parts] weight of u's edges into each part */
    idx_t *silent;  /* [parts] a vertex without edges in each part, -1: none; */
    idx_t *another; /* [count] and the next one there */
    uint32_t *seen; /* [count] the turn that met the vertex last */
    uint32_t turn, priced;
    int64_t looks; /* edges that may still be looked at */
    idx_t u, best;
    int64_t best_gain;
} exchange;

/* What x saves by going to part \p to. The edge u-x stays cut: it is counted as lost here once, for
 * u's link to x's part has counted it as won. */
static int64_t gain_of(const exchange *s, idx_t x, idx_t to)
{
    int64_t gain = 0;

    for (idx_t e = s->offset[x]; e < s->offset[x + 1]; e++) {
        idx_t v = s->target[e];

        if (v == s->u || s->part[v] == s->part[x])
            gain -= s->weight[e];
        else if (s->part[v] == to)
            gain += s->weight[e];
    }
    return gain;
}

static void price(exchange *s, idx_t x)
{
    idx_t own = s->part[s->u];
    int64_t gain;

    if (s->seen[x] == s->turn || s->part[x] == own || s->priced == PARTNERS)
        return;
    s->seen[x] = s->turn;
    s->priced++;
    s->looks -= s->offset[x + 1] - s->offset[x];
    gain = s->link[s->part[x]] - s->link[own] + gain_of(s, x, own);
    if (gain > s->best_gain || (gain == s->best_gain && s->best >= 0 && x < s->best)) {
        s->best_gain = gain;
        s->best = x;
    }
}

/* A vertex without edges is nobody's neighbour, but the best of partners: what u gains is all. */
static void price_silent(exchange *s)
{
    idx_t own = s->part[s->u];

    for (idx_t e = s->offset[s->u]; e < s->offset[s->u + 1]; e++) {
        idx_t to = s->part[s->target[e]];
        int64_t gain = s->link[to] - s->link[own];

        if (to == own || s->silent[to] < 0 || gain <= s->best_gain)
            continue;
        s->best_gain = gain;
        s->best = s->silent[to];
    }
}

/* The vertex without edges that u takes the place of goes to u's part. */
static void move_silent(exchange *s, idx_t x, idx_t from, idx_t to)
{
    if (s->silent[from] != x)
        return;
    s->silent[from] = s->another[x];
    s->another[x] = s->silent[to];
    s->silent[to] = x;
}

static int take_turn(exchange *s, idx_t u)
{
    idx_t own = s->part[u];
    int outside = 0;

    for (idx_t e = s->offset[u]; e < s->offset[u + 1]; e++) {
        s->link[s->part[s->target[e]]] += s->weight[e];
        outside |= s->part[s->target[e]] != own;
    }
    s->turn++;
    s->priced = 0;
    s->u = u;
    s->best = -1;
    s->best_gain = 0;
    for (idx_t e = s->offset[u]; outside && e < s->offset[u + 1] && s->priced < PARTNERS; e++) {
        idx_t v = s->target[e];

        price(s, v);
        for (idx_t f = s->offset[v]; f < s->offset[v + 1] && s->priced < PARTNERS; f++)
            price(s, s->target[f]);
    }
    price_silent(s);
    for (idx_t e = s->offset[u]; e < s->offset[u + 1]; e++)
        s->link[s->part[s->target[e]]] = 0;
    if (s->best < 0)
        return 0;
    move_silent(s, s->best, s->part[s->best], own);
    s->part[u] = s->part[s->best];
    s->part[s->best] = own;
    return 1;
}

static void list_silent(exchange *s, uint32_t count, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++)
        s->silent[i] = -1;
    for (uint32_t v = count; v-- > 0;)
        if (s->offset[v] == s->offset[v + 1]) {
            s->another[v] = s->silent[s->part[v]];
            s->silent[s->part[v]] = (idx_t)v;
        }
}

int topomap_exchange(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                     uint32_t parts, idx_t *part, topomap_error *err)
{
    exchange s = {.offset = offset,
                  .target = target,
                  .weight = weight,
                  .part = part,
                  .looks = (int64_t)LOOKS * count};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    int swapped = 1;

    s.link = topomap_arena_alloc(&memory, parts, sizeof *s.link, err);
    s.seen = topomap_arena_alloc(&memory, count, sizeof *s.seen, err);
    s.silent = topomap_arena_alloc(&memory, parts, sizeof *s.silent, err);
    s.another = topomap_arena_alloc(&memory, count, sizeof *s.another, err);
    if (memory.is_short)
        return -1;
    list_silent(&s, count, parts);
    for (int round = 0; swapped && round < ROUNDS; round++) {
        swapped = 0;
        for (uint32_t u = 0; u < count && s.looks > 0; u++)
            swapped |= take_turn(&s, (idx_t)u);
    }
    return 0;
}
