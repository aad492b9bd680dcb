/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap show: what runs on each node, from the record of the plan. */
#include <jansson.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/records.h"
#include "plan/plan.h"
#include "plugin/planner/plan/gpu_tasks.h"
#include "util/ranges.h"

static json_t *ranks_json(const uint32_t *rank, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(rank[i]));
    return list;
}

static void print_node(const planner_request *request, const topomap_plan *plan, uint32_t node)
{
    uint32_t first = plan->first[node], count = plan->first[node + 1] - first;

    printf("%-16s ", request->nodes.name[node]);
    topomap_ranges_print(stdout, plan->task + first, count, 3);
    printf("  (Slurm's layout: ");
    topomap_ranges_print(stdout, request->layout + first, count, 3);
    printf(")");
    topomap_plan_print_devices(stdout, plan, node);
    printf("\n");
}

/* One for each of the node's ranks, null where it is not known; NULL: of none. */
static json_t *devices_json(const topomap_plan *plan, uint32_t node, int nics)
{
    json_t *list = json_array();
    int known = 0;

    for (uint32_t t = plan->first[node]; plan->gpu && t < plan->first[node + 1]; t++) {
        uint32_t of = nics ? plan->nic[t] : plan->gpu[t];

        known |= of != UINT32_MAX;
        if (of == UINT32_MAX)
            json_array_append_new(list, json_null());
        else
            json_array_append_new(list, nics ? json_string(plan->nic_name[of]) : json_integer(of));
    }
    if (known)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *node_json(const planner_request *request, const topomap_plan *plan, uint32_t node)
{
    uint32_t first = plan->first[node], count = plan->first[node + 1] - first;
    json_t *row = json_pack("{s:s, s:o, s:o}", "node", request->nodes.name[node], "ranks",
                            ranks_json(plan->task + first, count), "ranks_before",
                            ranks_json(request->layout + first, count));
    json_t *gpus = devices_json(plan, node, 0), *nics = devices_json(plan, node, 1);

    if (gpus)
        json_object_set_new(row, "gpus", gpus);
    if (nics)
        json_object_set_new(row, "nics", nics);
    return row;
}

static int show(const cli_call *call, const planner_record *record, const topomap_plan *plan)
{
    json_t *list = cli_get(call, "json") ? json_array() : NULL;

    if (!list)
        printf("step %u.%u: %s\n", record->request.asked.job, record->request.asked.step,
               record->reply.line);
    for (uint32_t i = 0; i < plan->nodes; i++)
        if (list)
            json_array_append_new(list, node_json(&record->request, plan, i));
        else
            print_node(&record->request, plan, i);
    return list ? cli_json(stdout, list, 0) : CLI_DONE;
}

static int run_show(const cli_call *call)
{
    planner_record record = {0};
    planner_inputs in = {0};
    topomap_plan plan = {0};
    topomap_error err;
    int status = cli_record_read(call, "plan", &record, &err);

    record.request.asked.objective.kind = TOPOMAP_OBJECTIVE_J; /* no links are needed here */
    if (status == 0)
        status = planner_inputs_machine(&record.request, 0, &in, &err);
    if (status == 0)
        status = planner_record_plan(&record, &plan, &err);
    if (status == 0)
        status = planner_gpu_tasks(&in, &plan.bindings, &plan, &err);
    status = status == 0 ? show(call, &record, &plan) : cli_fail(call, &err);
    topomap_plan_clear(&plan);
    planner_inputs_clear(&in);
    planner_record_clear(&record);
    return status;
}

static const cli_option show_options[] = {
    {"plan", "FILE|JOB[.STEP]", "the record of the plan (default: of the last launch)", NULL},
    {"job", "JOB[.STEP]", "the same; of a job alone, its step that was placed last", NULL},
    {"records", "DIR", "the site's folder of records (else plugstack.conf's)", NULL},
    {"db", "DB", "the topology database, where it is not where the record says", NULL},
    {"json", NULL, "for programs", NULL},
    {NULL, NULL, NULL, NULL},
};

const cli_command cli_show_commands[] = {
    {"show", "", "which ranks run on each node of a launch, and in Slurm's layout", show_options, 0,
     0, run_show,
     "Where the database knows the nodes' GPUs, a line has the GPU of each of its ranks, by "
     "Slurm's\n"
     "index on the node, and the NIC that this GPU uses; --json has them as `gpus` and `nics`, one "
     "for\n"
     "each of `ranks`.\n"},
    {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
