/* SPDX-License-Identifier: BSD-3-Clause */
/* srun itself looks at its own memory alone: what is in files, the planner finds out. */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plan/bindings.h"
#include "plugin/common/environment.h"
#include "plugin/common/run_planner.h"
#include "plugin/common/preload.h"
#include "plugin/common/reply.h"
#include "plugin/common/report.h"
#include "plugin/common/environment_size.h"
#include "util/alloc.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A step while it is being placed. */
struct step {
    const plugin_args *args;
    const plugin_launcher *launcher;
    plugin_step_request wish;
    uint32_t job, step;
    plugin_layout layout;
    plugin_ranks ranks; /* the new ones */
    char *bytes;        /* of the reply */
    plugin_reply reply;
    int permuted; /* the layout is no longer Slurm's */
    int late;     /* the planner missed its deadline */
};

void plugin_step_forget(void)
{
    static const char *const names[] = {PLUGIN_ENV_APPLIED,        PLUGIN_ENV_PLAN_ID,
                                        PLUGIN_ENV_GAIN,           PLUGIN_ENV_BINDINGS,
                                        PLUGIN_ENV_SPOOL,          PLUGIN_ENV_CARRIED_FORMAT,
                                        PLUGIN_ENV_CARRIED_PLAN,   PLUGIN_ENV_CARRIED_BINDINGS,
                                        PLUGIN_ENV_CARRIED_SPOOL,  PLUGIN_ENV_CARRIED_IN_ORDER,
                                        PLUGIN_ENV_CARRIED_NICS,   PLUGIN_ENV_NIC,
                                        PLUGIN_ENV_CARRIED_MASTER, PLUGIN_ENV_MASTER,
                                        PLUGIN_ENV_REFUSED,        PLUGIN_ENV_GPU};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    plugin_preload_forget();
}

/* ---- The step's end ---------------------------------------------------------------------- */

/* Each srun launches one step. */
static struct {
    const plugin_args *args;
    char *request;
    uint64_t memory;
} kept;

static char *write_request(const struct step *step)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "topomap-request 2\njob %u\nstep %u\nasked %d\nverbose %d\n", step->job,
            step->step, step->wish.asked, step->wish.verbose);
    plugin_facts_site(out, step->args);
    for (unsigned i = 0; i < step->reply.laters; i++)
        fprintf(out, "later %s\n", step->reply.later[i]);
    fprintf(out, "end\n");
    return topomap_printed(out, &text, NULL);
}

/* Keeps the request that the launch's reply wants to be sent at the step's end, and the planner's
 * limit of memory. */
static void take_end(const struct step *step)
{
    const plugin_reply *reply = &step->reply;

    free(kept.request);
    kept.memory = plugin_launch_memory(step->layout.ranks.tasks);
    kept.request = reply->laters ? write_request(step) : NULL;
    kept.args = step->args;
}

/* The step keeps Slurm's layout although the planner placed it: its time counts for that layout. */
static void refuse_end(void)
{
    char *row = kept.request ? strstr(kept.request, "\nlater run ") : NULL;

    if (row)
        memcpy(row, "\nlater own ", strlen("\nlater own "));
}

void plugin_step_end(void)
{
    plugin_launch launch = {.word = "end", .stays = 1, .memory = kept.memory};
    TOPOMAP_FREED char *bytes = NULL;
    plugin_reply reply;
    size_t size;
    int late;

    if (!kept.request)
        return;
    launch.planner = kept.args->planner;
    launch.deadline_ms = kept.args->end_ms;
    launch.request = kept.request;
    if (!plugin_launch_ask(&launch, &bytes, &size, &late, NULL) &&
        !plugin_reply_read(bytes, size, &reply, NULL))
        plugin_reply_print(&reply);
    free(kept.request);
    kept.request = NULL;
}

/* ---- Asking the planner ------------------------------------------------------------------ */

/* What the launch has settled takes the place of what we took for it. */
static void take_flags(struct step *step)
{
    int *const places[PLUGIN_FLAGS] = {[PLUGIN_FLAG_ASKED] = &step->wish.asked,
                                       [PLUGIN_FLAG_VERBOSE] = &step->wish.verbose,
                                       [PLUGIN_FLAG_REQUIRED] = &step->wish.required,
                                       [PLUGIN_FLAG_BIND] = &step->wish.bind};

    for (int flag = 0; flag < PLUGIN_FLAGS; flag++)
        if (places[flag] && step->reply.flag[flag] >= 0)
            *places[flag] = step->reply.flag[flag];
}

static plugin_facts facts_of(spank_t spank, const struct step *step)
{
    return (plugin_facts){.spank = spank,
                          .args = step->args,
                          .launcher = step->launcher,
                          .said = &step->wish.said,
                          .explain = &step->wish.explain,
                          .job = step->job,
                          .step = step->step};
}

static int ask(spank_t spank, struct step *step, topomap_error *err)
{
    plugin_facts facts = facts_of(spank, step);

    facts.layout = &step->layout;
    if (plugin_facts_ask(&facts, &step->bytes, &step->reply, &step->late, err))
        return -1;
    take_flags(step);
    plugin_reply_print(&step->reply);
    take_end(step);
    return 0;
}

