/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/step.h"
#include "plan/bindings.h"
#include "plugin/auto.h"
#include "plugin/carry.h"
#include "plugin/environment.h"
#include "plugin/explain.h"
#include "plugin/job.h"
#include "plugin/launch.h"
#include "plugin/layout.h"
#include "plugin/mpi.h"
#include "plugin/procmap.h"
#include "plugin/record.h"
#include "plugin/reply.h"
#include "plugin/report.h"
#include "plugin/request.h"
#include "plugin/spool.h"
#include "plugin/wish.h"

#include <errno.h>
#include <fcntl.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A step while it is being placed. */
struct step {
    const plugin_args *args;
    const plugin_launcher *launcher;
    plugin_wish wish;
    uint32_t job, step;
    plugin_layout layout;
    plugin_ranks ranks; /* the new ones */
    char *bytes;        /* of the reply */
    plugin_reply reply;
    int bind;
    int permuted; /* the layout is no longer Slurm's */
};

/* The note of this srun's file, to be removed when the step is over. */
static char *spooled;
/* Where this srun wrote a record, or NULL. */
static const plugin_args *recorded;

void plugin_step_end(void)
{
    if (recorded)
        plugin_record_tidy(recorded->records, &recorded->record_limits);
    recorded = NULL;
    if (spooled)
        plugin_spool_remove(spooled);
    free(spooled);
    spooled = NULL;
    plugin_auto_end();
}

void plugin_step_forget(void)
{
    unsetenv(PLUGIN_ENV_APPLIED);
    unsetenv(PLUGIN_ENV_PLAN_ID);
    unsetenv(PLUGIN_ENV_GAIN);
    unsetenv(PLUGIN_ENV_BINDINGS);
    unsetenv(PLUGIN_ENV_SPOOL);
    unsetenv(PLUGIN_ENV_CARRIED_FORMAT);
    unsetenv(PLUGIN_ENV_CARRIED_PLAN);
    unsetenv(PLUGIN_ENV_CARRIED_BINDINGS);
    unsetenv(PLUGIN_ENV_CARRIED_SPOOL);
    unsetenv(PLUGIN_ENV_CARRIED_IN_ORDER);
    unsetenv(PLUGIN_ENV_REFUSED);
    plugin_auto_forget();
}

/* ---- Asking the planner ------------------------------------------------------------------ */

/* Since 22.05 srun reads SRUN_CPUS_PER_TASK, and the job's -c is no longer its steps'; but it is
 * what the job has for each task. */
static unsigned cpus_per_task(const struct step *step)
{
    const char *own = getenv("SRUN_CPUS_PER_TASK"), *job = getenv("SLURM_CPUS_PER_TASK");
    const char *text = own && *own ? own : job;
    unsigned long number = step->launcher->cpus_per_task;

    if (!number && text)
        number = strtoul(text, NULL, 10);
    return number && number < 1 << 20 ? (unsigned)number : 1;
}

/* A time that somebody names moves the deadline along; the site's own is for a planner that
 * hangs. */
static unsigned deadline(const struct step *step)
{
    double most = strtod(policy_get(&step->wish.decision.settings, POLICY_TIME), NULL) * 1e3 + 1000;

    if (step->wish.decision.settings.origin[POLICY_TIME] == POLICY_BY_DEFAULT ||
        most < step->args->deadline_ms)
        return step->args->deadline_ms;
    return (unsigned)most;
}

/* What was asked and answered, as it was; its age and size are looked after when the step is
 * over. */
static void keep_record(const struct step *step, const char *request, size_t size)
{
    char path[4096];
    topomap_error err;

    if (plugin_record_write(step->args->records, step->job, step->step, request, step->bytes, size,
                            path, sizeof path, &err))
        plugin_report_detail(step->wish.verbose, "no record of the plan: %s", err.text);
    else
        plugin_report_detail(step->wish.verbose, "record of the plan: %s", path);
    recorded = step->args;
}

