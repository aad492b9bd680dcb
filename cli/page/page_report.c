/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap report: a launch, or what `map` would make of a graph and a machine, as a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/launch/records.h"
#include "cli/map/map_command.h"
#include "cli/page/page.h"
#include "cli/page/page_site.h"
#include "cli/picture/picture.h"
#include "fabric/network.h"
#include "machine/machine.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/output.h"
#include "util/text.h"

enum { TITLE = 64 };

/* Takes the reference. */
static int write_page(const cli_call *call, const char *title, json_t *data)
{
    topomap_output *output;
    topomap_error err;

    if (topomap_output_open(cli_output(call), &output, &err) != 0) {
        json_decref(data);
        return cli_fail(call, &err);
    }
    if (page_write(topomap_output_file(output), title, data, &err) != 0) {
        topomap_output_abandon(output);
        return cli_fail(call, &err);
    }
    return topomap_output_commit(output, &err) == 0 ? CLI_DONE : cli_fail(call, &err);
}

static int write_sheet(const cli_call *call, const json_t *data)
{
    TOPOMAP_CLEANUP(topomap_draw_clear) topomap_drawing drawing = {0};
    topomap_error err;

    return page_draw(data, &drawing, &err) != 0 ||
                   picture_write(&drawing, call->options.output, &err) != 0
               ? cli_fail(call, &err)
               : CLI_DONE;
}

static json_t *make_data(const cli_call *call, const page_job *job, topomap_error *err)
{
    page_job shown = *job;
    topomap_watch watch = {.done = 0};
    terminal_progress *progress = terminal_progress_begin(call->command->name, &watch);
    json_t *data;

    shown.watch = &watch;
    data = page_data(&shown, err);
    terminal_progress_end(progress);
    return data;
}

static int write_job(const cli_call *call, const page_job *job)
{
    page_job shown = *job;
    topomap_error err;
    json_auto_t *data = NULL;

    shown.is_drawing = picture_is_format(call->options.output);
    data = make_data(call, &shown, &err);
    if (!data)
        return cli_fail(call, &err);
    return shown.is_drawing ? write_sheet(call, data)
                            : write_page(call, job->title, json_incref(data));
}

/* The layout before as a plan: tasks have the CPUs of their slots, and the GPUs that Slurm gives
 * them. Ranks that the graph has not fill the other slots; where slots are GPUs, CPUs go by a
 * task's turn on its node. \param slot_of  [ranks] */
static int plan_before(const planner_inputs *in, const topomap_machine *machine,
                       const topomap_bindings *by_slot, const uint32_t *slot_of, uint32_t ranks,
                       topomap_plan *plan, topomap_error *err)
{
    const topomap_bindings none = {0};
    uint32_t slots = topomap_machine_slots(machine), next = 0;
    TOPOMAP_FREED uint32_t *all = topomap_alloc(slots, sizeof *all, err);
    TOPOMAP_FREED uint8_t *taken = topomap_alloc(slots, sizeof *taken, err);

    if (!all || !taken)
        return -1;
    for (uint32_t r = 0; r < slots; r++) {
        while (r >= ranks && taken[next])
            next++;
        all[r] = r < ranks ? slot_of[r] : next++;
        taken[all[r]] = 1;
    }
    /* Every slot is taken: the next of a task's node is one of the node's. */
    if (in->slot_gpu) {
        memset(taken, 0, slots * sizeof *taken);
        for (uint32_t r = 0; r < slots; r++) {
            all[r] = machine->slot_first[machine->node_of[all[r]]];
            while (taken[all[r]])
                all[r]++;
            taken[all[r]] = 1;
        }
    }
    return topomap_plan_make(machine, all, by_slot, plan, err) != 0
               ? -1
               : planner_gpu_tasks(in, &none, plan, err);
}

/* The links of a database without routing tables, which its launches do not read: messages have
 * equal shares then. Where that would take long there are none, nor where places are GPUs, whose
 * traffic goes by rails. \return 1: they are there now, for the page alone */
