/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/plan/request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "util/alloc.h"

enum { REQUEST_LIMIT = 64 << 20, TASKS_MOST = 1 << 24 /* as plan/bindings.h */ };

/* Texts that only make sense together; they are read once all lines are in. */
typedef struct pending {
    char *nodes, *tasks, *layout, *cores, *job_cpus, *job_nodes;
} pending;

static int keep_text(char **to, const char *text, topomap_error *err)
{
    if (*to)
        return topomap_error_set(err, TOPOMAP_EINPUT, "given twice");
    *to = topomap_strdup(text, err);
    return *to ? 0 : -1;
}

static int to_number(const char *text, double most, double *number, topomap_error *err)
{
    char *end;

    *number = strtod(text, &end);
    if (end == text || *end || !(*number >= 0 && *number <= most))
        return topomap_error_set(err, TOPOMAP_EINPUT, "expected a number from 0 to %g, found '%s'",
                                 most, text);
    return 0;
}

static int to_integer(const char *text, uint64_t most, uint64_t *number, topomap_error *err)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || *number > most)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "expected a whole number up to %llu, found '%s'",
                                 (unsigned long long)most, text);
    return 0;
}

static int to_word(const char *text, const char *const *words, int *index, topomap_error *err)
{
    for (*index = 0; words[*index]; ++*index)
        if (strcmp(words[*index], text) == 0)
            return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT, "'%s' is not one of %s, %s%s", text, words[0],
                             words[1] ? words[1] : "", words[1] && words[2] ? ", ..." : "");
}

#define SETTER(name)                                                                               \
    static int name(planner_request *r, pending *p, const char *v, topomap_error *err)

SETTER(set_job)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, UINT32_MAX, &n, err) != 0)
        return -1;
    r->job = (uint32_t)n;
    return 0;
}

SETTER(set_step)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, UINT32_MAX, &n, err) != 0)
        return -1;
    r->step = (uint32_t)n;
    return 0;
}

SETTER(set_db)
{
    (void)p;
    return keep_text(&r->db, v, err);
}

SETTER(set_graph)
{
    (void)p;
    return keep_text(&r->graph, v, err);
}

SETTER(set_nodes)
{
    (void)r;
    return keep_text(&p->nodes, v, err);
}

SETTER(set_tasks)
{
    (void)r;
    return keep_text(&p->tasks, v, err);
}

SETTER(set_layout)
{
    (void)r;
    return keep_text(&p->layout, v, err);
}

SETTER(set_cores)
{
    (void)r;
    return keep_text(&p->cores, v, err);
}

SETTER(set_job_cpus)
{
    (void)r;
    return keep_text(&p->job_cpus, v, err);
}

SETTER(set_job_nodes)
{
    (void)r;
    return keep_text(&p->job_nodes, v, err);
}

SETTER(set_scontrol)
{
    (void)p;
    return keep_text(&r->scontrol, v, err);
}

SETTER(set_scontrol_time)
{
    (void)p;
    return to_number(v, 1e6, &r->scontrol_seconds, err);
}

SETTER(set_cpus)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, 65536, &n, err) != 0)
        return -1;
    r->cpus_per_task = (uint32_t)n;
    return 0;
}

SETTER(set_threads)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, 65536, &n, err) != 0)
        return -1;
    r->threads_per_core = (uint32_t)n;
    return 0;
}

SETTER(set_bind)
{
    static const char *const words[] = {"core", "pu", "numa", "none", NULL};
    int i;

    (void)p;
    if (to_word(v, words, &i, err) != 0)
        return -1;
    r->bind = (enum topomap_bind)i;
    r->places = 1;
    return 0;
}

SETTER(set_inside)
{
    static const char *const words[] = {"spread", "compact", NULL};

    (void)p;
    r->places = 1;
    return to_word(v, words, &r->compact, err);
}

SETTER(set_contiguous)
{
    static const char *const words[] = {"0", "1", NULL};

    (void)p;
    return to_word(v, words, &r->contiguous, err);
}