static int ask(struct step *step, topomap_error *err)
{
    enum policy_origin origin;
    /* The job's own cores matter only where tasks are bound. */
    char *job = step->bind ? plugin_job_lines(step->job, step->args) : NULL, *request;
    const plugin_request_cpus cpus = {cpus_per_task(step), step->launcher->threads_per_core};
    int record = step->args->records && policy_flag(&step->wish.decision.settings, POLICY_RECORDS);
    size_t size;
    int failed;

    request =
        plugin_request_make(&step->wish.decision.settings, &step->layout,
                            plugin_args_db(step->args, &origin), job ? job : "", step->bind, &cpus,
                            step->wish.explain.wanted, record, plugin_auto_request(), err);
    free(job);
    if (!request)
        return -1;
    failed = plugin_launch_run(step->args->planner, request, deadline(step), step->wish.verbose,
                               &step->bytes, &size, err);
    if (!failed && record)
        keep_record(step, request, size);
    free(request);
    return failed ? -1 : plugin_reply_read(step->bytes, size, &step->reply, err);
}

/* ---- Using the answer -------------------------------------------------------------------- */

/* Bindings that would not be understood on the nodes are worth no launch. */
static int check_bindings(const struct step *step, topomap_error *err)
{
    const plugin_ranks *ranks = &step->layout.ranks;
    topomap_bindings bindings;
    const char *problem = NULL;

    if (topomap_bindings_decode(step->reply.bindings, &bindings, err))
        return -1;
    if (bindings.job != step->layout.job || bindings.step != step->layout.step)
        problem = "the plan is for another step";
    else if (bindings.nodes != ranks->nodes)
        problem = "the plan has other nodes than the step";
    for (uint32_t node = 0; node < ranks->nodes && !problem; node++)
        if (bindings.task_first[node + 1] != ranks->first[node + 1])
            problem = "the plan has other task counts than the step";
    topomap_bindings_clear(&bindings);
    return problem ? topomap_error_set(err, TOPOMAP_EINPUT, "%s", problem) : 0;
}

static int check_answer(struct step *step, topomap_error *err)
{
    if (step->reply.damaged)
        plugin_auto_damaged();
    if (step->reply.status == PLUGIN_FAILED)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s",
                                 *step->reply.line ? step->reply.line
                                                   : "the planner failed without saying why");
    if (step->reply.status == PLUGIN_APPLIED &&
        plugin_ranks_parse(step->reply.layout, &step->layout.ranks, &step->ranks, err))
        return -1;
    if (!step->bind)
        step->reply.bindings = NULL;
    return step->reply.bindings ? check_bindings(step, err) : 0;
}

/* The nodes' plugin unfolds it for the tasks (bind.c). */
static void carry_plan(int applied, const char *plan_id, const char *gain)
{
    char text[128];

    snprintf(text, sizeof text, "%d %.64s %.32s", applied, plan_id ? plan_id : "-",
             gain ? gain : "-");
    setenv(PLUGIN_ENV_CARRIED_PLAN, text, 1);
}

static void carry_bindings(const struct step *step, long room)
{
    enum plugin_carried how;
    topomap_error err;

    free(spooled);
    how = plugin_carry_bindings(step->reply.bindings, room, step->args->spool, step->job,
                                step->step, &spooled, &err);
    if (how == PLUGIN_CARRIED_IN_ORDER || how == PLUGIN_CARRIED_NOT)
        plugin_report_detail(step->wish.verbose,
                             "the bindings are too long for the environment (%zu bytes) and %s: %s",
                             strlen(step->reply.bindings), err.text,
                             how == PLUGIN_CARRIED_NOT ? "the inside of nodes is left to Slurm"
                                                       : "each node's tasks are bound in order");
}

static void set_environment(const struct step *step)
{
    const plugin_reply *reply = &step->reply;
    long room = plugin_carry_room();

    if (room <= 0) {
        plugin_report_detail(step->wish.verbose, "the environment is full: the tasks are not told, "
                                                 "and the inside of nodes is left to Slurm");
        return;
    }
    carry_plan(reply->status == PLUGIN_APPLIED, reply->plan_id, reply->gain);
    if (reply->bindings)
        carry_bindings(step, room);
}

static int is_explained(const struct step *step)
{
    return step->wish.explain.wanted && step->reply.explain;
}

/* There and then, by the explanation. */
static int is_told(const struct step *step)
{
    return is_explained(step) && plugin_explain_is_shown(&step->wish.explain);
}

/* Who did not ask need not hear, but where something fails. Who asked for this very step hears that
 * nothing was changed, unless the explanation says it there and then. */
static int is_loud(const struct step *step)
{
    int unchanged = step->reply.status == PLUGIN_UNCHANGED && step->wish.own;

    return step->wish.decision.asked && (!step->reply.quiet || unchanged) && !is_told(step);
}