static int add_links(const planner_inputs *in, const planner_request *request,
                     const topomap_graph *graph, topomap_machine *machine)
{
    const topomap_db_allocation allocation = {
        .size = sizeof allocation, .nodes = &request->nodes, .tasks = request->tasks};
    const uint64_t patience = 1 << 26;             /* a second or two */
    uint32_t phases = topomap_graph_phases(graph); /* each is a pass of its own */
    topomap_error why;
    CLI_DB_CLOSED topomap_db *db = NULL;

    if (!request->asked.db || machine->network || machine->kind == TOPOMAP_MACHINE_TORUS ||
        in->slot_gpu || machine->nodes < 2 || topomap_db_open(request->asked.db, &db, &why) != 0 ||
        topomap_db_machine_links(db, &allocation, request->asked.capacity, machine, &why) != 0 ||
        !machine->network)
        return 0;
    if (!topomap_network_routed(machine->network) &&
        (uint64_t)machine->nodes * machine->network->links > patience / (phases ? phases : 1)) {
        topomap_network_free(machine->network);
        machine->network = NULL;
    }
    return machine->network != NULL;
}

/* ---- A graph and a machine --------------------------------------------------------------- */

/* The command, as it was given but for the page. */
static void write_command(const cli_call *call, char *text, size_t size)
{
    const cli_option *option = call->command->options;

    snprintf(text, size, "topomap map");
    for (size_t i = 0; option[i].name; i++)
        if (call->value[i] && strcmp(option[i].name, "output") != 0)
            topomap_text_append(text, size, " --%s %s", option[i].name, call->value[i]);
}

static int print_mapped(const cli_call *call, const cli_result *result)
{
    char command[2048], line[512];
    TOPOMAP_CLEANUP(topomap_plan_clear) topomap_plan before = {0};
    topomap_error err;
    double gain = topomap_plan_gain_of(result->mapping, result->before.J, result->after.J,
                                       result->congestion);
    page_job job = {.title = call->options.request.graph,
                    .line = line,
                    .command = command,
                    .start_name = result->options->start_name,
                    .graph = result->target->graph,
                    .machine = result->target->machine,
                    .slot = {result->baseline, result->mapping->slot_of_rank},
                    .plan = {&before, &result->plan},
                    .db = result->target->request.asked.db,
                    .nodes = &result->target->request.nodes,
                    .by_slot = &result->target->bindings,
                    .mapping = result->mapping,
                    .costs = &result->costs.value,
                    .ranks = topomap_graph_ranks(result->target->graph)};

    if (add_links(&result->target->inputs, &result->target->request, result->target->graph,
                  result->target->machine))
        job.costs = NULL; /* nobody has asked for times by shares */
    write_command(call, command, sizeof command);
    snprintf(line, sizeof line, "%u ranks placed by %s, %s %.1f %% %s", job.ranks,
             result->mapping->algorithm, topomap_plan_figure(result->mapping, 1), fabs(gain),
             gain < 0 ? "higher" : "lower");
    return plan_before(&result->target->inputs, job.machine, job.by_slot, job.slot[0], job.ranks,
                       &before, &err) == 0
               ? write_job(call, &job)
               : cli_fail(call, &err);
}

/* ---- A launch ---------------------------------------------------------------------------- */

typedef struct launch {
    planner_record record;
    planner_inputs in;
    uint32_t *slot_of;   /* [slots] */
    topomap_plan before; /* Slurm's */
    topomap_plan plan;   /* as it travelled, with GPUs */
    store_comparison times;
    int is_measured, has_shares; /* links that were read for the page */
} launch;

static void launch_clear(launch *l)
{
    free(l->slot_of);
    topomap_plan_clear(&l->before);
    topomap_plan_clear(&l->plan);
    planner_inputs_clear(&l->in);
    planner_record_clear(&l->record);
}

