/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/request/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "plugin/common/child.h"
#include "util/clock.h"

static const topomap_bindings_class *inside_of(const topomap_bindings *insides, uint32_t node)
{
    uint32_t class = insides->class_of[node];

    return class < insides->classes ? &insides->node_class[class] : NULL;
}

static int is_whole(const planner_request *request, const topomap_bindings *insides, uint32_t node)
{
    const topomap_bindings_class *inside = inside_of(insides, node);

    return !inside ||
           (request->job_cpus && request->job_cpus[node] >= inside->pu_first[inside->cores]);
}

int planner_cores_wanted(const planner_request *request, const topomap_bindings *insides)
{
    if (!request->asked.scontrol || request->cores.nodes ||
        request->asked.bind == TOPOMAP_BIND_NONE || insides->nodes != request->nodes.count)
        return 0;
    for (uint32_t node = 0; node < insides->nodes; node++)
        if (!is_whole(request, insides, node))
            return 1;
    return 0;
}

/* ---- Another program's answer ------------------------------------------------------------ */

enum { PATH_MOST = 4096, EXIT_MS = 10 };

/* \return its output; or NULL, and *is_none where it cannot be run at all */
static char *ask_one(const char *path, const char *const *words, const char *input, int64_t until,
                     size_t most, int *is_none, topomap_error *err)
{
    struct plugin_child_files files = {.prints = 1, .ends_with_us = 1};
    struct plugin_child_answer answer = {.most = most, .err = err};
    const struct plugin_child_talk talk = {input, strlen(input), plugin_child_receive, &answer,
                                           until};
    pid_t pid;
    int why = plugin_child_ask(path, words, &files, &talk, &pid);

    why = why < 0 ? errno : why;
    *is_none = pid < 0 && why != ETIMEDOUT;
    if (*is_none) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s cannot be run: %s", path, strerror(why));
        return NULL;
    }
    if (pid >= 0)
        plugin_child_end(pid, why ? 0 : EXIT_MS);
    if (!why && *answer.bytes)
        return answer.bytes;
    if (!why)
        topomap_error_set(err, TOPOMAP_EINPUT, "%s says nothing", path);
    else if (why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s did not answer in time", words[0]);
    else if (why == EMSGSIZE)
        topomap_error_set(err, TOPOMAP_EINPUT, "%s says more than %zu bytes", words[0], most);
    else if (why != ENOMEM)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", words[0], strerror(why));
    free(answer.bytes);
    return NULL;
}

char *planner_run_program(const char *paths, const char *const *words, const char *input,
                          double seconds, size_t most, topomap_error *err)
{
    int64_t until = topomap_clock_ms() + (int64_t)(seconds * 1000);
    int is_none = 1;
    char *text = NULL;

    topomap_error_set(err, TOPOMAP_EUSAGE, "no path of a program");
    for (const char *at = paths; is_none && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char path[PATH_MOST];

        if (length && length < sizeof path) {
            memcpy(path, at, length);
            path[length] = '\0';
            is_none = 0;
            text = ask_one(path, words, input, until, most, &is_none, err);
        }
        at += length;
    }
    return text;
}

/* ---- The question ------------------------------------------------------------------------ */

/* slurm.conf counts nodes that are alike inside alike, so one of each class speaks for all. Classes
 * that are too many for one line are not told, and so is scontrol's count of them. */
static const char *speaker(const planner_request *request, const topomap_bindings *insides,
                           uint32_t class)
{
    for (uint32_t node = 0; node < insides->nodes; node++)
        if (insides->class_of[node] == class)
            return request->nodes.name[node];
    return NULL;
}

/* One process, so that `show node` has what `show job` has loaded. */
static void write_commands(const planner_request *request, const topomap_bindings *insides,
                           char commands[PLANNER_CORES_COMMANDS])
{
    size_t used = (size_t)snprintf(commands, PLANNER_CORES_COMMANDS, "show job %u\nshow node ",
                                   request->asked.job);
    int count = 0;

    for (uint32_t class = 0; class < insides->classes; class ++) {
        const char *name = speaker(request, insides, class);

        if (name && strlen(name) + 3 < PLANNER_CORES_COMMANDS - used)
            used += (size_t)snprintf(commands + used, PLANNER_CORES_COMMANDS - used, "%s%s",
                                     count++ ? "," : "", name);
    }
    strcpy(commands + used, "\n");
}

