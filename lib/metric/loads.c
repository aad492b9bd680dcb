/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/loads.h"

#include <stdlib.h>

#include "metric/congestion.h"
#include "util/alloc.h"

struct topomap_loads {
    topomap_traffic traffic;
    const char *model;
    double *load; /* [links] bytes */
};

static int measure(topomap_loads *loads, const char *model, topomap_error *err)
{
    uint32_t links = loads->traffic.network->links;

    free(loads->load);
    loads->model = model;
    loads->load = topomap_alloc(links, sizeof *loads->load, err);
    return loads->load ? topomap_congestion_loads(&loads->traffic, model, loads->load, err) : -1;
}

int topomap_loads_new(const topomap_graph *graph, const topomap_machine *machine,
                      const uint32_t *slot_of, const char *model, topomap_loads **loads,
                      topomap_error *err)
{
    topomap_loads *made = topomap_alloc(1, sizeof *made, err);
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
        topomap_loads_free(made);
    return status;
}

void topomap_loads_free(topomap_loads *loads)
{
    if (!loads)
        return;
    topomap_traffic_close(&loads->traffic);
    free(loads->load);
    free(loads);
}

const char *topomap_loads_model(const topomap_loads *loads)
{
    return loads->model;
}

const char *topomap_loads_unit(const topomap_loads *loads)
{
    return loads->traffic.network->unit;
}

uint32_t topomap_loads_links(const topomap_loads *loads)
{
    return loads->traffic.network->links;
}

double topomap_loads_share(const topomap_loads *loads, uint32_t link)
{
    return loads->load[link] / loads->traffic.network->capacity[link];
}

void topomap_loads_name(const topomap_loads *loads, uint32_t link, char *text, size_t size)
{
    topomap_link_name(loads->traffic.network, link, text, size);
}
