/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/link_loads.h"

#include <stdlib.h>

#include "metric/congestion.h"
#include "util/alloc.h"

struct topomap_link_loads {
    topomap_traffic traffic;
    topomap_congestion congestion;
    double *load; /* [links] bytes */
};

static int measure(topomap_link_loads *loads, const char *model, topomap_error *err)
{
    free(loads->load);
    loads->load = topomap_alloc(loads->traffic.network->links, sizeof *loads->load, err);
    return loads->load ? topomap_congestion_measure(&loads->traffic, model, loads->load,
                                                    &loads->congestion, err)
                       : -1;
}

int topomap_link_loads_new(const topomap_graph *graph, const topomap_machine *machine,
                           const uint32_t *slot_of, const char *model, topomap_link_loads **loads,
                           topomap_error *err)
{
    topomap_link_loads *made = topomap_alloc(1, sizeof *made, err);
    int status = -1;

    if (made && topomap_traffic_open(graph, machine, slot_of, &made->traffic, err) != 0) {
        free(made);
        made = NULL;
    }
    if (!made)
        return -1;
    if (model || topomap_network_routed(made->traffic.network))
        status = measure(made, model ? model : "routes", err);
    if (status != 0 && !model)
        status = measure(made, "exact", err);
    if (status == 0)
        *loads = made;
    else
        topomap_link_loads_free(made);
    return status;
}

void topomap_link_loads_free(topomap_link_loads *loads)
{
    if (!loads)
        return;
    topomap_traffic_close(&loads->traffic);
    free(loads->load);
    free(loads);
}

const topomap_congestion *topomap_link_loads_congestion(const topomap_link_loads *loads)
{
    return &loads->congestion;
}

double topomap_link_loads_share(const topomap_link_loads *loads, uint32_t link)
{
    return loads->load[link] / loads->traffic.network->capacity[link];
}

const topomap_network *topomap_link_loads_network(const topomap_link_loads *loads)
{
    return loads->traffic.network;
}

void topomap_link_loads_vertex(const topomap_link_loads *loads, uint32_t vertex, char *text,
                               size_t size)
{
    topomap_vertex_name(loads->traffic.network, vertex, text, size);
}

void topomap_link_loads_name(const topomap_link_loads *loads, uint32_t link, char *text,
                             size_t size)
{
    topomap_link_name(loads->traffic.network, link, text, size);
}
