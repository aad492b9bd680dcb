/* SPDX-License-Identifier: BSD-3-Clause */
/* What options of map, eval and report name: the graph, the machine or the allocation, and the
 * planner's request that says the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/graph/graph_files.h"
#include "cli/map/map_command.h"
#include "graph/patterns/patterns.h"
#include "machine/machine.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/clock.h"

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
    TOPOMAP_FREED char *text = NULL;
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
    cli_order_clear(&target->order);
    planner_inputs_clear(&target->inputs);
    planner_request_clear(&target->request);
    *target = (cli_target){0};
}

/* As typed; NULL: not given. */
static const char *option_of(const cli_call *call, enum topomap_request_key key)
{
    const cli_option *row;

    for (int i = 0; (row = cli_option_at(call->command, i)); i++)
        if (row->kind == CLI_REQUEST && row->at == key && call->value[i])
            return row->value ? call->value[i] : "1";
    return NULL;
}

/* ---- The planner's request ------------------------------------------------------------------- */

char *cli_layout_text(const topomap_names *nodes, const uint32_t *tasks, const uint32_t *slot_of,
                      topomap_error *err)
{
    TOPOMAP_FREED uint32_t *first = topomap_alloc(nodes->count + 1, sizeof *first, err),
                           *task = NULL;

    for (size_t i = 0; first && i < nodes->count; i++)
        first[i + 1] = first[i] + tasks[i];
    if (!first || !(task = topomap_alloc(first[nodes->count] + 1u, sizeof *task, err)))
        return NULL;
    for (uint32_t t = 0; t < first[nodes->count]; t++)
        task[slot_of ? slot_of[t] : t] = t;
    return topomap_layout_format((uint32_t)nodes->count, first, task, err);
}

/* Slurm's layout of these counts. */
static int write_layout(FILE *out, const cli_call *call, const topomap_names *nodes,
                        const uint32_t *tasks, cli_order *order, topomap_error *err)
{
    CLI_DB_CLOSED topomap_db *db = NULL;
    TOPOMAP_FREED char *text = NULL;

    if (topomap_db_open(cli_database(call), &db, err) == 0 &&
        cli_order_make(call, db, nodes, tasks, order, err) == 0)
        text = cli_layout_text(nodes, tasks, order->slot_of, err);
    if (text)
        topomap_request_write_line(out, TOPOMAP_REQUEST_LAYOUT, text);
    return text ? 0 : -1;
}

static int write_counts(FILE *out, const cli_call *call, cli_order *order, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    TOPOMAP_FREED uint32_t *tasks = NULL;
    TOPOMAP_FREED char *counts = NULL;

    if (topomap_hostlist_expand(call->options.nodes, 0, &names, err) != 0 ||
        !(tasks = topomap_alloc(names.count, sizeof *tasks, err)) ||
        topomap_counts_parse(call->options.tasks_per_node, names.count, tasks, err) != 0 ||
        !(counts = topomap_counts_format(tasks, names.count, err)))
        return -1;
    topomap_request_write_line(out, TOPOMAP_REQUEST_TASKS, counts);
    return write_layout(out, call, &names, tasks, order, err);
}

void cli_request_scontrol(FILE *out)
{
    const char *path = getenv("PATH");

    if (!path || !strchr(path, '/'))
        return;
    fputs("scontrol ", out);
    for (const char *at = path, *between = ""; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");

        if (*at == '/') { /* relative to nothing */
            fprintf(out, "%s%.*s/scontrol", between, (int)length, at);
            between = ":";
        }
        at += length;
    }
    fputs("\nscontrol-time 5\n", out);
}

static int write_job(FILE *out, const cli_call *call, topomap_error *err)
{
    const char *job = call->options.cores_of;

    if (job && !cli_is_digits(job, 9))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "--cores-of takes a job's number, not '%.40s'", job);
    fprintf(out, "job %s\nstep 0\n", job ? job : "0");
    if (job)
        cli_request_scontrol(out);
    return 0;
}

/* As plugin/planner/launch/compose_request.c makes it of what srun knows. */
static int write_request(FILE *out, const cli_call *call, cli_order *order, topomap_error *err)
{
    char gpus[32];

    fprintf(out, "topomap-request 1\n");
    if (write_job(out, call, err) != 0)
        return -1;
    topomap_request_write_line(out, TOPOMAP_REQUEST_DB, cli_database(call));
    topomap_request_write_line(out, TOPOMAP_REQUEST_GRAPH, call->options.request.graph);
    topomap_request_write_line(out, TOPOMAP_REQUEST_NODES, call->options.nodes);
    if (write_counts(out, call, order, err) != 0)
        return -1;
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_KEYS; k++) {
        enum topomap_request_key key = (enum topomap_request_key)k;
        const char *text = option_of(call, key);

        if (key == TOPOMAP_REQUEST_EFFORT && !text)
            text = "default";
        if (key == TOPOMAP_REQUEST_STEP_GPUS && call->options.gpus_per_task) {
            snprintf(gpus, sizeof gpus, "bound:%u", call->options.gpus_per_task);
            text = gpus; /* as srun's plugin has it (plugin/srun/gpu_options.c) */
        }
        if ((key == TOPOMAP_REQUEST_OBJECTIVE || key == TOPOMAP_REQUEST_WEIGHT) && !text)
            text = "auto";
        if (text && topomap_request_row_of(key)->line)
            topomap_request_write_line(out, key, text);
    }
    fprintf(out, "record 1\nexplain 1\nend\n");
    return 0;
}

char *cli_request_make(const cli_call *call, planner_request *request, cli_order *order,
                       topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size), *in;
    int status;

    if (!out) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    status = write_request(out, call, order, err);
    if (fclose(out) != 0 && status == 0)
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    in = status == 0 ? fmemopen(text, size, "r") : NULL;
    status = in ? planner_request_read(in, request, err) : -1;
    if (in)
        fclose(in);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}
