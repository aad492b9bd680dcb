/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "plan/node_plan.h"
#include "util/alloc.h"

static int has_one_a_node(const planner_request *request)
{
    for (size_t node = 0; node < request->nodes.count; node++)
        if (request->tasks[node] != 1)
            return 0;
    return 1;
}

uint32_t planner_node_tasks_each(planner_inputs *in)
{
    const planner_request *request = in->request;
    uint32_t gpu[TOPOMAP_DEVICES_MOST], each = 0;
    uint32_t said = topomap_gpu_bound_count(request->asked.step_gpus);

    if (request->asked.tasks_are != TOPOMAP_TASKS_NODE)
        return 1;
    if (!has_one_a_node(request)) {
        planner_inputs_note(in, "tasks=node is for steps of one task on each node, and was passed "
                                "over");
        return 1;
    }
    if (said && said <= TOPOMAP_DEVICES_MOST)
        return said;
    for (uint32_t node = 0; node < request->nodes.count; node++) {
        uint32_t gpus = planner_gpus_of(request, &in->gpus, node, gpu);

        if (!gpus || (node && gpus != each))
            return 0;
        each = gpus;
    }
    return each;
}

/* \return 0: neither goes up */
static uint32_t settle(uint32_t ranks, uint32_t nodes, uint32_t each)
{
    if (each && ranks % each == 0 && ranks / each <= nodes)
        return each;
    return ranks % nodes == 0 ? ranks / nodes : 0;
}

/* Task t stands for the vertices from t * each on. */
static int fold_by(planner_inputs *in, uint32_t each, topomap_error *err)
{
    uint32_t ranks = topomap_graph_ranks(in->graph);
    TOPOMAP_FREED uint32_t *task = topomap_alloc(ranks, sizeof *task, err);
    topomap_graph *folded;

    for (uint32_t r = 0; task && r < ranks; r++)
        task[r] = r / each;
    if (!task || topomap_graph_blocks(in->graph, task, ranks / each, &folded, err))
        return -1;
    in->fold = each;
    in->unfolded = in->graph;
    in->graph = folded;
    return 0;
}

int planner_node_tasks_fold(planner_inputs *in, uint32_t known, topomap_error *err)
{
    uint32_t nodes = (uint32_t)in->request->nodes.count, ranks = topomap_graph_ranks(in->graph);
    uint32_t each = settle(ranks, nodes, known);

    if (known == 1)
        return 0;
    if (!each)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "tasks=node: the graph has %u ranks, which %u nodes cannot share "
                                 "evenly",
                                 ranks, nodes);
    if (each == 1)
        return 0;
    if (fold_by(in, each, err))
        return -1;
    if (known && each != known)
        planner_inputs_note(in, "tasks=node: the graph has %u ranks a node, which has %u GPUs",
                            each, known);
    snprintf(in->detail, sizeof in->detail,
             "tasks=node: each task stands for %u of the graph's %u ranks, the GPUs of its node",
             each, ranks);
    return 0;
}

int planner_node_tasks_profile(planner_inputs *in, topomap_error *err)
{
    uint32_t tasks = topomap_machine_slots(in->machine), ranks = topomap_graph_ranks(in->graph);
    size_t used = strlen(in->detail);

    if (ranks == tasks)
        return 0;
    if (!has_one_a_node(in->request)) {
        planner_inputs_note(
            in, "the profile is of %u workers of tasks that were alone on their nodes", ranks);
        topomap_graph_free(in->graph);
        in->graph = NULL;
        return 0;
    }
    snprintf(in->detail + used, sizeof in->detail - used,
             "; each task stands for its %u workers of %u", ranks / tasks, ranks);
    return fold_by(in, ranks / tasks, err);
}
