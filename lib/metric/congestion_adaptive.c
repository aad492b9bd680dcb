/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/shapes.h"
#include "graph/graph.h"
#include "metric/metric.h"

struct message {
    double bytes, *load;
};

static int put(void *data, uint32_t link, double part)
{
    const struct message *message = data;

    message->load[link] += message->bytes * part;
    return 0;
}

int topomap_congestion_adaptive(const topomap_traffic *t, double *load, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    if (!topomap_dragonfly_adaptive(t->network))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the model adaptive is for dragonfly: machines of three groups "
                                 "and more with valiant=, as in dragonfly:p=4,a=8,h=4,valiant=25; "
                                 "use routes, exact or fast");
    topomap_watch_stage(t->watch, "loads of links", "ranks", g->ranks);
    for (uint32_t u = 0; u < g->ranks; topomap_watch_at(t->watch, ++u))
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            struct message message = {(double)g->bytes[e], load};
            uint32_t from = t->vertex_of[u], to = t->vertex_of[g->target[e]];

            if (g->bytes[e] && from != to &&
                topomap_dragonfly_ways(t->network, from, t->node_of[g->target[e]], put, &message))
                return topomap_traffic_unreachable(t, from, to, err);
        }
    return 0;
}
