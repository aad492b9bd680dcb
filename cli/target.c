/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/target.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "machine/machine.h"
#include "plugin/planner/plan/gpu_machine.h"
#include "plugin/planner/plan/inputs.h"
#include "plugin/planner/plan/objective.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/input.h"
#include "util/output.h"

/* Algorithms for fabrics that do not take matrices want the links. */
static int needs_links(const char *algorithm)
{
    const topomap_algorithm *row;

    for (size_t i = 0; algorithm && (row = topomap_algorithm_row(i)) != NULL; i++)
        if (strstr(row->machines, "fabric") && !strstr(row->machines, "matrix") &&
            strncmp(algorithm, row->name, strcspn(algorithm, "+,")) == 0 &&
            strlen(row->name) == strcspn(algorithm, "+,"))
            return 1;
    return 0;
}

static int wants_links(const cli_call *call)
{
    const topomap_request *asked = &call->options.request;
    int kind = asked->objective.kind;

    return asked->congestion || call->options.time ||
           (kind != TOPOMAP_OBJECTIVE_J && kind != TOPOMAP_REQUEST_OBJECTIVE_AUTO) ||
           needs_links(asked->algorithm);
}

/* Where slots are GPUs, a node's k-th task takes its k-th GPU in Slurm's layout. */
static int order_by_gpus(cli_target *target, topomap_error *err)
{
    uint32_t slots = topomap_machine_slots(target->machine), *slot_of = target->order.slot_of;

    if (!target->inputs.slot_gpu)
        return 0;
    if (!slot_of) {
        slot_of = topomap_alloc(slots, sizeof *slot_of, err);
        for (uint32_t task = 0; slot_of && task < slots; task++)
            slot_of[task] = task;
        target->order.slot_of = slot_of;
    }
    for (uint32_t task = 0; slot_of && task < slots; task++)
        slot_of[task] = planner_gpu_machine_slot(&target->inputs, slot_of[task]);
    return slot_of ? 0 : -1;
}

/* The machine and the baseline as the planner makes them of a launch. */
static int open_allocation(const cli_call *call, cli_target *target)
{
    planner_request *request = &target->request;
    planner_inputs *inputs = &target->inputs;
    topomap_error err;
    char *text;
    int status = -1;

    if (!call->options.nodes || !call->options.tasks_per_node)
        return cli_usage_error(call, "name a machine: --machine SPEC, or --nodes HOSTLIST with "
                                     "--tasks-per-node N");
    target->allocation = 1;
    text = cli_request_make(call, request, &target->order, &err);
    if (text)
        status = planner_inputs_machine(request, wants_links(call), inputs, &err);
    if (status == 0) {
        target->costs = (cli_costs){inputs->costs, inputs->measured, 0, 0};
        target->machine = inputs->machine;
        target->bindings = inputs->by_slot;
        inputs->machine = NULL;
        inputs->by_slot = (topomap_bindings){0};
        status = order_by_gpus(target, &err);
    }
    free(text);
    return status == 0 ? 0 : cli_fail(call, &err);
}

/* That tasks of a node may run on; 0: not known. */
static uint32_t cpus_of(const cli_target *target, uint32_t node)
{
    const topomap_bindings *insides = &target->bindings;
    uint32_t class = node < insides->nodes ? insides->class_of[node] : UINT32_MAX, cpus = 0,
             threads = target->request.asked.threads_per_core;

    /* An overcommitted node has no class in the plan; mostly all nodes are alike. */
    if (class == UINT32_MAX && insides->classes == 1)
        class = 0;
    for (uint32_t core = 0; class < insides->classes && core < insides->node_class[class].cores;
         core++) {
        const uint32_t *first = insides->node_class[class].pu_first + core;
        uint32_t has = first[1] - first[0];

        cpus += threads && threads < has ? threads : has;
    }
    return cpus;
}

static int knows_cores(const cli_target *target)
{
    for (uint32_t node = 0; node < target->request.nodes.count; node++)
        if (cpus_of(target, node))
            return 1;
    return 0;
}

/* Who names the job's cores is to know where the plan does not go by them. */
static void note_cores(const cli_call *call, const cli_target *target)
{
    const planner_inputs *inputs = &target->inputs;
    const char *job = call->options.cores_of, *name = call->command->name;

    if (job && *inputs->cores_detail && !inputs->told)
        fprintf(stderr, "topomap %s: note: %s\n", name, inputs->cores_detail);
    else if ((job || call->options.request.cores) && !knows_cores(target))
        fprintf(stderr,
                "topomap %s: note: the database does not know these nodes' cores, so that the "
                "job's are not gone by: topomap db import hwloc\n",
                name);
}

/* Slurm would not start it, and binds tasks beside each other. */
static void note_overcommit(const cli_call *call, const cli_target *target)
{
    const planner_request *request = &target->request;
    uint64_t each = request->asked.cpus_per_task ? request->asked.cpus_per_task : 1;

    for (uint32_t node = 0; node < request->nodes.count; node++) {
        uint32_t cpus = cpus_of(target, node);

        if (!cpus || request->tasks[node] * each <= cpus)
            continue;
        fprintf(stderr,
                "topomap %s: note: %u tasks ask for %llu CPUs of %s, which has %u: Slurm starts "
                "that with --overcommit alone\n",
                call->command->name, request->tasks[node],
                (unsigned long long)(request->tasks[node] * each), request->nodes.name[node], cpus);
        return;
    }
}

