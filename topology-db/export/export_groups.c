/* SPDX-License-Identifier: BSD-3-Clause */
/* The switches as a strict tree. */
#include <stdlib.h>

#include "fabric/network.h"
#include "topology-db/export/export.h"
#include "util/alloc.h"

struct joining {
    const struct db_export *x;
    uint32_t *parent; /* [switches] union-find */
    uint32_t *level;  /* [switches] */
    uint32_t levels;
    uint32_t *group_at;   /* [switches] group of a root, UINT32_MAX none */
    uint32_t *host_count; /* [switches] */
    uint32_t *top;        /* [switches] of a root: the switch that it is named after */
    uint32_t *inside;     /* [switches] of a root: groups of lower levels in it */
};

/* ---- Leaves that share hosts ----------------------------------------------------------------- */

struct pair {
    uint32_t a, b;
};

TOPOMAP_COMPARE(by_pair, struct pair, TOPOMAP_ORDER(x->a, y->a), TOPOMAP_ORDER(x->b, y->b))

/* Pairs of switches of one host; its cables follow one another. */
static int list_pairs(struct joining *j, struct pair **pairs, size_t *count, topomap_error *err)
{
    const struct db_export *x = j->x;
    size_t room = 0, end;

    for (size_t i = 0; i < x->cables && x->cable[i].host != UINT32_MAX; i = end) {
        for (end = i; end < x->cables && x->cable[end].host == x->cable[i].host; end++)
            for (size_t k = i; k < end; k++) {
                uint32_t a = x->cable[k].b, b = x->cable[end].b;

                if (a != b && end - i <= 64 &&
                    TOPOMAP_APPEND(*pairs, *count, room, err,
                                   a < b ? (struct pair){a, b} : (struct pair){b, a}))
                    return -1;
            }
        for (size_t k = i; k < end; k++)
            j->host_count[x->cable[k].b]++;
    }
    return 0;
}

/* Rails: two leaves with most hosts in common serve the same part of the machine. */
static int join_rails(struct joining *j, topomap_error *err)
{
    TOPOMAP_FREED struct pair *pairs = NULL;
    size_t count = 0, end;

    if (list_pairs(j, &pairs, &count, err))
        return -1;
    TOPOMAP_SORT(pairs, count, by_pair);
    for (size_t i = 0; i < count; i = end) {
        uint32_t a = j->host_count[pairs[i].a], b = j->host_count[pairs[i].b];

        for (end = i; end < count && by_pair(&pairs[i], &pairs[end]) == 0; end++)
            ;
        if ((end - i) * 2 >= (a < b ? a : b))
            topomap_disjoint_join(j->parent, pairs[i].a, pairs[i].b);
    }
    return 0;
}

/* ---- Levels ------------------------------------------------------------------------------ */

static void set_levels(struct joining *j)
{
    int known = 1;

    for (uint32_t i = 0; i < j->x->graph.count; i++)
        known &= !j->x->sw[i].kept || j->x->sw[i].level >= 0;
    for (uint32_t i = 0; i < j->x->graph.count; i++) {
        j->level[i] = known && j->x->sw[i].level > 0 ? (uint32_t)j->x->sw[i].level : 0;
        if (j->x->sw[i].kept && j->level[i] >= j->levels)
            j->levels = j->level[i] + 1;
    }
    if (!known)
        j->levels = 2; /* leaves, and what joins them all */
}

static void join_level(struct joining *j, uint32_t level)
{
    const topomap_switches *g = &j->x->graph;
    int all = level + 1 == j->levels;

    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++) {
            uint32_t to = g->neighbour[k];

            if (to > i && j->x->sw[i].kept && j->x->sw[to].kept &&
                (all || (j->level[i] <= level && j->level[to] <= level)))
                topomap_disjoint_join(j->parent, i, to);
        }
}

