/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/congestion.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "util/alloc.h"

static const struct {
    topomap_congestion_info info;
    topomap_congestion_model *add;
} models[] = {
    {{"exact", "all shortest paths, each path with the same share"}, topomap_congestion_exact},
    {{"fast", "one shortest path for each pair, the least loaded so far"}, topomap_congestion_fast},
    {{"routes", "the fabric's own routing tables"}, topomap_congestion_routes},
};
enum { MODELS = sizeof models / sizeof models[0] };

const topomap_congestion_info *topomap_congestion_row(size_t i)
{
    return i < MODELS ? &models[i].info : NULL;
}

static void name_vertex(const topomap_network *network, uint32_t vertex, char *text, size_t size)
{
    if (network->name && network->name[vertex])
        snprintf(text, size, "%s", network->name[vertex]);
    else
        snprintf(text, size, "router %u", vertex);
}

int topomap_congestion_unreachable(const topomap_traffic *traffic, uint32_t from, uint32_t to,
                                   topomap_error *err)
{
    char a[64], b[64];

    name_vertex(traffic->network, from, a, sizeof a);
    name_vertex(traffic->network, to, b, sizeof b);
    return topomap_error_set(err, TOPOMAP_EINPUT, "no path from %s to %s in this network", a, b);
}

static uint32_t tail_of(const topomap_network *network, uint32_t link)
{
    uint32_t low = 0, high = network->vertices;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (network->first[middle] <= link)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Shares that differ by less are equal: the first of them is the worst link. */
#define ROUNDING 1e-12

static void sum_up(const topomap_network *network, const double *load,
                   topomap_congestion *congestion)
{
    uint32_t worst = UINT32_MAX;
    double sum = 0.0;
    char from[60], to[60];

    for (uint32_t link = 0; link < network->links; link++) {
        double share = load[link] / network->capacity[link];

        sum += share;
        congestion->used += load[link] > 0.0;
        if (share > congestion->max * (1 + ROUNDING))
            worst = link;
        congestion->max = share > congestion->max ? share : congestion->max;
    }
    congestion->links = network->links;
    congestion->unit = network->unit;
    congestion->mean = network->links ? sum / network->links : 0.0;
    if (worst == UINT32_MAX)
        return;
    name_vertex(network, tail_of(network, worst), from, sizeof from);
    name_vertex(network, network->head[worst], to, sizeof to);
    snprintf(congestion->worst, sizeof congestion->worst, "%s -> %s", from, to);
}

static int evaluate(const topomap_graph *graph, const topomap_machine *machine,
                    const topomap_network *network, const uint32_t *slot_of, size_t model,
                    topomap_congestion *congestion, topomap_error *err)
{
    uint32_t *node_of = topomap_alloc(graph->ranks, sizeof *node_of, err);
    uint32_t *vertex_of = topomap_alloc(graph->ranks, sizeof *vertex_of, err);
    double *load = topomap_alloc(network->links, sizeof *load, err);
    topomap_traffic traffic = {machine, network, graph, vertex_of, node_of};
    int status = node_of && vertex_of && load ? 0 : -1;

    for (uint32_t r = 0; status == 0 && r < graph->ranks; r++) {
        if (slot_of[r] >= machine->slots) {
            status = topomap_error_set(err, TOPOMAP_EINPUT, "rank %u is on slot %u of %u", r,
                                       slot_of[r], machine->slots);
            break;
        }
        node_of[r] = machine->node_of[slot_of[r]];
        vertex_of[r] = network->vertex_of[node_of[r]];
    }
    if (status == 0)
        status = models[model].add(&traffic, load, err);
    if (status == 0) {
        *congestion = (topomap_congestion){.model = models[model].info.name};
        sum_up(network, load, congestion);
    }
    free(node_of);
    free(vertex_of);
    free(load);
    return status;
}

int topomap_congestion_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                                const uint32_t *slot_of_rank, const char *model,
                                topomap_congestion *congestion, topomap_error *err)
{
    topomap_network *grid = NULL;
    size_t row = 0;
    int status;

    while (row < MODELS && strcmp(models[row].info.name, model) != 0)
        row++;
    if (row == MODELS)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no model of congestion '%s'; there are exact, fast and routes",
                                 model);
    if (!machine->network && topomap_network_grid(machine, &grid, err))
        return -1;
    status = evaluate(graph, machine, grid ? grid : machine->network, slot_of_rank, row, congestion,
                      err);
    topomap_network_free(grid);
    return status;
}
