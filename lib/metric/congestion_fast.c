/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "graph/graph.h"
#include "metric/metric.h"
#include "util/alloc.h"
#include "util/keyed.h"

/* The arcs between vertices, the heaviest first. */
static topomap_keyed *sort_arcs(const topomap_traffic *t, size_t *count, topomap_error *err)
{
    const topomap_graph *g = t->graph;
    topomap_keyed *arc = topomap_alloc(g->arcs, sizeof *arc, err);

    *count = 0;
    for (uint32_t u = 0; arc && u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e] && t->vertex_of[u] != t->vertex_of[g->target[e]])
                arc[(*count)++] = (topomap_keyed){-(int64_t)g->bytes[e], u, g->target[e]};
    if (arc && *count)
        qsort(arc, *count, sizeof *arc, topomap_keyed_order);
    return arc;
}

static int route_all(const topomap_traffic *t, topomap_path_search *s, const topomap_keyed *arc,
                     size_t arcs, double *load, topomap_error *err)
{
    for (size_t i = 0; i < arcs; i++) {
        uint32_t from = t->vertex_of[arc[i].a], to = t->vertex_of[arc[i].b];

        if (topomap_path_find(s, load, from, &(topomap_path_goal){.to = to}) != to)
            return topomap_traffic_unreachable(t, from, to, err);
        for (uint32_t v = to; v != from; v = s->tail[v])
            load[s->cost[v].link] += -(double)arc[i].key;
    }
    return 0;
}

int topomap_congestion_fast(const topomap_traffic *t, double *load, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_path_clear) topomap_path_search s = {0};
    size_t arcs;
    TOPOMAP_FREED topomap_keyed *arc = sort_arcs(t, &arcs, err);

    if (!arc || topomap_path_init(&s, t->network, topomap_path_lower_link, err))
        return -1;
    if (arcs >= UINT32_MAX)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%zu arcs", arcs);
    return route_all(t, &s, arc, arcs, load, err);
}