int planner_cores_is_question(const planner_request *request, const char *commands)
{
    static const char names[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,";
    char begin[64];
    size_t length =
        (size_t)snprintf(begin, sizeof begin, "show job %u\nshow node ", request->asked.job);

    return !strncmp(commands, begin, length) &&
           !strcmp(commands + length + strspn(commands + length, names), "\n");
}

char *planner_cores_question(const planner_request *request, const char *commands,
                             topomap_error *err)
{
    /* Hidden nodes too; details; a record a line. */
    static const char *const words[] = {"scontrol", "-a", "-d", "-o", NULL};

    /* It reads its commands with readline, which would look for files in the user's home. */
    setenv("INPUTRC", "/dev/null", 1);
    setenv("TERM", "dumb", 1);
    return planner_run_program(request->asked.scontrol, words, commands,
                               request->asked.scontrol_seconds, PLANNER_CORES_ANSWER, err);
}

char *planner_cores_ask(const planner_request *request, const topomap_bindings *insides,
                        topomap_error *err)
{
    char commands[PLANNER_CORES_COMMANDS];

    write_commands(request, insides, commands);
    return request->ask ? request->ask(request->ask_with, commands, err)
                        : planner_cores_question(request, commands, err);
}

/* ---- The answer -------------------------------------------------------------------------- */

struct reader {
    const planner_request *request;
    const topomap_bindings *insides;
    planner_slurm_job job;
    planner_slurm_node *counted; /* [classes] */
    topomap_cores *cores;
    size_t room;
};

static int count_nodes(struct reader *r, const char *text, topomap_error *err)
{
    r->counted = topomap_alloc(r->insides->classes + 1u, sizeof *r->counted, err);
    for (uint32_t class = 0; r->counted && class < r->insides->classes; class ++) {
        const char *name = speaker(r->request, r->insides, class);
        uint32_t has = r->insides->node_class[class].cores;

        if (!name)
            continue;
        r->counted[class] = planner_scontrol_node(text, name);
        if (r->counted[class].cores && r->counted[class].cores != has)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "Slurm counts %u cores on %.64s, the database %u",
                                     r->counted[class].cores, name, has);
    }
    return r->counted ? 0 : -1;
}

static int add_node(struct reader *r, uint32_t node, const char *cpus, topomap_error *err)
{
    const topomap_bindings_class *inside = inside_of(r->insides, node);
    topomap_cores *cores = r->cores;
    uint32_t from = cores->first[node], count;

    cores->first[node + 1] = from;
    if (!inside)
        return 0;
    if (topomap_grow(&cores->core, &r->room, (size_t)from + inside->cores, sizeof *cores->core,
                     err) != 0)
        return -1;
    if (planner_scontrol_cores(cpus, r->counted[r->insides->class_of[node]].threads, inside->cores,
                               cores->core + from, &count) != 0)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "scontrol's CPUs of %.64s are not those that the database has",
                                 r->request->nodes.name[node]);
    if (count < inside->cores)
        cores->first[node + 1] = from + count;
    return 0;
}

/* A step is on all of the job's nodes or some of them. */
static int add_nodes(struct reader *r, topomap_error *err)
{
    const topomap_names *step = &r->request->nodes, *job = &r->job.names;
    int status = 0;

    r->cores->nodes = (uint32_t)step->count;
    r->cores->first = topomap_alloc(step->count + 1, sizeof *r->cores->first, err);
    if (!r->cores->first ||
        topomap_grow(&r->cores->core, &r->room, 1, sizeof *r->cores->core, err) != 0)
        return -1;
    for (size_t node = 0, at = 0; status == 0 && node < step->count; node++, at++) {
        at = topomap_names_find(job, step->name[node], at);
        if (at == job->count)
            return topomap_error_set(err, TOPOMAP_EINPUT, "scontrol's job %u is not on %.64s",
                                     r->request->asked.job, step->name[node]);
        status = add_node(r, (uint32_t)node, r->job.cpus[at], err);
    }
    return status;
}

int planner_cores_read(const planner_request *request, const topomap_bindings *insides,
                       const char *text, topomap_cores *cores, topomap_error *err)
{
    struct reader r = {.request = request, .insides = insides, .cores = cores};
    int failed;

    *cores = (topomap_cores){0};
    failed = planner_scontrol_job(text, request->asked.job, &r.job, err) != 0 ||
             count_nodes(&r, text, err) != 0 || add_nodes(&r, err) != 0;
    planner_slurm_job_clear(&r.job);
    free(r.counted);
    if (failed)
        topomap_cores_clear(cores);
    return failed ? -1 : 0;
}
