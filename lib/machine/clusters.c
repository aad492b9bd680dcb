/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/closeness.h"

#include <math.h>
#include <stdlib.h>

#include "fabric/network.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* The least spanning tree of the sites: single linkage joins along its edges. */
typedef struct spanning {
    topomap_arena *memory;
    uint32_t sites;
    uint32_t *parent; /* [sites] the site that it was reached from; its own for the first */
    float *height;    /* [sites] how far that is */
    float *sorted;    /* [sites - 1] the distinct ones, ascending */
    uint32_t heights;
} spanning;

TOPOMAP_COMPARE(ascending, float, TOPOMAP_ORDER(*x, *y), 0)

/* Prim; of equal distances, the site with the smallest number is next. */
static int span(const topomap_machine *m, spanning *s, topomap_error *err)
{
    uint32_t n = s->sites = m->sites, at = 0;
    TOPOMAP_FREED uint8_t *done = topomap_alloc(n, 1, err);

    s->parent = topomap_arena_alloc(s->memory, n, sizeof *s->parent, err);
    s->height = topomap_arena_alloc(s->memory, n, sizeof *s->height, err);
    s->sorted = topomap_arena_alloc(s->memory, n, sizeof *s->sorted, err);
    if (!done || s->memory->is_short)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        s->height[i] = INFINITY;
    s->parent[0] = 0;
    for (uint32_t k = 1; k < n; k++) {
        uint32_t next = UINT32_MAX;

        done[at] = 1;
        for (uint32_t i = 0; i < n; i++) {
            float cost = m->site_cost[(size_t)at * n + i];

            if (done[i])
                continue;
            if (cost < s->height[i]) {
                s->height[i] = cost;
                s->parent[i] = at;
            }
            if (next == UINT32_MAX || s->height[i] < s->height[next])
                next = i;
        }
        s->sorted[k - 1] = s->height[next];
        at = next;
    }
    qsort(s->sorted, n - 1, sizeof *s->sorted, ascending);
    for (uint32_t k = 0; k + 1 < n; k++)
        if (k == 0 || s->sorted[k] > s->sorted[s->heights - 1])
            s->sorted[s->heights++] = s->sorted[k];
    return 0;
}

/* The first site of each group that edges up to a height join. */
static void join(const spanning *s, float height, uint32_t *group)
{
    topomap_identity(group, s->sites);
    for (uint32_t i = 0; i < s->sites; i++)
        if (s->height[i] <= height)
            topomap_disjoint_join(group, i, s->parent[i]);
    for (uint32_t i = 0; i < s->sites; i++)
        group[i] = topomap_disjoint_root(group, i);
}

/* \p of_site [sites], or NULL: each site is a group. */
static int add(const topomap_machine *m, topomap_nesting *level, uint32_t *levels, double cost,
               const uint32_t *of_site, topomap_error *err)
{
    topomap_nesting *made = &level[*levels];

    *made = (topomap_nesting){.cost = cost};
    made->group = topomap_alloc(m->nodes, sizeof *made->group, err);
    if (!made->group)
        return -1;
    ++*levels;
    for (uint32_t i = 0; i < m->nodes; i++)
        made->group[i] = of_site ? of_site[m->site_of[i]] : m->site_of[i];
    return 0;
}

int topomap_machine_clusters(const topomap_machine *m, topomap_nesting *level, uint32_t most,
                             uint32_t *levels, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    spanning s = {.memory = &memory};
    uint32_t *group = topomap_arena_alloc(&memory, m->sites, sizeof *group, err), room = most - 1;
    int status = group ? span(m, &s, err) : -1;

    *levels = 0;
    if (status == 0)
        status = add(m, level, levels, m->site_cost[0], NULL, err);
    for (uint32_t k = 0; status == 0 && k < s.heights; k++) {
        /* Of too many, evenly spread ones, the last of them always. */
        if (s.heights > room &&
            (k + 1) * (uint64_t)room / s.heights == k * (uint64_t)room / s.heights)
            continue;
        join(&s, s.sorted[k], group);
        status = add(m, level, levels, s.sorted[k], group, err);
    }
    if (status != 0) {
        topomap_machine_clusters_clear(level, *levels);
        *levels = 0;
    }
    return status;
}

void topomap_machine_clusters_clear(topomap_nesting *level, uint32_t levels)
{
    for (uint32_t l = 0; l < levels; l++)
        free(level[l].group);
}
