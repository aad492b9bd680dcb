/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "cli/request.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "util/alloc.h"

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

/* Slurm's layout of these counts. */
static int write_layout(FILE *out, const cli_call *call, const topomap_names *nodes,
                        const uint32_t *tasks, cli_order *order, topomap_error *err)
{
    uint32_t *first = topomap_alloc(nodes->count + 1, sizeof *first, err), *task = NULL;
    topomap_db *db = NULL;
    char *text = NULL;

    for (size_t i = 0; first && i < nodes->count; i++)
        first[i + 1] = first[i] + tasks[i];
    if (first && topomap_db_open(cli_database(call), &db, err) == 0 &&
        cli_order_make(call, db, nodes, tasks, order, err) == 0)
        task = topomap_alloc(first[nodes->count] + 1u, sizeof *task, err);
    for (uint32_t t = 0; task && t < first[nodes->count]; t++)
        task[order->slot_of ? order->slot_of[t] : t] = t;
    if (task)
        text = topomap_layout_format((uint32_t)nodes->count, first, task, err);
    if (text)
        topomap_request_write_line(out, TOPOMAP_REQUEST_LAYOUT, text);
    topomap_db_close(db);
    free(first);
    free(task);
    free(text);
    return text ? 0 : -1;
}

static int write_counts(FILE *out, const cli_call *call, cli_order *order, topomap_error *err)
{
    topomap_names names = {0};
    uint32_t *tasks = NULL;
    char *counts = NULL;
    int status = -1;

    if (topomap_hostlist_expand(call->options.nodes, 0, &names, err) == 0 &&
        (tasks = topomap_alloc(names.count, sizeof *tasks, err)) != NULL &&
        topomap_counts_parse(call->options.tasks_per_node, names.count, tasks, err) == 0 &&
        (counts = topomap_counts_format(tasks, names.count, err)) != NULL) {
        topomap_request_write_line(out, TOPOMAP_REQUEST_TASKS, counts);
        status = write_layout(out, call, &names, tasks, order, err);
    }
    topomap_names_clear(&names);
    free(tasks);
    free(counts);
    return status;
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

    if (job && (strspn(job, "0123456789") != strlen(job) || !*job || strlen(job) > 9))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "--cores-of takes a job's number, not '%.40s'", job);
    fprintf(out, "job %s\nstep 0\n", job ? job : "0");
    if (job)
        cli_request_scontrol(out);
    return 0;
}

/* As plugin/planner/launch/compose.c makes it of what srun knows. */
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
            text = gpus; /* as srun's plugin has it (plugin/srun/gpus.c) */
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