static int too_large(const cli_call *call, const char *what, const cli_target *target)
{
    uint32_t ranks = topomap_graph_ranks(target->graph),
             slots = topomap_machine_slots(target->machine);

    if (topomap_pattern_is_named(what))
        return cli_usage_error(call, "the graph has %u ranks, the machine %u slots", ranks, slots);
    return cli_usage_error(call,
                           "the graph has %u ranks, the machine %u slots; a mesh in a file is "
                           "divided: FILE,parts=%u",
                           ranks, slots, slots);
}

/* Options that a machine without a database has no use for. */
static int check_machine(const cli_call *call)
{
    const cli_options *o = &call->options;
    const char *name = o->slurm_order                    ? "--slurm-order is"
                       : o->job_nodes                    ? "--job-nodes is"
                       : o->request.cores || o->cores_of ? "--cores and --cores-of are"
                       : o->gpus_per_task                ? "--gpus-per-task is"
                                                         : NULL;

    if (o->nodes)
        return cli_usage_error(call, "--machine and --nodes exclude each other");
    if (name)
        return cli_usage_error(call, "%s for an allocation: --nodes", name);
    if (o->request.capacity)
        return cli_usage_error(call, "--background needs the links' names: --db and --nodes");
    return 0;
}

static int open_machine(const cli_call *call, cli_target *target)
{
    topomap_error err;
    int status = check_machine(call);

    if (status != 0)
        return status;
    if (topomap_machine_parse(call->options.machine, &target->machine, &err) != 0 ||
        planner_layouts_make(target->machine, NULL, &target->inputs.layouts, &err) != 0)
        return cli_fail(call, &err);
    target->inputs.message_bytes = planner_message_worth(target->machine);
    return 0;
}

static int read_graph(const cli_call *call, cli_target *target)
{
    const topomap_request *asked = &call->options.request;
    topomap_error err;

    target->objective = planner_objective(asked, target->machine);
    if (asked->capacity && target->objective == TOPOMAP_OBJECTIVE_J && !wants_links(call))
        return cli_usage_error(call, "--background is for %s",
                               strcmp(call->command->name, "eval") == 0
                                   ? "--congestion and --time"
                                   : "the objectives congestion, mix and time");
    if (cli_graph_read_as(call, asked->graph, asked->from, NULL, &target->graph, &err) != 0)
        return cli_fail(call, &err);
    cli_graph_note(call, target->graph);
    if (target->allocation) {
        note_cores(call, target);
        note_overcommit(call, target);
    }
    return topomap_graph_ranks(target->graph) > topomap_machine_slots(target->machine)
               ? too_large(call, asked->graph, target)
               : 0;
}

int cli_target_open(const cli_call *call, cli_target *target)
{
    double before = topomap_clock_cpu();
    int status;

    *target = (cli_target){.costs = {.value = TOPOMAP_TIME_COSTS}};
    if (!call->options.request.graph)
        return cli_usage_error(call, "name a communication graph: --graph FILE or a pattern");
    status = call->options.machine ? open_machine(call, target) : open_allocation(call, target);
    if (status == 0)
        status = read_graph(call, target);
    target->read_seconds = topomap_clock_cpu() - before;
    if (status != 0)
        cli_target_close(target);
    return status;
}

void cli_target_close(cli_target *target)
{
    topomap_graph_free(target->graph);
    topomap_machine_free(target->machine);
    topomap_bindings_clear(&target->bindings);
    free(target->order.slot_of);
    planner_inputs_clear(&target->inputs);
    planner_request_clear(&target->request);
    *target = (cli_target){0};
}

static int read_slots(topomap_input *input, uint32_t ranks, uint32_t *slots, topomap_error *err)
{
    char *line, *end;
    size_t length;
    uint32_t count = 0;
    int got;

    while ((got = topomap_input_line(input, 0, &line, &length, err)) == 1) {
        unsigned long long value;

        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        errno = 0;
        value = isdigit((unsigned char)*line) ? strtoull(line, &end, 10) : UINT64_MAX;
        if (errno || value >= UINT32_MAX || end[strspn(end, " \t")] != '\0')
            return topomap_input_fail(input, err, "expected the slot of rank %u, found '%.40s'",
                                      count, line);
        if (count == ranks)
            return topomap_input_fail(input, err, "expected %u slots, found more", ranks);
        slots[count++] = (uint32_t)value;
    }
    if (got == 0 && count < ranks)
        return topomap_input_fail(input, err, "expected %u slots, one per rank, found %u", ranks,
                                  count);
    return got;
}

int cli_mapping_read(const char *path, uint32_t ranks, uint32_t **slots, topomap_error *err)
{
    topomap_input *input;
    uint32_t *list;
    int status;

    if (topomap_input_open(path, &input, err) != 0)
        return -1;
    list = topomap_alloc(ranks, sizeof *list, err);
    status = list ? read_slots(input, ranks, list, err) : -1;
    topomap_input_close(input);
    if (status == 0)
        *slots = list;
    else
        free(list);
    return status;
}

int cli_mapping_write(const char *path, const uint32_t *slots, uint32_t ranks, topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(path, &output, err) != 0)
        return -1;
    for (uint32_t r = 0; r < ranks; r++)
        fprintf(topomap_output_file(output), "%u\n", slots[r]);
    return topomap_output_commit(output, err);
}
