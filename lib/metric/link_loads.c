/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>

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
    const char *usual;
    int status = -1;

    if (!made || topomap_traffic_open(graph, machine, slot_of, &made->traffic, err) != 0) {
        free(made);
        return -1;
    }
    usual = topomap_congestion_usual(made->traffic.network);
    status = measure(made, model ? model : usual, err);
    if (status != 0 && !model && strcmp(usual, "exact") != 0)
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

/* Among the most of its link, from the last place up. */
static void take(topomap_link_pair *most, uint32_t each, topomap_link_pair pair)
{
    uint32_t at = each;

    while (at > 0 && most[at - 1].bytes < pair.bytes)
        at--;
    if (at == each)
        return;
    memmove(most + at + 1, most + at, (each - 1 - at) * sizeof *most);
    most[at] = pair;
}

int topomap_link_loads_pairs(const topomap_link_loads *loads, const uint32_t *link, uint32_t count,
                             uint32_t each, topomap_link_pair *pair, double *bytes,
                             topomap_error *err)
{
    const topomap_traffic *t = &loads->traffic;
    const topomap_graph *g = t->graph;
    TOPOMAP_FREED uint32_t *asked = NULL;

    memset(pair, 0, (size_t)count * each * sizeof *pair);
    memset(bytes, 0, count * sizeof *bytes);
    if (strcmp(loads->congestion.model, "routes") != 0)
        return 0;
    asked = topomap_alloc((size_t)t->network->links + 1, sizeof *asked, err);
    if (!asked)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        asked[link[i]] = i + 1;
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e], at = t->vertex_of[u];

            while (g->bytes[e] && at != t->vertex_of[v]) { /* there is a way: it was measured */
                uint32_t next = topomap_network_next(t->network, at, t->node_of[v]);
                uint32_t i = asked[next];

                if (i) {
                    take(pair + (size_t)(i - 1) * each, each,
                         (topomap_link_pair){u, v, g->bytes[e]});
                    bytes[i - 1] += (double)g->bytes[e];
                }
                at = t->network->head[next];
            }
        }
    return 0;
}
