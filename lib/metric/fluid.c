/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

static int list_flows(topomap_flows *f, const topomap_traffic *t, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e] && t->vertex_of[u] != t->vertex_of[g->target[e]] &&
                topomap_flows_add(f, t, u, g->target[e], g->bytes[e], err))
                return -1;
    if (topomap_flows_ready(f, err))
        return -1;
    for (uint32_t i = 0; i < f->count; i++)
        topomap_flows_begin(f, i);
    return 0;
}

int topomap_fluid(const topomap_traffic *traffic, double rate, uint64_t budget, double *seconds,
                  topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_flows_clear) topomap_flows f = {0};
    uint64_t flows;

    *seconds = 0;
    if (topomap_flows_open(&f, traffic->network, rate, traffic->graph->arcs, budget, err) ||
        list_flows(&f, traffic, err))
        return -1;
    if (f.links > budget / TOPOMAP_FLUID_EVENTS)
        return 1;
    flows = f.flows;
    topomap_watch_stage(traffic->watch, "sharing of links", "messages", flows);
    while (f.flows) {
        int status;
        double step;

        topomap_watch_at(traffic->watch, flows - f.flows);
        status = topomap_flows_share(&f, err);
        if (status)
            return status;
        step = topomap_flows_next(&f);
        topomap_flows_advance(&f, step, 0, NULL);
        *seconds += step;
    }
    return 0;
}
