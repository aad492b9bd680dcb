/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include "graph/graph.h"
#include "plan/plan.h"
#include "util/alloc.h"

/* As a search would have gone by it. */
static int by_J(const planner_inputs *in, const uint32_t *slots, double *value, topomap_error *err)
{
    double bytes = planner_message_bytes(&in->request->asked, in->objective, in->message_bytes);
    topomap_weights w;

    *value = 0;
    if (topomap_weights_of_messages(in->graph, topomap_graph_ranks(in->graph),
                                    topomap_message_bytes(in->graph, bytes), &w, err) != 0)
        return -1;
    for (uint32_t u = 0; u < w.vertices; u++)
        for (uint64_t e = w.offset[u]; e < w.offset[u + 1]; e++)
            if (u < w.target[e])
                *value += (double)w.weight[e] *
                          topomap_machine_distance(in->machine, slots[u], slots[w.target[e]]);
    topomap_weights_clear(&w);
    return 0;
}

static int by_time(const planner_inputs *in, const uint32_t *slots, double *value,
                   topomap_error *err)
{
    topomap_time time;

    if (topomap_time_evaluate(in->graph, in->machine, slots, &in->costs, &time, err) != 0)
        return -1;
    *value = time.seconds;
    topomap_time_clear(&time);
    return 0;
}

static int judge(planner_inputs *in, double *gain, topomap_error *err)
{
    const planner_request *request = in->request;
    uint32_t slots = topomap_machine_slots(in->machine);
    int (*value)(const planner_inputs *, const uint32_t *, double *, topomap_error *) =
        in->objective == TOPOMAP_OBJECTIVE_TIME ? by_time : by_J;
    TOPOMAP_FREED uint32_t *layout = topomap_alloc(slots, sizeof *layout, err), *judged = NULL;
    double before, after;

    planner_objective_costs(&request->asked, in->graph, &in->costs);
    if (!layout ||
        topomap_layout_parse(request->asked.judge, (uint32_t)request->nodes.count, request->first,
                             layout, err) != 0 ||
        !(judged = planner_inputs_slots(in, layout, err)) ||
        value(in, in->start, &before, err) != 0 || value(in, judged, &after, err) != 0)
        return -1;
    *gain = before > 0 ? 100 * (before - after) / before : 0;
    return 0;
}

int planner_judge_layout(const planner_request *request, double *gain, topomap_error *err)
{
    TOPOMAP_CLEARED(planner_inputs_clear) planner_inputs in = {0};

    if (planner_inputs_open(request, &in, err) != 0)
        return -1;
    if (in.objective != TOPOMAP_OBJECTIVE_J && in.objective != TOPOMAP_OBJECTIVE_TIME)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "layouts are judged by J and time alone");
    return judge(&in, gain, err);
}