SETTER(set_objective)
{
    static const char *const words[] = {"J", "congestion", "mix", NULL};
    int i;

    (void)p;
    if (strncmp(v, "mix:", 4) == 0) {
        if (to_number(v + 4, 1, &r->mix, err) != 0)
            return -1;
        if (!(r->mix > 0 && r->mix < 1))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the share of J is above 0 and below 1, not '%.100s'", v + 4);
        v = "mix";
    }
    if (to_word(v, words, &i, err) != 0)
        return -1;
    r->objective = (enum topomap_objective_kind)i;
    return 0;
}

SETTER(set_effort)
{
    static const char *const words[] = {"fast", "default", "strong", NULL};
    int i;

    (void)p;
    if (to_word(v, words, &i, err) != 0)
        return -1;
    r->effort = (enum topomap_effort)i;
    return 0;
}

SETTER(set_seed)
{
    (void)p;
    return to_integer(v, UINT64_MAX, &r->seed, err);
}

SETTER(set_time)
{
    (void)p;
    return to_number(v, 1e6, &r->seconds, err);
}

SETTER(set_min_gain)
{
    (void)p;
    return to_number(v, 100, &r->min_gain, err);
}

SETTER(set_explain)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, 1, &n, err) != 0)
        return -1;
    r->explain = (int)n;
    return 0;
}

SETTER(set_profile)
{
    static const char *const words[] = {"none", "exact", "scale", NULL};
    int i;

    (void)p;
    if (to_word(v, words, &i, err) != 0)
        return -1;
    r->profile = (enum planner_profile_kind)i;
    return 0;
}

SETTER(set_profiled)
{
    (void)p;
    return keep_text(&r->profiled, v, err);
}

SETTER(set_profiled_before)
{
    (void)p;
    return keep_text(&r->profiled_before, v, err);
}

SETTER(set_capacity)
{
    (void)p;
    return keep_text(&r->capacity, v, err);
}

SETTER(set_record)
{
    uint64_t n;

    (void)p;
    if (to_integer(v, 1, &n, err) != 0)
        return -1;
    r->record = (int)n;
    return 0;
}

static const struct {
    const char *key;
    int (*set)(planner_request *, pending *, const char *, topomap_error *);
} keys[] = {
    {"job", set_job},
    {"step", set_step},
    {"db", set_db},
    {"graph", set_graph},
    {"nodes", set_nodes},
    {"tasks", set_tasks},
    {"layout", set_layout},
    {"cpus-per-task", set_cpus},
    {"threads-per-core", set_threads},
    {"bind", set_bind},
    {"objective", set_objective},
    {"effort", set_effort},
    {"seed", set_seed},
    {"time", set_time},
    {"min-gain", set_min_gain},
    {"inside", set_inside},
    {"contiguous", set_contiguous},
    {"explain", set_explain},
    {"cores", set_cores},
    {"job-cpus", set_job_cpus},
    {"job-nodes", set_job_nodes},
    {"scontrol", set_scontrol},
    {"scontrol-time", set_scontrol_time},
    {"record", set_record},
    {"capacity", set_capacity},
    {"profile", set_profile},
    {"profiled", set_profiled},
    {"profiled-before", set_profiled_before},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static int read_line(planner_request *request, pending *texts, size_t number, char *line,
                     topomap_error *err)
{
    char *value = strchr(line, ' ');
    topomap_error inner;

    if (!value)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request:%zu: expected 'key value'", number);
    *value++ = '\0';
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].key, line) == 0) {
            if (keys[i].set(request, texts, value, &inner) == 0)
                return 0;
            return topomap_error_set(err, inner.code, "request:%zu: %s: %.400s", number, line,
                                     inner.text);
        }
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "request:%zu: unknown key '%.40s': the plugin is not of this "
                             "planner's version, " PACKAGE_VERSION,
                             number, line);
}

int planner_request_kind(FILE *in, int *kind, topomap_error *err)
{
    static const char first[] = "topomap-request ";
    size_t capacity = 0, length = sizeof first - 1;
    char *line = NULL;
    int status = -1;

    if (getline(&line, &capacity, in) <= 0)
        topomap_error_set(err, TOPOMAP_EINPUT, "request: ended before its 'end' line");
    else if (strncmp(line, first, length) == 0 &&
             (strcmp(line + length, "1\n") == 0 || strcmp(line + length, "2\n") == 0)) {
        *kind = line[length] - '0';
        status = 0;
    } else {
        line[strcspn(line, "\n")] = '\0';
        topomap_error_set(err, TOPOMAP_EINPUT,
                          "request:1: expected 'topomap-request 1', found '%.40s': the plugin "
                          "is not of this planner's version, " PACKAGE_VERSION,
                          line);
    }
    free(line);
    return status;
}

