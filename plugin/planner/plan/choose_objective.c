/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <math.h>
#include <string.h>

#include "fabric/network.h"
#include "graph/graph.h"
#include "machine/machine.h"

#define SAME 1e-9 /* of the time: rounding */

static int is_open(const topomap_request *asked)
{
    return asked->objective.kind == TOPOMAP_REQUEST_OBJECTIVE_AUTO;
}

enum topomap_objective_kind planner_objective(const topomap_request *asked,
                                              const topomap_machine *machine)
{
    if (!is_open(asked))
        return (enum topomap_objective_kind)asked->objective.kind;
    return machine->nodes > 1 && (machine->network || machine->kind == TOPOMAP_MACHINE_TORUS)
               ? TOPOMAP_OBJECTIVE_TIME
               : TOPOMAP_OBJECTIVE_J;
}

int planner_objective_costs(const topomap_request *asked, const topomap_graph *graph,
                            topomap_time_costs *costs)
{
    int left_out = is_open(asked) && !topomap_graph_has_messages(graph);

    if (left_out)
        costs->latency = costs->hop_latency = costs->overhead = 0;
    return left_out;
}

double planner_message_bytes(const topomap_request *asked, enum topomap_objective_kind objective,
                             double worth)
{
    return asked->weight == TOPOMAP_WEIGHT_MESSAGES ||
                   (asked->weight == TOPOMAP_WEIGHT_AUTO && objective != TOPOMAP_OBJECTIVE_TIME)
               ? worth
               : 0;
}

static int has_rates(const topomap_machine *machine)
{
    return machine->network && strcmp(machine->network->unit, "s") == 0;
}

void planner_time_print(const topomap_graph *graph, const topomap_machine *machine,
                        const topomap_mapping *mapping, const topomap_time_costs *costs,
                        const char *source, FILE *out)
{
    double compute = graph->compute, before = mapping->time_before + compute,
           after = mapping->time + compute;

    if (!has_rates(machine))
        fprintf(out, "topomap: rate: %.6g Gb/s of each cable, %s\n", costs->rate * 8e-9, source);
    if (compute > 0 && mapping->time_before > 0)
        fprintf(out,
                "topomap: with %.4g s of computation: %.6g s before, %.6g s after, %.3g %% lower\n",
                compute, before, after, topomap_plan_gain(before, after));
}

double planner_message_worth(const topomap_machine *machine, const topomap_time_costs *costs)
{
    const topomap_network *network = machine->network;
    double rate = 0, cables = 0;

    if (!has_rates(machine))
        return costs->hop_latency * costs->rate;
    for (uint32_t i = 0; i < network->links; i++) {
        rate += network->capacity[i];
        cables += network->cables[i];
    }
    return cables > 0 ? costs->hop_latency * rate / cables : 0;
}

void planner_objective_settle(const topomap_request *asked, topomap_mapping *mapping)
{
    if (is_open(asked) && mapping->objective == TOPOMAP_OBJECTIVE_TIME &&
        fabs(mapping->time - mapping->time_before) <= SAME * mapping->time_before)
        mapping->objective = TOPOMAP_OBJECTIVE_J;
}
