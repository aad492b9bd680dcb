/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all groups: ranks that have most of their neighbours in common. Groups that are not joined
 * by anything but noise; those that cross (FFT pencils) are grown as other products are. */
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "util/alloc.h"

enum { LEAST_GROUP = 2 };

static uint32_t degree_of(const topomap_weights *w, uint32_t u)
{
    return (uint32_t)(w->offset[u + 1] - w->offset[u]);
}

/* One more group: of the size that they all have, or the only one that is smaller. */
static int fits_in(topomap_groups *g, uint32_t members)
{
    if (members < LEAST_GROUP)
        return 0;
    if (!g->count || members == g->size) {
        g->size = members;
    } else if (members < g->size && !g->smaller) {
        g->smaller = members;
    } else if (members > g->size && g->count == 1) {
        g->smaller = g->size;
        g->size = members;
    } else {
        return 0;
    }
    g->count++;
    return 1;
}

/* In one pass: u opens a group with those of its neighbours, not in one yet, that share most of
 * its row. */
int topomap_groups_open(const topomap_weights *w, uint32_t ranks, uint32_t alike, topomap_groups *g,
                        topomap_error *err)
{
    TOPOMAP_FREED uint32_t *mark = topomap_alloc(ranks, sizeof *mark, err);
    uint32_t *group = g->group = topomap_alloc(ranks, sizeof *group, err);
    uint32_t *place = g->place = topomap_alloc(ranks, sizeof *place, err);

    if (!mark || !group || !place)
        return -1;
    memset(group, 0xff, ranks * sizeof *group);
    for (uint32_t u = 0; u < ranks; u++) {
        uint32_t members = 0;

        if (group[u] != UINT32_MAX || degree_of(w, u) == 0)
            continue;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            mark[w->target[e]] = u + 1;
        mark[u] = u + 1;
        group[u] = g->count;
        place[u] = members++;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e], met = 0;

            if (group[v] != UINT32_MAX)
                continue;
            for (uint64_t f = w->offset[v]; f < w->offset[v + 1]; f++)
                met += mark[w->target[f]] == u + 1;
            if (100 * (uint64_t)(met + 1) < (uint64_t)alike * degree_of(w, u) ||
                100 * (uint64_t)(met + 1) < (uint64_t)alike * degree_of(w, v))
                continue;
            group[v] = g->count;
            place[v] = members++;
        }
        if (!fits_in(g, members)) {
            g->count = 0;
            break;
        }
    }
    return 0;
}

void topomap_groups_clear(topomap_groups *g)
{
    free(g->group);
    free(g->place);
    memset(g, 0, sizeof *g);
}

/* The groups as a lattice, if they explain the graph; 1, 0 or -1. */
int topomap_lattice_groups(const topomap_weights *w, uint32_t ranks, topomap_lattice *lattice,
                           topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_lattice_clear) topomap_lattice l = {.ranks = ranks};
    TOPOMAP_CLEANUP(topomap_groups_clear) topomap_groups g = {0};

    l.cell = topomap_alloc(ranks, sizeof *l.cell, err);
    if (!l.cell || topomap_groups_open(w, ranks, TOPOMAP_GROUPS_ALIKE, &g, err))
        return -1;
    if (!g.count || g.smaller)
        return 0;
    l.dims = g.count > 1 ? 2 : 1;
    l.kind[0] = TOPOMAP_LATTICE_CLIQUE;
    l.kind[1] = TOPOMAP_LATTICE_COPIES;
    l.size[0] = g.size;
    l.size[1] = g.count;
    l.cells = g.size * g.count;
    for (uint32_t u = 0; u < ranks; u++)
        l.cell[u] = g.group[u] == UINT32_MAX ? UINT32_MAX : g.group[u] * g.size + g.place[u];
    topomap_lattice_fit(&l, w);
    if (topomap_lattice_weigh(&l, w, err))
        return -1;
    if (!topomap_lattice_holds(&l))
        return 0;
    free(lattice->cell);
    *lattice = l;
    l.cell = NULL;
    return 1;
}