static int open_launch(const cli_call *call, const char *record, launch *l, topomap_error *err)
{
    if (cli_record_read(call, record, &l->record, err) != 0 ||
        cli_record_inputs(call, &l->record, err) != 0)
        return -1;
    l->is_measured = page_measured(&l->record.request, &l->times);
    l->record.request.asked.objective.kind = TOPOMAP_REQUEST_OBJECTIVE_AUTO; /* links, if known */
    if (planner_inputs_open(&l->record.request, &l->in, err) != 0)
        return -1;
    if (!l->in.graph)
        return topomap_error_set(err, TOPOMAP_EINPUT, "there is no graph to show: %s", l->in.note);
    /* As the plan's own times were. */
    planner_objective_costs(&l->record.request.asked, l->in.graph, &l->in.costs);
    l->slot_of = topomap_alloc(topomap_machine_slots(l->in.machine), sizeof *l->slot_of, err);
    l->has_shares = add_links(&l->in, &l->record.request, l->in.graph, l->in.machine);
    return l->slot_of && planner_record_slots(&l->in, &l->record.reply, l->slot_of, err) == 0 &&
                   planner_record_plan(&l->record, &l->plan, err) == 0 &&
                   plan_before(&l->in, l->in.machine, &l->in.by_slot, l->in.start,
                               topomap_machine_slots(l->in.machine), &l->before, err) == 0
               ? planner_gpu_tasks(&l->in, &l->plan.bindings, &l->plan, err)
               : -1;
}

static page_job job_of(const launch *l, char title[TITLE], char command[TITLE])
{
    snprintf(title, TITLE, "Step %u.%u", l->record.request.asked.job, l->record.request.asked.step);
    snprintf(command, TITLE, "topomap map --replay %u.%u", l->record.request.asked.job,
             l->record.request.asked.step);
    return (page_job){.title = title,
                      .line = l->record.reply.line,
                      .command = command,
                      .start_name = "Slurm's layout",
                      .graph = l->in.graph,
                      .machine = l->in.machine,
                      .slot = {l->in.start, l->slot_of},
                      .plan = {&l->before, &l->plan},
                      .db = l->record.request.asked.db,
                      .nodes = &l->record.request.nodes,
                      .by_slot = &l->in.by_slot,
                      .costs = l->has_shares ? NULL : &l->in.costs,
                      .times = l->is_measured ? &l->times : NULL,
                      .ranks = topomap_machine_slots(l->in.machine)};
}

static int report_launch(const cli_call *call)
{
    char title[TITLE], command[TITLE];
    topomap_error err;
    TOPOMAP_CLEANUP(launch_clear) launch l = {.slot_of = NULL};
    page_job job;

    if (open_launch(call, call->options.plan, &l, &err) != 0)
        return cli_fail(call, &err);
    job = job_of(&l, title, command);
    return write_job(call, &job);
}

/* ---- Two launches ------------------------------------------------------------------------ */

static json_t *data_of(const cli_call *call, const char *plan, topomap_error *err)
{
    char title[TITLE], command[TITLE];
    TOPOMAP_CLEANUP(launch_clear) launch l = {.slot_of = NULL};
    page_job job;

    if (open_launch(call, plan, &l, err) != 0)
        return NULL;
    job = job_of(&l, title, command);
    job.title = plan;
    return make_data(call, &job, err);
}

static int compare(const cli_call *call)
{
    const char *line = "Two plans, side by side: A and B";
    json_t *a, *b = NULL, *both;
    topomap_error err;

    if (call->operands != 2)
        return cli_usage_error(call, "--compare takes two records: FILE or JOB[.STEP], twice");
    a = data_of(call, call->operand[0], &err);
    if (a)
        b = data_of(call, call->operand[1], &err);
    if (!b) {
        json_decref(a);
        return cli_fail(call, &err);
    }
    json_object_del(a, "inside"); /* not shown */
    json_object_del(b, "inside");
    both = cli_json_object("line:s a:o b:o", line, a, b);
    return write_page(call, "Two plans", both);
}

/* ---- A site ------------------------------------------------------------------------------ */

static int report_site(const cli_call *call)
{
    const char *output = call->options.output;
    topomap_output *file;
    topomap_error err;
    page_site site;
    time_t now = (time_t)topomap_clock_date();

    if (!cli_ends_in(output, ".html") && !cli_ends_in(output, ".prom"))
        return cli_usage_error(call, "of a site --output takes a name that ends in .html or .prom");
    if (page_site_read(call->options.records, call->options.store, now, &site, &err) != 0 ||
        topomap_output_open(output, &file, &err) != 0)
        return cli_fail(call, &err);
    if (cli_ends_in(output, ".prom"))
        page_site_prom(topomap_output_file(file), &site);
    else
        page_site_html(topomap_output_file(file), &site, now);
    return topomap_output_commit(file, &err) == 0 ? CLI_DONE : cli_fail(call, &err);
}

