/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/open/open.h"
#include "plugin/common/environment.h"
#include "plugin/common/reply.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/full_io.h"

/* A launch while it is planned. */
struct launch {
    planner_verdict verdict;
    planner_auto program;
    planner_answerer *answer;
    char *request, *bytes; /* as a record keeps them; bytes is the reply */
    size_t size;
    char *copy; /* of the reply, taken apart */
    plugin_reply reply;
    const char *bindings; /* that the reply is to carry; lent from `copy` */
    double begun, until;  /* of topomap_clock_wall(); until: when srun has waited long enough */
};

/* ---- The graph's name --------------------------------------------------------------------- */

static int is_there(const char *folder, const char *name, char *path, size_t size)
{
    struct stat found;
    char mesh[TOPOMAP_GRAPH_PATH];
    uint32_t parts;
    int length = snprintf(path, size, "%s/%s", folder, name);

    return length > 0 && (size_t)length < size &&
           (!stat(path, &found) || topomap_graph_divided(path, mesh, &parts));
}

int planner_launch_make_absolute(policy_settings *settings)
{
    const char *graph = settings->value[TOPOMAP_REQUEST_GRAPH],
               *job = getenv(PLUGIN_ENV_JOB_FOLDER);
    enum policy_origin origin = settings->origin[TOPOMAP_REQUEST_GRAPH];
    char here[4096], path[8192];

    if (!graph || *graph == '/' || !strcmp(graph, "auto"))
        return 0;
    if ((origin == POLICY_BY_JOB && job && *job == '/' &&
         is_there(job, graph, path, sizeof path)) ||
        (getcwd(here, sizeof here) && is_there(here, graph, path, sizeof path)))
        return policy_set(settings, TOPOMAP_REQUEST_GRAPH, path, origin);
    return 0;
}

/* Whoever named no graph and switched topomap on by -m is told which one it took; of a chain in
 * rank order and of a profile of another size the plan's own line says so. */
static void tell_graph(struct launch *launch)
{
    const planner_facts *facts = launch->verdict.facts;
    const policy_settings *settings = &launch->verdict.decision.settings;
    const char *graph = settings->value[TOPOMAP_REQUEST_GRAPH];
    enum policy_origin origin = settings->origin[TOPOMAP_REQUEST_GRAPH];
    char by[512];

    if (!facts->said.distribution || !graph || origin >= POLICY_BY_JOB)
        return;
    policy_origin_text(origin, NULL, NULL, by, sizeof by);
    if (!*launch->program.used)
        planner_tell(&launch->verdict, 1, "graph: %.300s (%s)", graph, by);
    else if (!strncmp(launch->program.request, "profile exact", 13))
        planner_tell(&launch->verdict, 1,
                     "graph: the stored profile of %s (`topomap profile show %s`)",
                     launch->program.entry.program, launch->program.used);
}

/* ---- Planning ----------------------------------------------------------------------------- */

static int copy_reply(struct launch *launch, topomap_error *err)
{
    launch->copy = topomap_alloc(launch->size + 1, 1, err);
    if (!launch->copy)
        return -1;
    memcpy(launch->copy, launch->bytes, launch->size);
    return plugin_reply_read(launch->copy, launch->size, &launch->reply, err);
}

char *planner_launch_answer(const char *text, size_t *size, topomap_error *err)
{
    TOPOMAP_CLEANUP(planner_request_clear) planner_request request = {0};
    TOPOMAP_CLOSED_FILE FILE *in = fmemopen((char *)text, strlen(text), "r");
    char *reply = NULL;

    if (in && planner_request_read(in, &request, err))
        return NULL;
    if (in)
        reply = planner_sandboxed_answer(&request, size);
    if (!reply)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return reply;
}

/* Plans for GPUs that are others than they seem would be none. */
static void check_gpus(struct launch *launch)
{
    const char *rest = launch->verdict.facts->rest;
    char path[4096];
    int flags;

    planner_gres_path(path, sizeof path);
    flags = planner_gres_flags(path);
    launch->verdict.gpus_left = flags & PLANNER_GRES_REORDERS;
    launch->verdict.gpus_near = flags & PLANNER_GRES_CORES;
    if (launch->verdict.gpus_left && strstr(rest, "step-gpus "))
        planner_tell(&launch->verdict, 0,
                     "%.300s lists GPUs in another order than that of their numbers, so which of "
                     "them a task has is not known; their order and the tasks' CPUs go without",
                     path);
}

