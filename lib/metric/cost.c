/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "util/alloc.h"

static void sum_up(const topomap_weights *weights, const topomap_machine *machine,
                   const uint32_t *slot_of, topomap_cost *cost)
{
    for (uint32_t u = 0; u < weights->vertices; u++)
        for (uint64_t e = weights->offset[u]; e < weights->offset[u + 1]; e++) {
            uint32_t v = weights->target[e], p = slot_of[u], q = slot_of[v], hops;

            if (v < u)
                continue;
            hops = topomap_machine_hops(machine, p, q);
            cost->J += (double)weights->weight[e] * topomap_slot_distance(machine, p, q);
            cost->hop_bytes += (double)weights->weight[e] * hops;
            cost->max_dilation = hops > cost->max_dilation ? hops : cost->max_dilation;
            cost->level_bytes[topomap_machine_level_of(machine, p, q)] += weights->weight[e];
        }
    cost->dilation = weights->total ? cost->hop_bytes / (double)weights->total : 0.0;
}

static int weigh_nodes(const topomap_graph *graph, const topomap_machine *machine,
                       const uint32_t *slot_of_rank, double *imbalance, topomap_error *err)
{
    TOPOMAP_FREED double *load = topomap_alloc(machine->nodes, sizeof *load, err);
    double total = 0.0;

    if (!load)
        return -1;
    for (uint32_t r = 0; graph->load && r < graph->ranks; r++) {
        load[machine->node_of[slot_of_rank[r]]] += (double)graph->load[r];
        total += (double)graph->load[r];
    }
    *imbalance =
        total > 0.0 ? topomap_nodes_most_load(machine, load) / (total / machine->slots) : 0.0;
    return 0;
}

int topomap_cost_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                          const uint32_t *slot_of_rank, topomap_cost *cost, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_cost_clear)
    topomap_cost sum = {.levels = topomap_machine_levels(machine)};
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};

    if (topomap_machine_check_slots(machine, slot_of_rank, graph->ranks, TOPOMAP_EINPUT, err) ||
        topomap_weights_new(graph, graph->ranks, &weights, err))
        return -1;
    sum.level_bytes = topomap_alloc(sum.levels, sizeof *sum.level_bytes, err);
    if (!sum.level_bytes ||
        weigh_nodes(graph, machine, slot_of_rank, &sum.load_imbalance, err) != 0 ||
        topomap_bound_lower(&weights, machine, &sum.lower_bound, err) != 0)
        return -1;
    sum_up(&weights, machine, slot_of_rank, &sum);
    *cost = sum;
    sum.level_bytes = NULL;
    return 0;
}

void topomap_cost_clear(topomap_cost *cost)
{
    free(cost->level_bytes);
    cost->level_bytes = NULL;
    cost->levels = 0;
}
