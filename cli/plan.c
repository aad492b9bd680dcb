/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --format plan */
#include "config.h"

#include "cli/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/order.h"
#include "plugin/planner/plan/answer.h"
#include "util/alloc.h"
#include "util/output.h"

/* Slurm's layout of these counts. */
static int write_layout(FILE *out, const cli_call *call, const topomap_names *nodes,
                        const uint32_t *tasks, topomap_error *err)
{
    uint32_t *first = topomap_alloc(nodes->count + 1, sizeof *first, err), *task = NULL;
    cli_order order = {0};
    topomap_db *db = NULL;
    char *text = NULL;

    for (size_t i = 0; first && i < nodes->count; i++)
        first[i + 1] = first[i] + tasks[i];
    if (first && topomap_db_open(cli_database(call), &db, err) == 0 &&
        cli_order_make(call, db, nodes, tasks, &order, err) == 0)
        task = topomap_alloc(first[nodes->count] + 1u, sizeof *task, err);
    for (uint32_t t = 0; task && t < first[nodes->count]; t++)
        task[order.slot_of ? order.slot_of[t] : t] = t;
    if (task)
        text = topomap_layout_format((uint32_t)nodes->count, first, task, err);
    if (text)
        fprintf(out, "layout %s\n", text);
    topomap_db_close(db);
    free(order.slot_of);
    free(first);
    free(task);
    free(text);
    return text ? 0 : -1;
}

static int write_counts(FILE *out, const cli_call *call, topomap_error *err)
{
    topomap_names names = {0};
    uint32_t *tasks = NULL;
    char *counts = NULL;
    int status = -1;

    if (topomap_hostlist_expand(cli_get(call, "nodes"), 0, &names, err) == 0 &&
        (tasks = topomap_alloc(names.count, sizeof *tasks, err)) != NULL &&
        topomap_counts_parse(cli_get(call, "tasks-per-node"), names.count, tasks, err) == 0 &&
        (counts = topomap_counts_format(tasks, names.count, err)) != NULL) {
        fprintf(out, "tasks %s\n", counts);
        status = write_layout(out, call, &names, tasks, err);
    }
    topomap_names_clear(&names);
    free(tasks);
    free(counts);
    return status;
}

/* As the plugin would write it (plugin/request.c), of the options that a request has. */
static int write_request(FILE *out, const cli_call *call, topomap_error *err)
{
    static const char *const rows[][2] = {
        {"cores", "cores"},
        {"cpus-per-task", "cpus-per-task"},
        {"threads-per-core", "threads-per-core"},
        {"bind", "bind"},
        {"layout", "inside"},
        {"objective", "objective"},
        {"background", "capacity"},
        {"seed", "seed"},
        {"time", "time"},
    };
    const char *effort = cli_get(call, "effort");

    fprintf(out, "topomap-request 1\njob 0\nstep 0\ndb %s\ngraph %s\nnodes %s\n",
            cli_database(call), cli_get(call, "graph"), cli_get(call, "nodes"));
    if (write_counts(out, call, err) != 0)
        return -1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cli_get(call, rows[i][0]))
            fprintf(out, "%s %s\n", rows[i][1], cli_get(call, rows[i][0]));
    if (cli_get(call, "contiguous"))
        fprintf(out, "contiguous 1\n");
    fprintf(out, "effort %s\nrecord 1\nexplain 1\nend\n", effort ? effort : "default");
    return 0;
}

static char *make_request(const cli_call *call, planner_request *request, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size), *in;
    int status;

    if (!out) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    status = write_request(out, call, err);
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

/* The time is left out, so that the same question has the same bytes but for the times that the
 * search took. */
static int write_plan(const cli_call *call, const char *request, const char *reply, size_t size,
                      topomap_error *err)
{
    const char *path = cli_get(call, "output");
    topomap_output *output;

    if (topomap_output_open(path ? path : "-", &output, err) != 0)
        return -1;
    fprintf(topomap_output_file(output), "topomap-plan 1\nversion %s\ntime 0\n%s", PACKAGE_VERSION,
            request);
    fwrite(reply, 1, size, topomap_output_file(output));
    return topomap_output_commit(output, err);
}

int cli_plan(const cli_call *call)
{
    static const char *const others[] = {"machine", "algorithm",  "threads", "levels",
                                         "mapping", "congestion", "from"};
    planner_request request = {0};
    topomap_error err;
    char *text, *reply = NULL;
    size_t size;
    int status = -1;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_get(call, others[i]))
            return cli_usage_error(call,
                                   "--format plan is what the planner makes of an allocation: "
                                   "it takes no --%s",
                                   others[i]);
    if (!cli_get(call, "graph") || !cli_get(call, "nodes") || !cli_get(call, "tasks-per-node"))
        return cli_usage_error(call, "--format plan wants --graph, --nodes and --tasks-per-node");
    text = make_request(call, &request, &err);
    if (text) {
        reply = planner_answer_text(&request, &size);
        status = reply ? write_plan(call, text, reply, size, &err)
                       : topomap_error_set(&err, TOPOMAP_ESYSTEM, "out of memory");
    }
    planner_request_clear(&request);
    free(text);
    free(reply);
    return status == 0 ? CLI_DONE : cli_fail(call, &err);
}