static int read_lines(FILE *in, planner_request *request, pending *texts, topomap_error *err)
{
    char *line = NULL;
    size_t capacity = 0, number = 1, total = 0;
    ssize_t length;
    int status = -1;

    topomap_error_set(err, TOPOMAP_EINPUT, "request: ended before its 'end' line");
    while ((length = getline(&line, &capacity, in)) > 0) {
        number++;
        total += (size_t)length;
        if (line[length - 1] != '\n' || strlen(line) != (size_t)length || total > REQUEST_LIMIT) {
            topomap_error_set(err, TOPOMAP_EINPUT, "request:%zu: expected text lines", number);
            break;
        }
        line[length - 1] = '\0';
        if (strcmp(line, "end") == 0) {
            status = 0;
            break;
        }
        if (read_line(request, texts, number, line, err) != 0)
            break;
    }
    free(line);
    return status;
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
static int resolve_cpus(planner_request *request, const pending *texts, topomap_error *err)
{
    topomap_names own = {0};
    const topomap_names *job = texts->job_nodes ? &own : &request->nodes;
    topomap_error why;
    uint32_t *of_job;
    int status = 0;

    if (texts->job_nodes && topomap_hostlist_expand(texts->job_nodes, 0, &own, &why) != 0)
        return 0;
    of_job = topomap_alloc(job->count, sizeof *of_job, err);
    if (!of_job)
        status = -1;
    else if (topomap_counts_parse(texts->job_cpus, job->count, of_job, &why) == 0)
        status = spread_cpus(request, job, of_job, err);
    free(of_job);
    topomap_names_clear(&own);
    return status;
}

static int resolve(planner_request *request, const pending *texts, topomap_error *err)
{
    size_t count;

    if (!request->db || !texts->nodes || !texts->tasks || !texts->layout)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "request: db, nodes, tasks and layout must be there");
    if (topomap_hostlist_expand(texts->nodes, 0, &request->nodes, err) != 0)
        return -1;
    count = request->nodes.count;
    request->tasks = topomap_alloc(count, sizeof(uint32_t), err);
    request->first = topomap_alloc(count + 1, sizeof(uint32_t), err);
    if (!request->tasks || !request->first ||
        topomap_counts_parse(texts->tasks, count, request->tasks, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (request->tasks[i] > TASKS_MOST - request->first[i])
            return topomap_error_set(err, TOPOMAP_EINPUT, "request: more than %d tasks",
                                     TASKS_MOST);
        request->first[i + 1] = request->first[i] + request->tasks[i];
    }
    request->layout = topomap_alloc(request->first[count], sizeof(uint32_t), err);
    if (!request->layout || (texts->cores && topomap_cores_parse(texts->cores, (uint32_t)count,
                                                                 &request->cores, err) != 0))
        return -1;
    if (texts->job_cpus && resolve_cpus(request, texts, err) != 0)
        return -1;
    return topomap_layout_parse(texts->layout, (uint32_t)count, request->first, request->layout,
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
    planner_request made = {.seed = 1, .cpus_per_task = 1, .effort = TOPOMAP_FAST};
    pending texts = {0};
    int status = read_lines(in, &made, &texts, err);

    if (status == 0)
        status = resolve(&made, &texts, err);
    free(texts.nodes);
    free(texts.tasks);
    free(texts.layout);
    free(texts.cores);
    free(texts.job_cpus);
    free(texts.job_nodes);
    if (status == 0)
        *request = made;
    else
        planner_request_clear(&made);
    return status;
}

void planner_request_clear(planner_request *request)
{
    free(request->db);
    free(request->graph);
    free(request->profiled);
    free(request->profiled_before);
    free(request->capacity);
    topomap_names_clear(&request->nodes);
    free(request->tasks);
    free(request->first);
    free(request->layout);
    topomap_cores_clear(&request->cores);
    free(request->job_cpus);
    free(request->scontrol);
    *request = (planner_request){0};
}
