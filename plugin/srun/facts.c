/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plan/plan.h"
#include "plugin/common/environment_size.h"
#include "plugin/common/reply.h"
#include "plugin/common/report.h"
#include "plugin/common/child.h"
#include "util/alloc.h"
#include "plugin/common/run_planner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_flag(FILE *out, const char *key, int value)
{
    if (value)
        fprintf(out, "%s 1\n", key);
}

static void write_count(FILE *out, const plugin_facts *facts, const char *key, spank_item_t item)
{
    uint32_t count;

    if (spank_get_item(facts->spank, item, &count) == ESPANK_SUCCESS)
        fprintf(out, "%s %u\n", key, count);
}

void plugin_facts_site(FILE *out, const plugin_args *args)
{
    for (int i = 0; i < args->count; i++)
        plugin_percent_line(out, "site", args->words[i]);
}

/* ---- What was said ------------------------------------------------------------------------ */

static void write_said(FILE *out, const policy_said *said)
{
    plugin_percent_line(out, "said-step", said->step);
    plugin_percent_line(out, "said-job", said->job);
    plugin_percent_line(out, "said-step-options", said->step_options);
    plugin_percent_line(out, "said-job-options", said->job_options);
    plugin_percent_line(out, "said-environment", said->environment);
    plugin_percent_line(out, "said-environment-graph", said->environment_graph);
    write_flag(out, "said-distribution", said->distribution);
    write_flag(out, "said-other-distribution", said->other_distribution);
    write_flag(out, "said-inherited-distribution", said->inherited_distribution);
    write_flag(out, "said-cpu-bind", said->cpu_bind);
}

static void write_explain(FILE *out, const plugin_explain *explain)
{
    fprintf(out, "explain %d\n", explain->wanted != 0);
    write_flag(out, "explain-own", explain->own);
    if (explain->wanted)
        plugin_percent_line(out, "explain-file", explain->file);
}

/* "all", "none" and a task's number are no files (srun(1), --input). */
static int is_file(const char *input)
{
    return input && strcmp(input, "all") && strcmp(input, "none") &&
           strspn(input, "0123456789") != strlen(input);
}

/* What the program reads, where that is a file. */
static void write_input(FILE *out, const char *input)
{
    char path[4096];

    if (is_file(input))
        plugin_percent_line(out, "input", input);
    else if ((!input || !strcmp(input, "all")) && plugin_descriptors_input(path, sizeof path))
        plugin_percent_line(out, "input", path);
}

static void write_launcher(FILE *out, const plugin_launcher *launcher)
{
    write_flag(out, "nodes-only", launcher->nodes_only);
    write_flag(out, "paired", plugin_gpus_are_bound(&launcher->gpus) || launcher->mem_bind);
    write_flag(out, "memory-bound", launcher->mem_bind);
    write_flag(out, "several-programs", launcher->multi);
    write_flag(out, "container", launcher->container != NULL);
    plugin_percent_line(out, "chdir", launcher->chdir);
    write_input(out, launcher->input);
}

