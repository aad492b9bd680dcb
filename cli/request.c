/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "cli/request.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "util/alloc.h"

/* ---- Options ------------------------------------------------------------------------------- */

/* NULL: not given. A flag of that name where a value is asked for is another option: --time of
 * `eval`. */
static const char *option_of(const cli_call *call, enum topomap_request_key key)
{
    const topomap_request_row *row = topomap_request_row_of(key);
    const char *text = row->option ? cli_get(call, row->option) : NULL;

    if (!text || cli_is_flag(call, row->option) != row->flag)
        return NULL;
    return row->flag ? "1" : text;
}

/* As srun's plugin has --gpus-per-task (plugin/srun/gpus.c). */
static int read_gpus(const cli_call *call, topomap_request *asked)
{
    char word[32];
    uint64_t gpus;
    topomap_error err;
    int status = cli_integer(call, "gpus-per-task", 1, 1024, 0, &gpus);

    if (status || !gpus)
        return status;
    snprintf(word, sizeof word, "bound:%u", (unsigned)gpus);
    return topomap_request_set(asked, TOPOMAP_REQUEST_STEP_GPUS, word, &err) ? cli_fail(call, &err)
                                                                             : 0;
}

int cli_request_read(const cli_call *call, topomap_request *asked)
{
    topomap_error err;
    char takes[160];

    topomap_request_init(asked);
    if (topomap_request_set(asked, TOPOMAP_REQUEST_EFFORT, "default", &err) != 0)
        return cli_fail(call, &err);
    for (int k = 0; k < TOPOMAP_REQUEST_KEYS; k++) {
        enum topomap_request_key key = (enum topomap_request_key)k;
        const char *text = option_of(call, key);

        if (!text || topomap_request_set(asked, key, text, &err) == 0)
            continue;
        if (err.code != TOPOMAP_EINPUT)
            return cli_fail(call, &err);
        topomap_request_takes(key, takes, sizeof takes);
        return cli_usage_error(call, "--%s takes %s, not '%s'", topomap_request_row_of(key)->option,
                               takes, text);
    }
    return read_gpus(call, asked);
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

    if (topomap_hostlist_expand(cli_get(call, "nodes"), 0, &names, err) == 0 &&
        (tasks = topomap_alloc(names.count, sizeof *tasks, err)) != NULL &&
        topomap_counts_parse(cli_get(call, "tasks-per-node"), names.count, tasks, err) == 0 &&
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
    const char *job = cli_get(call, "cores-of");

    if (job && (strspn(job, "0123456789") != strlen(job) || !*job || strlen(job) > 9))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "--cores-of takes a job's number, not '%.40s'", job);
    fprintf(out, "job %s\nstep 0\n", job ? job : "0");
    if (job)
        cli_request_scontrol(out);
    return 0;
}

/* As plugin/planner/launch/compose.c makes it of what srun knows. */
static int write_request(FILE *out, const cli_call *call, const topomap_request *asked,
                         cli_order *order, topomap_error *err)
{
    fprintf(out, "topomap-request 1\n");
    if (write_job(out, call, err) != 0)
        return -1;
    topomap_request_write_line(out, TOPOMAP_REQUEST_DB, cli_database(call));
    topomap_request_write_line(out, TOPOMAP_REQUEST_GRAPH, asked->graph);
    topomap_request_write_line(out, TOPOMAP_REQUEST_NODES, cli_get(call, "nodes"));
    if (write_counts(out, call, order, err) != 0)
        return -1;
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_KEYS; k++) {
        enum topomap_request_key key = (enum topomap_request_key)k;
        const char *text = option_of(call, key);

        if (key == TOPOMAP_REQUEST_EFFORT && !text)
            text = "default";
        if (key == TOPOMAP_REQUEST_STEP_GPUS)
            text = asked->step_gpus;
        if ((key == TOPOMAP_REQUEST_OBJECTIVE || key == TOPOMAP_REQUEST_WEIGHT) && !text)
            text = "auto";
        if (text && topomap_request_row_of(key)->line)
            topomap_request_write_line(out, key, text);
    }
    fprintf(out, "record 1\nexplain 1\nend\n");
    return 0;
}

char *cli_request_make(const cli_call *call, const topomap_request *asked, planner_request *request,
                       cli_order *order, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size), *in;
    int status;

    if (!out) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    status = write_request(out, call, asked, order, err);
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