/* The request as a record has it, and its answer. */
static int plan(struct launch *launch, topomap_error *err)
{
    check_gpus(launch);
    launch->request = planner_compose(&launch->verdict, launch->program.request, err);
    if (!launch->request)
        return -1;
    launch->bytes = launch->answer(launch->request, &launch->size, err);
    return launch->bytes ? copy_reply(launch, err) : -1;
}

/* The explanation, or why there is none. */
static void write_explanation(struct launch *launch, const char *failure)
{
    const planner_facts *facts = launch->verdict.facts;
    const char *why = failure ? failure : launch->verdict.why;
    char line[1200];
    const char *bytes = why ? line : launch->reply.explain;
    topomap_error err;

    if (!facts->explain || !facts->explain_file || (!why && !launch->reply.explain))
        return;
    snprintf(line, sizeof line, "topomap: %s\n", why ? why : "");
    if (planner_explanation_write(facts->explain_file, bytes,
                                  why ? strlen(line) : launch->reply.explain_size, launch->until,
                                  &err))
        planner_tell(&launch->verdict, 1, "--topomap-explain: %s", err.text);
}

static void write_reply(struct launch *launch)
{
    static const char *const status[] = {"failed", "unchanged", "applied"};
    const plugin_reply *reply = &launch->reply;
    FILE *out = launch->verdict.out;
    int is_placed = reply->status == PLUGIN_APPLIED;

    fprintf(out, "bind %d\nstatus %s\nline %s\nquiet %d\n",
            reply->bindings && planner_compose_bind(&launch->verdict), status[reply->status],
            reply->line, reply->quiet);
    if (reply->plan_id)
        fprintf(out, "plan-id %s\n", reply->plan_id);
    if (reply->gain)
        fprintf(out, "gain %s\n", reply->gain);
    if (is_placed)
        fprintf(out, "layout %s\n", reply->layout);
    if (reply->detail)
        fprintf(out, "detail %s\n", reply->detail);
    if (reply->master)
        fprintf(out, "master %s\n", reply->master);
    if (reply->nics)
        planner_forward_nics(&launch->verdict, reply->nics);
    launch->bindings = reply->bindings;
    if (!reply->bindings && reply->status != PLUGIN_FAILED &&
        !planner_compose_bind(&launch->verdict))
        planner_tell(&launch->verdict, 0,
                     "the inside of nodes is left to Slurm (--cpu-bind, --mem-bind, GPUs of "
                     "tasks, topomap:SOCKET, or bind=none)");
    if (reply->explain && !launch->verdict.facts->explain_file) {
        fprintf(out, "explain %zu\n", reply->explain_size);
        fwrite(reply->explain, 1, reply->explain_size, out);
        fputc('\n', out);
    }
}