static void say(const struct step *step)
{
    if (*step->reply.line && is_loud(step))
        plugin_report_line("%s", step->reply.line);
    else if (*step->reply.line)
        plugin_report_detail(step->wish.verbose, "%s", step->reply.line);
    if (step->reply.detail && !is_told(step))
        plugin_report_detail(step->wish.verbose, "%s", step->reply.detail);
    if (!step->bind)
        plugin_report_detail(
            step->wish.verbose,
            "the inside of nodes is left to Slurm (--cpu-bind, --mem-bind, GPUs of "
            "tasks, topomap:SOCKET, or bind=none)");
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
    if (choose_distribution(step, &step->ranks, step->bind, &task_dist, err))
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

static int place(struct step *step, topomap_error *err)
{
    if (ask(step, err) || check_answer(step, err))
        return -1;
    if (step->reply.status == PLUGIN_APPLIED && permute(step, err))
        return -1;
    set_environment(step);
    if (is_explained(step))
        plugin_explain_write(&step->wish.explain, step->reply.explain, step->reply.explain_size);
    say(step);
    return 0;
}

/* ---- Failing ----------------------------------------------------------------------------- */

/* A step that was made but never launched stays in its job until the job ends, and the job's next
 * steps wait for its CPUs; neither slurm_kill_job_step nor slurm_terminate_job_step takes it away
 * (seen with 22.05). And Slurm heeds a hook's failure only where plugstack.conf calls the plugin
 * required. So the step is launched, and every task ends in slurm_spank_task_init, before the
 * program is started. */
static void refuse_step(uint32_t job, uint32_t step_id)
{
    char text[32];

    snprintf(text, sizeof text, "%u.%u", job, step_id);
    setenv(PLUGIN_ENV_REFUSED, text, 1);
}

static void failed(const struct step *step, const topomap_error *err)
{
    if (plugin_carry_room() > 0)
        carry_plan(0, NULL, NULL);
    plugin_explain_reason(&step->wish.explain, err->text);
    if (!policy_flag(&step->wish.decision.settings, POLICY_REQUIRED)) {
        plugin_report_line("%s; the step runs with Slurm's own layout", err->text);
        return;
    }
    plugin_report_error("%s; topomap is required, the step does not start", err->text);
    refuse_step(step->job, step->step);
}

/* GPUs that Slurm has paired with a task's CPUs, and memory that the user has, are by local task:
 * there binding is only for whoever asks for it. */
static int wants_bindings(const struct step *step)
{
    const policy_settings *settings = &step->wish.decision.settings;
    int asked = settings->value[POLICY_BIND] && settings->origin[POLICY_BIND] >= POLICY_BY_JOB;
    int paired = step->launcher->gpus || step->launcher->mem_bind;

    return !step->launcher->cpu_bind && !step->launcher->nodes_only && (asked || !paired) &&
           strcmp(policy_get(settings, POLICY_BIND), "none") != 0;
}

/* Where a profile is made first, or the step is left alone, its layout stays. */
static void place_layout(spank_t spank, struct step *step)
{
    topomap_error err;
    int wanted, found;

    step->bind = wants_bindings(step);
    wanted = plugin_auto_begin(spank, step->args, &step->wish);
    found = plugin_layout_find(spank, &step->layout, &err) == 0;
    if (wanted && found && !step->layout.version_known)
        plugin_report_detail(
            step->wish.verbose,
            "Slurm %s is none that this topomap knows; its step layout looks as in "
            "those that it knows",
            step->layout.version);
    if (wanted && found && step->layout.arbitrary)
        plugin_wish_leave(&step->wish.explain, step->wish.decision.asked,
                          "the layout is the user's own (host file or arbitrary): left alone");
    else if (wanted && (!found || place(step, &err)))
        failed(step, &err);
    if (found)
        tell_truth(step);
    plugin_layout_clear(&step->layout);
    plugin_ranks_clear(&step->ranks);
    free(step->bytes);
}

void plugin_step_place(spank_t spank, const plugin_args *args)
{
    struct step step = {.args = args, .launcher = plugin_launcher_get()};

    if (spank_get_item(spank, S_JOB_ID, &step.job) ||
        spank_get_item(spank, S_JOB_STEPID, &step.step))
        return;
    if (plugin_wish_find(spank, args, step.launcher, step.step, &step.wish))
        place_layout(spank, &step);
    policy_settings_clear(&step.wish.decision.settings);
}