/* ---- Using the answer -------------------------------------------------------------------- */

static int check_answer(struct step *step, topomap_error *err)
{
    plugin_reply *reply = &step->reply;
    const plugin_ranks *ranks = &step->layout.ranks;

    if (reply->status == PLUGIN_FAILED)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s",
                                 *reply->line ? reply->line
                                              : "the planner failed without saying why");
    if (reply->status == PLUGIN_APPLIED &&
        plugin_ranks_parse(reply->layout, ranks, &step->ranks, err))
        return -1;
    if (!step->wish.bind)
        reply->bindings = reply->in_order = reply->spool = NULL;
    /* Bindings that would not be understood on the nodes are worth no launch. */
    for (int i = 0; i < 2; i++) {
        const char *text = i ? reply->in_order : reply->bindings;

        if (text && topomap_bindings_check(text, step->layout.job, step->layout.step, ranks->nodes,
                                           ranks->first, err))
            return -1;
    }
    return 0;
}

/* The nodes' plugin unfolds it for the tasks (bind.c), and is as silent as this one. */
static void carry_plan(const struct step *step, int applied, const char *plan_id, const char *gain)
{
    char text[128];

    snprintf(text, sizeof text, "%d %.64s %.32s%s", applied, plan_id ? plan_id : "-",
             gain ? gain : "-", step->wish.asked ? "" : " " PLUGIN_PLAN_QUIET);
    setenv(PLUGIN_ENV_CARRIED_PLAN, text, 1);
}

static void carry_bindings(const struct step *step, long room)
{
    const plugin_reply *reply = &step->reply;
    size_t length = reply->bindings ? strlen(reply->bindings) : 0;

    if (length > PLUGIN_ENV_MOST || 2 * (long)length > room)
        plugin_report_detail(step->wish.verbose,
                             "the bindings are too long for the environment (%zu bytes) and the "
                             "inside of nodes is left to Slurm",
                             length);
    else if (reply->bindings)
        setenv(PLUGIN_ENV_CARRIED_BINDINGS, reply->bindings, 1);
    if (reply->spool && strlen(reply->spool) < PLUGIN_ENV_MOST)
        setenv(PLUGIN_ENV_CARRIED_SPOOL, reply->spool, 1);
    if (reply->in_order && strlen(reply->in_order) <= PLUGIN_ENV_MOST)
        setenv(PLUGIN_ENV_CARRIED_IN_ORDER, reply->in_order, 1);
}

static void set_environment(const struct step *step)
{
    const plugin_reply *reply = &step->reply;
    long room = plugin_environment_left();

    if (room <= 0) {
        plugin_report_detail(step->wish.verbose, "the environment is full: the tasks are not told, "
                                                 "and the inside of nodes is left to Slurm");
        return;
    }
    carry_plan(step, reply->status == PLUGIN_APPLIED, reply->plan_id, reply->gain);
    carry_bindings(step, room);
    if (reply->master)
        setenv(PLUGIN_ENV_CARRIED_MASTER, reply->master, 1);
    if (reply->nics && strlen(reply->nics) <= PLUGIN_ENV_MOST)
        setenv(PLUGIN_ENV_CARRIED_NICS, reply->nics, 1);
}

/* There and then, by the explanation. */
static int is_told(const struct step *step)
{
    const plugin_explain *explain = &step->wish.explain;

    return explain->wanted && step->reply.explain && !explain->file;
}

/* Who did not ask need not hear, but where something fails. Who asked for this very step hears that
 * nothing was changed, unless the explanation says it there and then. */
static int is_loud(const struct step *step)
{
    int unchanged = step->reply.status == PLUGIN_UNCHANGED && step->wish.own;

    return step->wish.asked && (!step->reply.quiet || unchanged) && !is_told(step);
}

static void say(const struct step *step)
{
    if (*step->reply.line)
        plugin_report_detail(step->wish.verbose || is_loud(step), "%s", step->reply.line);
    if (step->reply.detail && !is_told(step))
        plugin_report_detail(step->wish.verbose, "%s", step->reply.detail);
}

/* Only a process map that mpi/pmi2 could not carry makes it matter which mpi plugin this is. */
static int choose_distribution(const struct step *step, const plugin_ranks *ranks, int plane,
                               uint32_t *task_dist, topomap_error *err)
{
    if (!plugin_procmap_choose(ranks, step->layout.task_dist, 1, plane, task_dist, err))
        return 0;
    if (plugin_mpi_may_be_pmi2(step->launcher->mpi))
        return -1;
    return plugin_procmap_choose(ranks, step->layout.task_dist, 0, plane, task_dist, err);
}

static int permute(struct step *step, topomap_error *err)
{
    uint32_t task_dist = step->layout.task_dist;

    if (memcmp(step->ranks.id, step->layout.ranks.id, step->ranks.tasks * sizeof *step->ranks.id) ==
        0)
        return 0;
    if (choose_distribution(step, &step->ranks, step->wish.bind, &task_dist, err))
        return -1;
    if (plugin_layout_apply(&step->layout, &step->ranks, task_dist, err))
        return -1;
    step->permuted = 1;
    return 0;
}