static int run_report(const cli_call *call)
{
    const char *output = call->options.output;

    if (call->options.records && !call->options.plan && !call->options.job &&
        !call->options.compare)
        return report_site(call);
    if (cli_ends_in(output, ".prom"))
        return cli_usage_error(call, "metrics are those of a site: --records FOLDER -o FILE.prom, "
                                     "without --plan, --job and --compare");
    if (!cli_ends_in(output, ".html") && (call->options.compare || !picture_is_format(output)))
        return cli_usage_error(call, "--output takes FILE.html%s%s%s%s%s",
                               call->options.compare ? "" : ", ",
                               call->options.compare ? "" : picture_formats,
                               output ? ", not '" : "", output ? output : "", output ? "'" : "");
    if (call->options.compare)
        return compare(call);
    if (call->operands)
        return cli_usage_error(call, "'%s': two records are for --compare", call->operand[0]);
    if (!call->options.machine && !call->options.nodes)
        return report_launch(call);
    if (call->options.plan || call->options.job)
        return cli_usage_error(call, "a launch has its machine: name --plan or --job, or --machine "
                                     "or --nodes");
    return cli_map_print(call, print_mapped);
}

static const char report_text[] =
    "A page of HTML that needs nothing else: before and after, who talks to whom, how far bytes\n"
    "travel, the network with what its cables carry, the busiest links and whose traffic that is,\n"
    "what nodes have inside and which ranks have it, measured times where the store has some,\n"
    "which ranks run on each node, how far a training job's groups are spread, where each rank\n"
    "runs and what it costs (up to 20,000 ranks), what the search tried, and the command that\n"
    "makes the plan again. It is about a launch, from its record, or with --graph and --machine\n"
    "or --nodes about what `map` makes of them. Links are shown where the machine's are known, by\n"
    "equal shares of all shortest paths where routes are not and that takes seconds at most;\n"
    "predicted times where routes are, or times were asked for; a network of more than 6,000\n"
    "vertices as groups of them. As FILE.svg, FILE.png or FILE.pdf it is one sheet: the figures,\n"
    "who talks to whom by node, bytes by distance, the network and the busiest links, before and\n"
    "after.\n"
    "\n"
    "With --records and without a launch it is about a site: what became of all steps that users\n"
    "have records of, as a page or (FILE.prom) for node_exporter's textfile collector: how many\n"
    "were placed, what they gain as planned, why others were left alone, how long searches took;\n"
    "with --store what was measured. It has no users' words, names or paths. Root reads each\n"
    "user's with that user's rights.\n";

static const cli_option report_options[] = {
    {"plan", "FILE|JOB[.STEP]", TEXT(plan), "the record of a plan (default: of the last launch)"},
    {"job", "JOB[.STEP]", TEXT(job), "the same; of a job alone, its step that was placed last"},
    {"records", "DIR", TEXT(records),
     "the site's folder of records: of the launch (else plugstack.conf's), or without one the "
     "site's page"},
    {"store", "DIR", EXPERT(TEXT(store)),
     "of a site: its store of profiles, for what was measured"},
    {"compare", NULL, FLAG(compare), "two plans side by side: A and B, each a FILE or JOB[.STEP]"},
    CLI_TARGET_OPTIONS,
    {"algorithm", "NAME", REQUEST(ALGORITHM), "of a graph and a machine, as `map` has it",
     .alias = "a"},
    {"objective", "WHAT", REQUEST(OBJECTIVE),
     "likewise: J, congestion, mix[:ALPHA], time or auto (default)"},
    {"effort", "LEVEL", EXPERT(REQUEST(EFFORT)), "likewise: fast, default or strong"},
    {"seed", "N", EXPERT(REQUEST(SEED)), "likewise: the same seed gives the same map (default 1)"},
    {"mapping", "FILE", EXPERT(TEXT(mapping)), "an existing mapping: the baseline"},
    {"output", "FILE.html|.svg|.png|.pdf|.prom", TEXT(output),
     "the page; as a picture, one sheet of it", "o"},
    {0},
};

CLI_COMMAND(cli_report, "report", "[A B]",
            "a page about a launch, a plan or a site: what was gained, and where everything is",
            report_options, 0, 2, run_report, report_text);