static void write_failure(struct launch *launch, topomap_error *err)
{
    for (char *c = err->text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    fprintf(launch->verdict.out, "status failed\nline %s\n", err->text);
}

static void tell_settings(struct launch *launch)
{
    const policy_decision *decision = &launch->verdict.decision;
    FILE *out = launch->verdict.out;

    fprintf(out, "asked %d\nverbose %d\nrequired %d\n", decision->asked, launch->verdict.verbose,
            policy_flag(&decision->settings, TOPOMAP_REQUEST_REQUIRED));
}

/* A time that somebody names moves the deadline along; the site's own is for a planner that
 * hangs. */
static void ask_for_time(struct launch *launch, void (*wait)(double seconds))
{
    const policy_settings *settings = &launch->verdict.decision.settings;
    double seconds;

    if (settings->origin[TOPOMAP_REQUEST_TIME] == POLICY_BY_DEFAULT)
        return;
    seconds = strtod(policy_get(settings, TOPOMAP_REQUEST_TIME), NULL);
    launch->until = fmax(launch->until, launch->begun + seconds + 1);
    wait(seconds);
}

/* \return 0, or -1: \p err; the rows are written */
static int place(struct launch *launch, void (*wait)(double seconds), topomap_error *err)
{
    int wanted;

    if (launch->verdict.facts->reason) {
        launch->verdict.why = topomap_strdup(launch->verdict.facts->reason, err);
        fprintf(launch->verdict.out, "status left\n");
        return launch->verdict.why ? 0 : -1;
    }
    wanted = planner_resolve_placement(&launch->verdict, err);
    if (wanted < 0)
        return -1;
    if (wanted) {
        tell_settings(launch);
        wanted = !launch->verdict.facts->has_layout ||
                 planner_auto_begin(&launch->program, &launch->verdict);
        fprintf(launch->verdict.out, "on 1\n");
    }
    if (!wanted || !launch->verdict.facts->has_layout) {
        fprintf(launch->verdict.out, "status left\n");
        return 0;
    }
    ask_for_time(launch, wait);
    if (planner_launch_make_absolute(&launch->verdict.decision.settings))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    tell_graph(launch);
    if (plan(launch, err))
        return -1;
    if (launch->reply.damaged)
        planner_auto_damaged(&launch->program);
    planner_auto_planned(
        &launch->program, launch->reply.status == PLUGIN_APPLIED || launch->reply.bindings,
        launch->request, launch->reply.status == PLUGIN_APPLIED ? launch->reply.layout : NULL);
    write_reply(launch);
    return 0;
}

/* ---- A record of the plan ---------------------------------------------------------------- */

struct record {
    const planner_facts *facts;
    const char *request, *reply;
    size_t size;
};

/* Runs in a forked process. Its message fits into a pipe. */
static _Noreturn void write_record(const struct record *record, int said)
{
    const plugin_args *args = &record->facts->args;
    char path[4096], line[sizeof path + 64];
    topomap_error err;

    if (planner_writers_join(args->records ? args->records : ""))
        _exit(0);
    if (plugin_record_write(args->records, record->facts->job, record->facts->step, record->request,
                            record->reply, record->size, path, sizeof path, &err))
        snprintf(line, sizeof line, "no record of the plan: %s", err.text);
    else
        snprintf(line, sizeof line, "record of the plan: %s", path);
    if (write(said, line, strlen(line)) >= 0)
        close(said);
    plugin_record_tidy(args->records, &args->record_limits);
    _exit(0);
}

/* How long the launch waits for its record. A disk that does not answer must not use up the time
 * that the step waits for its plan. */
static unsigned record_ms(const plugin_args *args)
{
    unsigned most = args->deadline_ms ? args->deadline_ms / 4 : UINT_MAX;

    return args->end_ms < most ? args->end_ms : most;
}

/* Writes the record in a forked process and adds a line to the reply: the record's path, or why it
 * was not written. A process that waits for a stuck folder ends after twenty seconds. */
static void save_record(planner_verdict *verdict, const char *request, const char *reply,
                        size_t size)
{
    const struct record record = {verdict->facts, request, reply, size};
    struct pollfd fd = {.events = POLLIN};
    ssize_t got = -1;
    char line[4200];
    int said[2];
    pid_t pid;

    if (!policy_flag(&verdict->decision.settings, TOPOMAP_REQUEST_RECORDS) || pipe(said))
        return;
    pid = planner_writers_fork();
    if (!pid) {
        close(said[0]);
        write_record(&record, said[1]);
    }
    close(said[1]);
    fd.fd = said[0];
    if (pid > 0 &&
        topomap_clock_poll(&fd, 1, topomap_clock_ms() + record_ms(&verdict->facts->args)) > 0)
        got = read(said[0], line, sizeof line - 1);
    close(said[0]);
    line[got > 0 ? got : 0] = 0;
    planner_tell(verdict, 0, "%s", got > 0 ? line : "no record of the plan yet");
}

char *planner_launch(const planner_facts *facts, planner_answerer *answer,
                     void (*wait)(double seconds), size_t *size)
{
    struct launch launch = {
        .verdict.facts = facts, .answer = answer, .begun = topomap_clock_wall(), .until = INFINITY};
    topomap_error err;
    char *text = NULL;

    if (facts->args.deadline_ms)
        launch.until = launch.begun + facts->args.deadline_ms * 1e-3;
    launch.verdict.out = open_memstream(&text, size);
    if (!launch.verdict.out)
        return NULL;
    fprintf(launch.verdict.out, "topomap-reply 1\n");
    if (place(&launch, wait, &err)) {
        write_failure(&launch, &err);
        write_explanation(&launch, err.text);
    } else {
        write_explanation(&launch, launch.reply.status == PLUGIN_FAILED && launch.reply.line
                                       ? launch.reply.line
                                       : NULL);
    }
    if (launch.bytes)
        save_record(&launch.verdict, launch.request, launch.bytes, launch.size);
    /* Last: srun hears of a file by the reply alone, and what ends the planner before would leave
     * it. */
    if (launch.bindings)
        planner_forward_bindings(&launch.verdict, launch.bindings);
    policy_settings_clear(&launch.verdict.decision.settings);
    planner_auto_clear(&launch.program);
    free(launch.verdict.why);
    free(launch.request);
    free(launch.bytes);
    free(launch.copy);
    return planner_answer_seal(launch.verdict.out, &text, size);
}
