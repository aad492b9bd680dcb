/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"

static int place_ranks(topomap_traffic *t, const uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = t->machine;

    for (uint32_t r = 0; r < t->graph->ranks; r++) {
        if (slot_of[r] >= m->slots)
            return topomap_error_set(err, TOPOMAP_EINPUT, "rank %u is on slot %u of %u", r,
                                     slot_of[r], m->slots);
        t->node_of[r] = m->node_of[slot_of[r]];
        t->vertex_of[r] = t->network->vertex_of[t->node_of[r]];
    }
    return 0;
}

int topomap_traffic_open(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of, topomap_traffic *traffic, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_traffic_close)
    topomap_traffic t = {
        .machine = machine, .network = machine->network, .graph = graph, .slot_of = slot_of};

    if (!t.network) {
        if (topomap_network_grid(machine, &t.grid, err))
            return -1;
        t.network = t.grid;
    }
    t.node_of = topomap_alloc(graph->ranks, sizeof *t.node_of, err);
    t.vertex_of = topomap_alloc(graph->ranks, sizeof *t.vertex_of, err);
    if (!t.node_of || !t.vertex_of || place_ranks(&t, slot_of, err))
        return -1;
    *traffic = t;
    t = (topomap_traffic){0};
    return 0;
}

void topomap_traffic_close(topomap_traffic *traffic)
{
    topomap_network_free(traffic->grid);
    free(traffic->node_of);
    free(traffic->vertex_of);
}

int topomap_traffic_unreachable(const topomap_traffic *traffic, uint32_t from, uint32_t to,
                                topomap_error *err)
{
    char a[64], b[64];

    topomap_vertex_name(traffic->network, from, a, sizeof a);
    topomap_vertex_name(traffic->network, to, b, sizeof b);
    return topomap_error_set(err, TOPOMAP_EINPUT, "no path from %s to %s in this network", a, b);
}

/* ---- Names ------------------------------------------------------------------------------- */

void topomap_vertex_name(const topomap_network *network, uint32_t vertex, char *text, size_t size)
{
    if (network->name && network->name[vertex])
        snprintf(text, size, "%s", network->name[vertex]);
    else
        snprintf(text, size, "router %u", vertex);
}

void topomap_link_name(const topomap_network *network, uint32_t link, char *text, size_t size)
{
    char from[60], to[60];
    /* The last vertex whose links do not begin behind this one. */
    uint64_t behind = topomap_sorted_u32(network->first, 0, network->vertices, link + 1);

    topomap_vertex_name(network, (uint32_t)behind - 1, from, sizeof from);
    topomap_vertex_name(network, network->head[link], to, sizeof to);
    snprintf(text, size, "%s -> %s", from, to);
}
