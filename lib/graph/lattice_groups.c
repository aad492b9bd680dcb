/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all groups: ranks that have most of their neighbours in common. Groups that are not joined
 * by anything but noise; those that cross (FFT pencils) are grown as other products are. */
#include <stdlib.h>
#include <string.h>

#include "graph/lattice_inside.h"
#include "util/alloc.h"

enum { LEAST_GROUP = 2 };

static uint32_t degree_of(const topomap_weights *w, uint32_t u)
{
    return (uint32_t)(w->offset[u + 1] - w->offset[u]);
}

/* In one pass: u opens a group with those of its neighbours, not in one yet, that share most of
 * its row. Returns the number of groups, 0 where they are not all of one size. */
static uint32_t open_groups(const topomap_weights *w, uint32_t ranks, uint32_t *group,
                            uint32_t *place, uint32_t *mark, uint32_t *size)
{
    uint32_t groups = 0;

    memset(group, 0xff, ranks * sizeof *group);
    for (uint32_t u = 0; u < ranks; u++) {
        uint32_t members = 0;

        if (group[u] != UINT32_MAX || degree_of(w, u) == 0)
            continue;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            mark[w->target[e]] = u + 1;
        mark[u] = u + 1;
        group[u] = groups;
        place[u] = members++;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e], met = 0;

            if (group[v] != UINT32_MAX)
                continue;
            for (uint64_t f = w->offset[v]; f < w->offset[v + 1]; f++)
                met += mark[w->target[f]] == u + 1;
            if (10 * (met + 1) < 7 * degree_of(w, u) || 10 * (met + 1) < 7 * degree_of(w, v))
                continue;
            group[v] = groups;
            place[v] = members++;
        }
        if (members < LEAST_GROUP || (groups && members != *size))
            return 0;
        *size = members;
        groups++;
    }
    return groups;
}

/* The groups as a lattice, if they explain the graph; 1, 0 or -1. */
int topomap_lattice_groups(const topomap_weights *w, uint32_t ranks, topomap_lattice *lattice,
                           topomap_error *err)
{
    topomap_lattice l = {.ranks = ranks};
    uint32_t *group = topomap_alloc(ranks, sizeof *group, err), size = 0, groups = 0;
    uint32_t *mark = topomap_alloc(ranks, sizeof *mark, err);
    int found = -1;

    l.cell = topomap_alloc(ranks, sizeof *l.cell, err);
    if (group && mark && l.cell) {
        groups = open_groups(w, ranks, group, l.cell, mark, &size);
        found = 0;
    }
    if (groups) {
        l.dims = groups > 1 ? 2 : 1;
        l.kind[0] = TOPOMAP_LATTICE_CLIQUE;
        l.kind[1] = TOPOMAP_LATTICE_COPIES;
        l.size[0] = size;
        l.size[1] = groups;
        l.cells = size * groups;
        for (uint32_t u = 0; u < ranks; u++)
            l.cell[u] = group[u] == UINT32_MAX ? UINT32_MAX : group[u] * size + l.cell[u];
        topomap_lattice_fit(&l, w);
        found = l.explained >= TOPOMAP_LATTICE_LEAST && l.present >= TOPOMAP_LATTICE_LEAST;
    }
    free(group);
    free(mark);
    if (found == 1) {
        free(lattice->cell);
        *lattice = l;
    } else {
        topomap_lattice_clear(&l);
    }
    return found;
}
