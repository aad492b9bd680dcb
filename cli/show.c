/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap show: what runs on each node, from the record of the plan. */
#include <jansson.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/records.h"
#include "util/alloc.h"
#include "util/ranges.h"

/* The ranks of a node, ascending, by their slots. */
static uint32_t ranks_on(const topomap_machine *machine, const uint32_t *slot_of, uint32_t node,
                         uint32_t *rank)
{
    uint32_t count = 0;

    for (uint32_t r = 0; r < topomap_machine_slots(machine); r++)
        if (topomap_machine_node_of(machine, slot_of[r]) == node)
            rank[count++] = r;
    return count;
}

static json_t *ranks_json(const uint32_t *rank, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(rank[i]));
    return list;
}

static void print_node(const planner_inputs *in, const uint32_t *slot_of, uint32_t node,
                       uint32_t *rank)
{
    printf("%-16s ", topomap_machine_node_name(in->machine, node));
    topomap_ranges_print(stdout, rank, ranks_on(in->machine, slot_of, node, rank), 3);
    printf("  (Slurm's layout: ");
    topomap_ranges_print(stdout, rank, ranks_on(in->machine, in->start, node, rank), 3);
    printf(")\n");
}

static json_t *node_json(const planner_inputs *in, const uint32_t *slot_of, uint32_t node,
                         uint32_t *rank)
{
    json_t *now = ranks_json(rank, ranks_on(in->machine, slot_of, node, rank));

    return json_pack("{s:s, s:o, s:o}", "node", topomap_machine_node_name(in->machine, node),
                     "ranks", now, "ranks_before",
                     ranks_json(rank, ranks_on(in->machine, in->start, node, rank)));
}

static int show(const cli_call *call, const planner_record *record, const planner_inputs *in,
                const uint32_t *slot_of, uint32_t *rank)
{
    uint32_t nodes = topomap_machine_nodes(in->machine);
    json_t *list = cli_get(call, "json") ? json_array() : NULL;

    if (!list)
        printf("step %u.%u: %s\n", record->request.asked.job, record->request.asked.step,
               record->reply.line);
    for (uint32_t i = 0; i < nodes; i++)
        if (list)
            json_array_append_new(list, node_json(in, slot_of, i, rank));
        else
            print_node(in, slot_of, i, rank);
    return list ? cli_json(stdout, list, 0) : CLI_DONE;
}

static int run_show(const cli_call *call)
{
    planner_record record = {0};
    planner_inputs in = {0};
    uint32_t *slot_of = NULL, *rank = NULL, slots;
    topomap_error err;
    int status = cli_record_read(call, "plan", &record, &err);

    record.request.asked.objective.kind = TOPOMAP_OBJECTIVE_J; /* no links are needed here */
    if (status == 0)
        status = planner_inputs_machine(&record.request, 0, &in, &err);
    if (status == 0)
        status = planner_inputs_start(&in, &err);
    if (status == 0) {
        slots = topomap_machine_slots(in.machine);
        slot_of = topomap_alloc(slots, sizeof *slot_of, &err);
        rank = topomap_alloc(slots, sizeof *rank, &err);
        status = slot_of && rank ? planner_record_slots(&in, &record.reply, slot_of, &err) : -1;
    }
    status = status == 0 ? show(call, &record, &in, slot_of, rank) : cli_fail(call, &err);
    free(slot_of);
    free(rank);
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
     0, run_show, NULL},
    {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