static void write_program(FILE *out, const plugin_facts *facts)
{
    char **words = NULL;
    int count = 0;

    if (spank_get_item(facts->spank, S_JOB_ARGV, &count, &words) || !words)
        return;
    for (int i = 0; i < count && words[i]; i++)
        plugin_percent_line(out, "word", words[i]);
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Since 22.05 srun reads SRUN_CPUS_PER_TASK, and the job's -c is no longer its steps'; but it is
 * what the job has for each task. */
static unsigned cpus_per_task(const plugin_launcher *launcher)
{
    const char *own = getenv("SRUN_CPUS_PER_TASK"), *job = getenv("SLURM_CPUS_PER_TASK");
    const char *text = own && *own ? own : job;
    unsigned long number = launcher->cpus_per_task;

    if (!number && text)
        number = strtoul(text, NULL, 10);
    return number && number < 1 << 20 ? (unsigned)number : 1;
}

/* The job's nodes are whole segments (slurm.conf(5), topology/block). */
static void write_segment(FILE *out, const plugin_launcher *launcher)
{
    const char *job = getenv("SLURM_JOB_SEGMENT_SIZE");
    unsigned long nodes = strtoul(launcher->segment ? launcher->segment
                                  : job             ? job
                                                    : "0",
                                  NULL, 10);

    if (nodes && nodes <= 1 << 20)
        fprintf(out, "segment %lu\n", nodes);
}

static int write_layout(FILE *out, const plugin_facts *facts, topomap_error *err)
{
    const plugin_layout *layout = facts->layout;
    const plugin_ranks *ranks = &layout->ranks;
    TOPOMAP_FREED char *counts = plugin_ranks_counts(ranks, err);
    TOPOMAP_FREED char *ids =
        counts ? topomap_layout_format(ranks->nodes, ranks->first, ranks->id, err) : NULL;

    if (!ids)
        return -1;
    fprintf(out, "nodes %s\ntasks %s\nlayout %s\n", layout->node_list, counts, ids);
    plugin_job_write(out, facts->job, facts->args);
    fprintf(out, "cpus-per-task %u\n", cpus_per_task(facts->launcher));
    if (facts->launcher->threads_per_core)
        fprintf(out, "threads-per-core %u\n", facts->launcher->threads_per_core);
    plugin_gpus_write(out, &facts->launcher->gpus);
    write_segment(out, facts->launcher);
    fprintf(out, "room %ld\n", plugin_environment_left());
    return 0;
}

static char *write_text(const plugin_facts *facts, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int failed = 0;

    if (!out)
        return topomap_printed(out, &text, err);
    fprintf(out, "topomap-request 2\njob %u\nstep %u\n", facts->job, facts->step);
    write_count(out, facts, "step-nodes", S_JOB_NNODES);
    write_count(out, facts, "step-tasks", S_JOB_TOTAL_TASK_COUNT);
    plugin_facts_site(out, facts->args);
    plugin_percent_line(out, "reason", facts->reason);
    write_said(out, facts->said);
    write_explain(out, facts->explain);
    write_launcher(out, facts->launcher);
    write_program(out, facts);
    if (facts->layout)
        failed = write_layout(out, facts, err);
    fprintf(out, "end\n");
    if (!failed)
        return topomap_printed(out, &text, err);
    fclose(out);
    free(text);
    return NULL;
}

/* ---- Asking ------------------------------------------------------------------------------ */

int plugin_facts_ask(const plugin_facts *facts, char **bytes, plugin_reply *reply, int *late,
                     topomap_error *err)
{
    const plugin_layout *layout = facts->layout;
    TOPOMAP_FREED char *request = write_text(facts, err);
    const plugin_launch launch = {.planner = facts->args->planner,
                                  .request = request,
                                  .deadline_ms = facts->args->deadline_ms,
                                  .memory = plugin_launch_memory(layout ? layout->ranks.tasks : 0)};
    size_t size;
    int failed;

    *bytes = NULL;
    failed = !request || plugin_launch_ask(&launch, bytes, &size, late, err);
    if (*late)
        plugin_breaker_trip(facts->job);
    return failed ? -1 : plugin_reply_read(*bytes, size, reply, err);
}

char *plugin_not_placed_ask(const plugin_facts *facts, plugin_reply *reply, int *late)
{
    char *bytes = NULL;

    if (plugin_breaker_is_tripped(facts->job) ||
        !plugin_facts_ask(facts, &bytes, reply, late, NULL))
        return bytes;
    free(bytes);
    return NULL;
}

void plugin_reply_print(const plugin_reply *reply)
{
    for (unsigned i = 0; i < reply->tells; i++)
        plugin_report_detail(reply->tell[i].loud, "%s", reply->tell[i].text);
}

void plugin_not_placed_explain(plugin_facts facts, const char *why)
{
    plugin_reply reply;
    int late = 0;
    TOPOMAP_FREED char *bytes = NULL;

    facts.reason = why;
    bytes = plugin_not_placed_ask(&facts, &reply, &late);
    if (bytes)
        plugin_reply_print(&reply);
}