/* The lowest name among the switches of this level in each set, else among all of it. */
static void find_tops(struct joining *j, uint32_t level)
{
    for (uint32_t i = 0; i < j->x->graph.count; i++)
        j->top[i] = UINT32_MAX;
    for (uint32_t i = 0; i < j->x->graph.count; i++) {
        uint32_t r = topomap_disjoint_root(j->parent, i), now = j->top[r];
        int fits = j->level[i] == level;

        if (!j->x->sw[i].kept)
            continue;
        if (now == UINT32_MAX || (fits && j->level[now] != level) ||
            (fits == (j->level[now] == level) &&
             db_natural_order(j->x->sw[i].label, j->x->sw[now].label) < 0))
            j->top[r] = i;
    }
}

static int add_group(struct joining *j, struct db_groups *groups, size_t *room, uint32_t r,
                     uint32_t level, topomap_error *err)
{
    j->group_at[r] = groups->count;
    return TOPOMAP_APPEND(groups->group, groups->count, *room, err,
                          (struct db_group){UINT32_MAX, level, j->top[r], 0});
}

/* Groups of level 0, and the group of each host. A host on a switch above the leaves (a service
 * node) makes a group of that switch's hosts. */
static int make_leaves(struct joining *j, struct db_groups *groups, size_t *room,
                       topomap_error *err)
{
    const struct db_export *x = j->x;

    find_tops(j, 0);
    for (uint32_t h = 0; h < x->hosts; h++) {
        uint32_t r;

        groups->of_host[h] = UINT32_MAX;
        if (x->host[h].home == UINT32_MAX)
            continue;
        r = topomap_disjoint_root(j->parent, x->host[h].home);
        if (j->group_at[r] == UINT32_MAX && add_group(j, groups, room, r, 0, err))
            return -1;
        groups->of_host[h] = j->group_at[r];
        groups->group[j->group_at[r]].hosts++;
    }
    return 0;
}

/* A set with several parentless groups becomes their parent. */
static int make_level(struct joining *j, struct db_groups *groups, size_t *room, uint32_t level,
                      topomap_error *err)
{
    uint32_t below = groups->count;

    join_level(j, level);
    find_tops(j, level);
    for (uint32_t i = 0; i < j->x->graph.count; i++) {
        j->inside[i] = 0;
        j->group_at[i] = UINT32_MAX;
    }
    for (uint32_t g = 0; g < below; g++)
        if (groups->group[g].parent == UINT32_MAX)
            j->inside[topomap_disjoint_root(j->parent, groups->group[g].top)]++;
    for (uint32_t g = 0; g < below; g++) {
        uint32_t r = topomap_disjoint_root(j->parent, groups->group[g].top);

        if (groups->group[g].parent != UINT32_MAX || j->inside[r] < 2)
            continue;
        if (j->group_at[r] == UINT32_MAX && add_group(j, groups, room, r, level, err))
            return -1;
        groups->group[g].parent = j->group_at[r];
    }
    return 0;
}

static int make(struct joining *j, struct db_groups *groups, topomap_error *err)
{
    size_t room = 0;

    for (uint32_t i = 0; i < j->x->graph.count; i++) {
        j->parent[i] = i;
        j->group_at[i] = UINT32_MAX;
    }
    set_levels(j);
    if (join_rails(j, err) || make_leaves(j, groups, &room, err))
        return -1;
    for (uint32_t level = 1; level < j->levels; level++)
        if (make_level(j, groups, &room, level, err))
            return -1;
    return 0;
}

int db_groups_make(const struct db_export *x, struct db_groups *groups, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    struct joining j = {.x = x};
    uint32_t count = x->graph.count;

    *groups = (struct db_groups){0};
    groups->of_host = topomap_alloc(x->hosts, sizeof *groups->of_host, err);
    j.parent = topomap_arena_alloc(&arena, count, sizeof *j.parent, err);
    j.level = topomap_arena_alloc(&arena, count, sizeof *j.level, err);
    j.group_at = topomap_arena_alloc(&arena, count, sizeof *j.group_at, err);
    j.host_count = topomap_arena_alloc(&arena, count, sizeof *j.host_count, err);
    j.top = topomap_arena_alloc(&arena, count, sizeof *j.top, err);
    j.inside = topomap_arena_alloc(&arena, count, sizeof *j.inside, err);
    return groups->of_host && !arena.is_short ? make(&j, groups, err) : -1;
}

void db_groups_clear(struct db_groups *groups)
{
    free(groups->group);
    free(groups->of_host);
}