/* A step that keeps Slurm's layout is to run too, also where mpi/pmi2 would give MPICH a map that
 * is not that layout's (26.05). Where this fails, the step is as Slurm made it. */
static void tell_truth(const struct step *step)
{
    const plugin_layout *layout = &step->layout;
    topomap_error err;
    uint32_t task_dist;

    if (step->permuted || plugin_procmap_is_honest(&layout->ranks, layout->task_dist))
        return;
    if (choose_distribution(step, &layout->ranks, 0, &task_dist, &err) ||
        plugin_layout_apply(layout, &layout->ranks, task_dist, &err))
        plugin_report_detail(step->wish.verbose,
                             "MPICH under mpi/pmi2 gets Slurm's own map of ranks to nodes: %s",
                             err.text);
}

static int place(spank_t spank, struct step *step, topomap_error *err)
{
    if (plugin_breaker_is_tripped(step->job))
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "topomap is off for the rest of this job: the planner of an "
                                 "earlier step missed its deadline");
    if (ask(spank, step, err))
        return -1;
    if (step->reply.preload && plugin_environment_left() > 0)
        plugin_preload_carry(step->job, step->step, step->reply.preload);
    if (step->reply.status == PLUGIN_LEFT)
        return 0;
    if (check_answer(step, err))
        return -1;
    if (step->reply.status == PLUGIN_APPLIED && permute(step, err))
        return -1;
    set_environment(step);
    if (is_told(step)) /* else the planner has written it to the file */
        plugin_report_text(step->reply.explain, step->reply.explain_size);
    say(step);
    return 0;
}

/* ---- Failing ----------------------------------------------------------------------------- */

/* The step is launched, and slurm_spank_task_init ends each task before its program starts. A step
 * that was made but never launched would keep its CPUs from the job's next steps until the job
 * ends; neither slurm_kill_job_step nor slurm_terminate_job_step removes it (seen with 22.05). And
 * Slurm ignores a hook's failure unless plugstack.conf calls the plugin required. */
static void refuse_step(uint32_t job, uint32_t step_id)
{
    char text[32];

    snprintf(text, sizeof text, "%u.%u", job, step_id);
    setenv(PLUGIN_ENV_REFUSED, text, 1);
}

/* Who asked for nothing hears nothing. */
static void failed(struct step *step, const topomap_error *err)
{
    if (!step->bytes || step->reply.status != PLUGIN_FAILED) /* else the planner has written it */
        snprintf(step->wish.left, sizeof step->wish.left, "%s", err->text);
    refuse_end();
    if (plugin_environment_left() > 0)
        carry_plan(step, 0, NULL, NULL);
    if (step->wish.required) {
        plugin_report_error("%s; topomap is required: each task of the step ends with status 1 "
                            "before its program starts",
                            err->text);
        refuse_step(step->job, step->step);
    } else {
        plugin_report_detail(step->wish.verbose || step->wish.asked,
                             "%s; the step runs with Slurm's own layout", err->text);
    }
}

/* Where no planner has told, topomap is on for who asked, and where plugstack.conf switches it on.
 */
static int is_on(const struct step *step)
{
    if (!step->bytes)
        return step->wish.asked || step->args->site.mode >= POLICY_AUTO;
    return step->reply.flag[PLUGIN_FLAG_ON] > 0 ||
           (step->wish.asked && step->reply.status != PLUGIN_LEFT);
}

static void place_layout(spank_t spank, struct step *step)
{
    topomap_error err;

    if (plugin_layout_find(spank, &step->layout, &err)) {
        failed(step, &err);
        return;
    }
    if (!step->layout.version_known)
        plugin_report_detail(
            step->wish.verbose,
            "Slurm %s is none that this topomap knows; its step layout looks as in "
            "those that it knows",
            step->layout.version);
    if (step->layout.arbitrary)
        plugin_step_request_leave(
            &step->wish, step->wish.asked,
            "the layout is the user's own (host file or arbitrary): left alone");
    else if (place(spank, step, &err))
        failed(step, &err);
    if (is_on(step))
        tell_truth(step);
    plugin_layout_clear(&step->layout);
    plugin_ranks_clear(&step->ranks);
    free(step->bytes);
    step->bytes = NULL;
}

void plugin_step_place(spank_t spank, const plugin_args *args)
{
    struct step step = {.args = args, .launcher = plugin_launcher_get()};

    if (spank_get_item(spank, S_JOB_ID, &step.job) ||
        spank_get_item(spank, S_JOB_STEPID, &step.step))
        return;
    if (plugin_step_request_find(spank, args, step.launcher, step.step, &step.wish))
        place_layout(spank, &step);
    if (*step.wish.left && step.wish.explain.wanted && step.wish.explain.file && !step.late)
        plugin_not_placed_explain(facts_of(spank, &step), step.wish.left);
}
