/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all groups whose size does not divide the number of ranks: the last has the rest. */
#include <stdio.h>

#include "graph/recognise/lattice.h"
#include "graph/recognise/name.h"

static double pairs_of(double size)
{
    return size * (size - 1) / 2;
}

/* Edges, those inside groups, and how even their weights are. */
static void fit(const topomap_weights *w, uint32_t ranks, const topomap_groups *g,
                topomap_recognition *found)
{
    double edges = (double)w->offset[ranks] / 2, inside = 0, mean = 0, all = 0, left = 0, wanted;

    for (uint32_t u = 0; u < ranks; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            int in = g->group[u] == g->group[w->target[e]];

            inside += in ? 0.5 : 0.0;
            mean += in ? (double)w->weight[e] / 2 : 0.0;
            all += (double)w->weight[e];
        }
    mean /= inside > 0 ? inside : 1;
    for (uint32_t u = 0; u < ranks; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (g->group[u] == g->group[w->target[e]])
                left += (double)w->weight[e] < mean ? (double)w->weight[e] : mean;
    wanted = (g->count - (g->smaller > 0)) * pairs_of(g->size) + pairs_of(g->smaller);
    found->explained = edges > 0 ? inside / edges : 0;
    found->present = wanted > 0 ? inside / wanted : 0;
    found->even = all > 0 ? left / all : 1;
}

int topomap_name_groups(const topomap_weights *w, uint32_t ranks, uint64_t scaled,
                        topomap_recognition *found, topomap_error *err)
{
    topomap_recognition made = {.dims = 1};
    TOPOMAP_CLEANUP(topomap_groups_clear) topomap_groups g = {0};
    uint32_t active = 0;

    if (topomap_groups_open(w, ranks, TOPOMAP_GROUPS_ALIKE, &g, err))
        return -1;
    for (uint32_t u = 0; u < ranks; u++)
        active += w->offset[u] < w->offset[u + 1];
    /* Of the last group one rank may be left, which talks to nobody. */
    if (g.count <= 1 || g.size <= 2 || active != ranks - (!g.smaller && ranks % g.size == 1) ||
        ranks % g.size == 0)
        return 0;
    fit(w, ranks, &g, &made);
    if (!(made.explained >= TOPOMAP_LATTICE_LEAST && made.present >= TOPOMAP_LATTICE_LEAST &&
          made.even >= 0.6))
        return 0;
    made.size[0] = ranks;
    snprintf(made.text, sizeof made.text, "alltoall:n=%llu,group=%u",
             (unsigned long long)(scaled ? scaled : ranks), g.size);
    *found = made;
    return 1;
}
