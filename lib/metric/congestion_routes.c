/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "metric/metric.h"

/* A route that is longer than there are vertices goes round in circles. */
static int follow(const topomap_traffic *t, uint32_t from, uint32_t to, double bytes, double *load,
                  topomap_error *err)
{
    const topomap_network *n = t->network;
    uint32_t at = t->vertex_of[from], node = t->node_of[to], end = t->vertex_of[to];

    for (uint32_t steps = 0; at != end; steps++) {
        uint32_t link = topomap_network_next(n, at, node);

        if (link == UINT32_MAX || steps == n->vertices)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the routing tables have no route from rank %u's node to rank "
                                     "%u's (%s); use --congestion exact, or import the tables "
                                     "again",
                                     from, to, link == UINT32_MAX ? "it ends" : "it is a loop");
        load[link] += bytes;
        at = n->head[link];
    }
    return 0;
}

int topomap_congestion_routes(const topomap_traffic *t, double *load, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    if (!topomap_network_routed(t->network))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no routing tables: import them (topomap db import lft), or use "
                                 "the model exact or fast");
    topomap_watch_stage(t->watch, "loads of links", "ranks", g->ranks);
    for (uint32_t u = 0; u < g->ranks; topomap_watch_at(t->watch, ++u))
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e] && t->vertex_of[u] != t->vertex_of[g->target[e]] &&
                follow(t, u, g->target[e], (double)g->bytes[e], load, err))
                return -1;
    return 0;
}
