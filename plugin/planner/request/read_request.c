/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/request/request.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "util/alloc.h"

enum { REQUEST_LIMIT = 64 << 20, TASKS_MOST = 1 << 24 /* as plan/bindings.h */ };

int planner_request_kind(FILE *in, int *kind, topomap_error *err)
{
    static const char first[] = "topomap-request ";
    size_t capacity = 0, length = sizeof first - 1;
    TOPOMAP_FREED char *line = NULL;

    if (getline(&line, &capacity, in) <= 0)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request: ended before its 'end' line");
    if (strncmp(line, first, length) == 0 &&
        (strcmp(line + length, "1\n") == 0 || strcmp(line + length, "2\n") == 0)) {
        *kind = line[length] - '0';
        return 0;
    }
    line[strcspn(line, "\n")] = '\0';
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "request:1: expected 'topomap-request 1', found '%.40s': the plugin "
                             "is not of this planner's version, " PACKAGE_VERSION,
                             line);
}

int planner_request_lines(FILE *in, planner_line_taker *take, void *with, topomap_error *err)
{
    TOPOMAP_FREED char *line = NULL;
    size_t capacity = 0, number = 1, total = 0;
    ssize_t length;

    while ((length = getline(&line, &capacity, in)) > 0) {
        number++;
        total += (size_t)length;
        if (line[length - 1] != '\n' || strlen(line) != (size_t)length || total > REQUEST_LIMIT)
            return topomap_error_set(err, TOPOMAP_EINPUT, "request:%zu: expected text lines",
                                     number);
        line[length - 1] = '\0';
        if (strcmp(line, "end") == 0)
            return 0;
        if (take(with, number, line, err) != 0)
            return -1;
    }
    return topomap_error_set(err, TOPOMAP_EINPUT, "request: ended before its 'end' line");
}

static int read_line(void *asked, size_t number, char *line, topomap_error *err)
{
    return topomap_request_read_line(asked, number, line, err);
}

/* A step is on all of the job's nodes or some of them. */
static int spread_cpus(planner_request *request, const topomap_names *job, const uint32_t *of_job,
                       topomap_error *err)
{
    const topomap_names *step = &request->nodes;

    request->job_cpus = topomap_alloc(step->count, sizeof *of_job, err);
    for (size_t i = 0, at = 0; request->job_cpus && i < step->count; i++, at++) {
        at = topomap_names_find(job, step->name[i], at);
        if (at < job->count)
            request->job_cpus[i] = of_job[at];
    }
    return request->job_cpus ? 0 : -1;
}

/* What the environment says of the job may be another's, or of somebody's own making: where it does
 * not fit, it is not known. */
static int resolve_cpus(planner_request *request, topomap_error *err)
{
    const topomap_request *asked = &request->asked;
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names own = {0};
    const topomap_names *job = asked->job_nodes ? &own : &request->nodes;
    topomap_error why;
    TOPOMAP_FREED uint32_t *of_job = NULL;

    if (asked->job_nodes && topomap_hostlist_expand(asked->job_nodes, 0, &own, &why) != 0)
        return 0;
    of_job = topomap_alloc(job->count, sizeof *of_job, err);
    if (!of_job)
        return -1;
    return topomap_counts_parse(asked->job_cpus, job->count, of_job, &why) == 0
               ? spread_cpus(request, job, of_job, err)
               : 0;
}

static int resolve(planner_request *request, topomap_error *err)
{
    const topomap_request *asked = &request->asked;
    size_t count;

    if (!asked->db || !asked->nodes || !asked->tasks || !asked->layout)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "request: db, nodes, tasks and layout must be there");
    if (topomap_hostlist_expand(asked->nodes, 0, &request->nodes, err) != 0)
        return -1;
    count = request->nodes.count;
    request->tasks = topomap_alloc(count, sizeof(uint32_t), err);
    request->first = topomap_alloc(count + 1, sizeof(uint32_t), err);
    if (!request->tasks || !request->first ||
        topomap_counts_parse(asked->tasks, count, request->tasks, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (request->tasks[i] > TASKS_MOST - request->first[i])
            return topomap_error_set(err, TOPOMAP_EINPUT, "request: more than %d tasks",
                                     TASKS_MOST);
        request->first[i + 1] = request->first[i] + request->tasks[i];
    }
    request->layout = topomap_alloc(request->first[count], sizeof(uint32_t), err);
    if (!request->layout || (asked->cores && topomap_cores_parse(asked->cores, (uint32_t)count,
                                                                 &request->cores, err) != 0))
        return -1;
    if (asked->job_cpus && resolve_cpus(request, err) != 0)
        return -1;
    return topomap_layout_parse(asked->layout, (uint32_t)count, request->first, request->layout,
                                err);
}

int planner_request_read(FILE *in, planner_request *request, topomap_error *err)
{
    int kind;

    if (planner_request_kind(in, &kind, err) != 0)
        return -1;
    if (kind != 1)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "request:1: expected 'topomap-request 1', found that of a launch");
    return planner_request_rest(in, request, err);
}

int planner_request_rest(FILE *in, planner_request *request, topomap_error *err)
{
    *request = (planner_request){0};
    topomap_request_init(&request->asked);
    request->asked.objective.kind = TOPOMAP_OBJECTIVE_J; /* as before `auto` was: records replay */
    request->asked.weight = TOPOMAP_WEIGHT_BYTES;        /* likewise */
    if (planner_request_lines(in, read_line, &request->asked, err) == 0 &&
        resolve(request, err) == 0)
        return 0;
    planner_request_clear(request);
    return -1;
}

void planner_request_clear(planner_request *request)
{
    topomap_request_clear(&request->asked);
    topomap_names_clear(&request->nodes);
    free(request->tasks);
    free(request->first);
    free(request->layout);
    topomap_cores_clear(&request->cores);
    free(request->job_cpus);
    *request = (planner_request){0};
}
