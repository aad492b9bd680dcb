/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/environment.h"
#include "plugin/common/format.h"
#include "plugin/common/preload.h"
#include "plugin/common/report.h"
#include "plugin/node/node.h"
#include "plugin/node/cpus.h"
#include "util/alloc.h"

#include <sched.h>
#include <stdbool.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Filled once, before the tasks are forked. */
static struct {
    topomap_node_plan plan; /* no cores and no GPUs: nothing to do */
    topomap_node_nics nics; /* by 0: none are known */
    void *memory;           /* of the plan and of these; owned */
    uint32_t tasks;         /* of the node */
    uint32_t node;          /* its place in the step */
    char *cores;            /* that the step may use, Slurm's numbering; NULL: not known */
    plugin_cpus online;     /* the node's CPUs; none: not known */
    int own;                /* Slurm has given each task a GPU of its own, and CPUs go by it */
    char *gpus;             /* SLURM_STEP_GPUS of all tasks; NULL: none */
    int refused;            /* the tasks must not run */
    int quiet;              /* the user has not asked for topomap */
} here;

/* Linux takes no longer variable into a program (MAX_ARG_STRLEN). */
enum { BIND_LIST_MOST = 128 << 10 };

/* The job's environment without copying it: spank_getenv wants a buffer as large as the plan. */
static const char *job_environment(spank_t spank, const char *name)
{
    size_t length = strlen(name);
    char **variables;

    if (spank_get_item(spank, S_JOB_ENV, &variables) != ESPANK_SUCCESS)
        return NULL;
    for (; variables && *variables; variables++)
        if (!strncmp(*variables, name, length) && (*variables)[length] == '=')
            return *variables + length + 1;
    return NULL;
}

/* Gives the tasks the names that programs look for. */
static void unfold(spank_t spank)
{
    static const char *const names[] = {PLUGIN_ENV_APPLIED, PLUGIN_ENV_PLAN_ID, PLUGIN_ENV_GAIN};
    const char *plan = job_environment(spank, PLUGIN_ENV_CARRIED_PLAN);
    char copy[256], *rest = NULL, *word;

    if (!plan || strnlen(plan, sizeof copy) == sizeof copy)
        return;
    strcpy(copy, plan);
    word = strtok_r(copy, " ", &rest);
    for (size_t i = 0; word && i < sizeof names / sizeof *names; i++) {
        if (strcmp(word, "-") != 0)
            spank_setenv(spank, names[i], word, 1);
        word = strtok_r(NULL, " ", &rest);
    }
}

/* A class that does not fit is mostly that of all the step's nodes, and one line is enough for the
 * user: the step's first node says it. The others' lines are for the administrator, in slurmd's
 * log. */
static void say_what(const char *why, const char *what)
{
    if (!here.node && !here.quiet)
        plugin_report_node("%s; %s", why, what);
    else
        plugin_report_detail(0, "%s; %s", why, what);
}

static void say(const char *why)
{
    say_what(why, "Slurm's binding stays on this node");
}

static int is_refused(spank_t spank, uint32_t job, uint32_t step)
{
    const char *refused = job_environment(spank, PLUGIN_ENV_REFUSED);
    char ours[32];

    snprintf(ours, sizeof ours, "%u.%u", job, step);
    return refused && !strcmp(refused, ours);
}

/* The plan's last word, in every format. A step that carries neither that nor bindings is only
 * profiled: what its nodes lack is said at its end, to who asked. */
static int is_quiet(spank_t spank)
{
    static const char *const planned[] = {PLUGIN_ENV_CARRIED_BINDINGS, PLUGIN_ENV_CARRIED_SPOOL,
                                          PLUGIN_ENV_CARRIED_IN_ORDER};
    const char *plan = job_environment(spank, PLUGIN_ENV_CARRIED_PLAN);
    const char *word = plan ? strrchr(plan, ' ') : NULL;

    for (size_t i = 0; !plan && i < sizeof planned / sizeof *planned; i++)
        if (job_environment(spank, planned[i]))
            return 0;
    return !plan || (word && !strcmp(word, " " PLUGIN_PLAN_QUIET));
}

static void forget(void)
{
    free(here.memory);
    free(here.cores);
    free(here.gpus);
    memset(&here, 0, sizeof here);
}

/* What travels is srun's word to us; the tasks do not find it. */
static void drop(spank_t spank)
{
    static const char *const names[] = {PLUGIN_ENV_CARRIED_PLAN,    PLUGIN_ENV_CARRIED_BINDINGS,
                                        PLUGIN_ENV_CARRIED_SPOOL,   PLUGIN_ENV_CARRIED_IN_ORDER,
                                        PLUGIN_ENV_CARRIED_PROFILE, PLUGIN_ENV_CARRIED_NICS,
                                        PLUGIN_ENV_CARRIED_MASTER};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        spank_unsetenv(spank, names[i]);
}

/* Texts of the job's environment, which the user can have written: they are sent on as they are.
 * \return 0, or -1: a plan is longer than any of this step */
static int gather(spank_t spank, const plugin_node_site *site, node_question *question)
{
    static const struct {
        enum node_text text;
        const char *name;
    } rows[] = {{NODE_BINDINGS, PLUGIN_ENV_CARRIED_BINDINGS},
                {NODE_NOTE, PLUGIN_ENV_CARRIED_SPOOL},
                {NODE_IN_ORDER, PLUGIN_ENV_CARRIED_IN_ORDER},
                {NODE_NICS, PLUGIN_ENV_CARRIED_NICS}};
    int status = node_question_set(question, NODE_FOLDER, site->spool);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (node_question_set(question, rows[i].text, job_environment(spank, rows[i].name)))
            status = -1;
    return status;
}

static int carries_plan(const node_question *question)
{
    return question->text[NODE_BINDINGS] || question->text[NODE_NOTE] ||
           question->text[NODE_IN_ORDER];
}

/* Keeps what the tasks' hooks need. */
static void take_plan(spank_t spank, const node_answer *answer, void *memory)
{
    char *cores = NULL;
    const char *gpus = job_environment(spank, "SLURM_STEP_GPUS");

    here.memory = memory;
    here.nics = answer->nics;
    here.gpus = gpus ? strdup(gpus) : NULL;
    if (!(answer->found & NODE_PLANNED))
        return;
    if (spank_get_item(spank, S_STEP_ALLOC_CORES, &cores) == ESPANK_SUCCESS && cores && *cores)
        here.cores = strdup(cores);
    if (here.cores)
        plugin_kernel_online(&here.online);
    here.plan = answer->plan;
    here.own = plugin_gpus_are_own(&here.plan);
}

static void say_whys(const node_question *question, const node_answer *answer)
{
    if (*answer->why_not_spooled && question->text[NODE_IN_ORDER])
        say_what(answer->why_not_spooled, "the tasks of this node are bound in order");
    else if (*answer->why_not_spooled)
        say(answer->why_not_spooled);
    if (*answer->why_not_planned)
        say(answer->why_not_planned);
    if (*answer->why_not_named)
        say_what(answer->why_not_named, "nic= is passed over for them");
}

static void ask(spank_t spank, const plugin_node_site *site, const node_question *question,
                node_answer *answer)
{
    topomap_error err;
    void *memory;

    if (plugin_node_ask(site, question, answer, &memory, &err) == 0) {
        say_whys(question, answer);
        take_plan(spank, answer, memory);
    } else if (carries_plan(question)) {
        say(err.text);
    } else {
        plugin_report_detail(0, "%s; the profiler is not preloaded on this node", err.text);
    }
}

/* A copy: what is in the environment moves when that changes. */
static void rename_variable(spank_t spank, const char *from, const char *to)
{
    const char *value = job_environment(spank, from);
    TOPOMAP_FREED char *copy = value ? strdup(value) : NULL;

    if (copy)
        spank_setenv(spank, to, copy, 1);
}

/* Without a place for what they see, the tasks need no profiler. */
static void profile(spank_t spank, const node_question *question, const plugin_preload *preload)
{
    uint64_t run = (uint64_t)question->job << 32 | question->step;
    int memory = plugin_parts_begin(run, question->node, question->local_tasks,
                                    question->step_tasks, preload->file);

    if (memory >= 0)
        plugin_preload_put(spank, preload, memory);
}

static void take_step(spank_t spank, const plugin_node_site *site, node_question *question)
{
    plugin_preload preload;
    node_answer answer = {0};
    int is_long = gather(spank, site, question);

    if (plugin_preload_find(spank, question->job, question->step, &preload))
        node_question_set(question, NODE_LIBRARY, preload.library);
    if (is_long)
        say("the plan is longer than any that a step of its size can have");
    else if (carries_plan(question) || question->text[NODE_LIBRARY] || question->text[NODE_NICS])
        ask(spank, site, question, &answer);
    unfold(spank);
    rename_variable(spank, PLUGIN_ENV_CARRIED_MASTER, PLUGIN_ENV_MASTER);
    if (!is_long && question->text[NODE_BINDINGS])
        rename_variable(spank, PLUGIN_ENV_CARRIED_BINDINGS, PLUGIN_ENV_BINDINGS);
    if (answer.found & NODE_SPOOLED)
        rename_variable(spank, PLUGIN_ENV_CARRIED_SPOOL, PLUGIN_ENV_SPOOL);
    drop(spank);
    if (answer.found & NODE_READABLE)
        profile(spank, question, &preload);
}

/* \return 0, or -1: no step with tasks, or one that Slurm does not describe */
static int describe(spank_t spank, node_question *question)
{
    memset(question, 0, sizeof *question);
    if (spank_get_item(spank, S_JOB_ID, &question->job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &question->step) != ESPANK_SUCCESS ||
        question->step > SLURM_MAX_NORMAL_STEP_ID ||
        spank_get_item(spank, S_JOB_NODEID, &question->node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &question->local_tasks) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &question->step_tasks) != ESPANK_SUCCESS)
        return -1;
    return 0;
}

void plugin_bind_node(spank_t spank, unsigned format, const plugin_node_site *site)
{
    char why[256];
    int known = plugin_format_is_known(spank, format, why, sizeof why);
    node_question question;

    forget();
    if (describe(spank, &question))
        return;
    here.node = question.node;
    here.tasks = question.local_tasks;
    here.refused = is_refused(spank, question.job, question.step);
    here.quiet = is_quiet(spank);
    if (known) {
        take_step(spank, site, &question);
        return;
    }
    drop(spank);
    say(why);
}

static int get_mask(plugin_cpus *mask)
{
    return sched_getaffinity(0, sizeof *mask, (cpu_set_t *)mask->bit);
}

static int set_mask(const plugin_cpus *mask)
{
    return sched_setaffinity(0, sizeof *mask, (const cpu_set_t *)mask->bit);
}

/* The task's own mask is what task/affinity chose for this task, or the cgroup's. Asked for all
 * CPUs, the kernel gives those that the cgroup's cpuset has (sched_setaffinity(2)). */
static int widest_mask(plugin_cpus *before, plugin_cpus *widest)
{
    if (get_mask(before))
        return -1;
    memset(widest, 0xff, sizeof *widest);
    return set_mask(widest) || get_mask(widest) ? -1 : 0;
}

/* Does the class describe this machine? Only asked where task/affinity has bound the tasks, to CPUs
 * that Slurm itself found here. It leaves the masks of all of the node's tasks in
 * SLURM_CPU_BIND_LIST (src/plugins/task/affinity/dist_tasks.c and src/common/env.c, 22.05), which
 * is the same in each of them, so that all decide alike. \param allowed  what the class makes of
 * the step's cores \return NULL, or what differs */
static const char *compare(spank_t spank, const plugin_cpus *allowed)
{
    const char *masks = job_environment(spank, "SLURM_CPU_BIND_LIST");
    static const plugin_cpus unknown;
    plugin_cpus bound, class;

    if (!masks || strnlen(masks, BIND_LIST_MOST) == BIND_LIST_MOST ||
        plugin_cpus_read_masks(masks, &bound))
        return NULL;
    if (!plugin_cpus_within(&bound, allowed))
        return "the CPUs of Slurm's cores are not those that the database has for this node";
    plugin_cpus_of_class(&here.plan, &class);
    if (memcmp(&here.online, &unknown, sizeof unknown) &&
        !(plugin_cpus_within(&here.online, &class) && plugin_cpus_within(&class, &here.online)))
        return "this node's CPUs are not those that the database has for it";
    return NULL;
}

/* \param allowed  the step's, cut to its cores
 * \return NULL, or what shows that the database's class is another machine's */
static const char *check_class(spank_t spank, plugin_cpus *allowed)
{
    if (!here.cores)
        return NULL;
    if (plugin_cpus_cut(allowed, here.cores, &here.plan))
        return "Slurm's cores are not those that the database has for this node";
    return compare(spank, allowed);
}

/* ---- GPUs --------------------------------------------------------------------------------- */

/* A task while it is being bound. */
struct task {
    uint32_t local, entry; /* whose CPUs it has, and whose GPU; UINT32_MAX: not known */
    plugin_cpus before, allowed, mask;
    const char *not_bound, *not_ordered; /* NULL, or why Slurm's binding, or order of GPUs, stays */
    char gpus[PLUGIN_GPUS_VARIABLES][PLUGIN_GPUS_VALUE];
};

/* What Slurm sets where several tasks share a GPU (gres/shard, gres/mps). */
static int has_shares(spank_t spank)
{
    static const char *const shared[] = {"SLURM_SHARDS_ON_NODE",
                                         "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"};
    int found = 0;

    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        found |= job_environment(spank, shared[i]) != NULL;
    return found;
}

/* Slurm's own (src/interfaces/gres.c), in slurmstepd alone; not in its headers. */
extern bool gres_use_local_device_index(void) __attribute__((weak));

/* The cgroup constrains devices, and what a task is told of GPUs of its own counts within it. */
static int is_constrained(void)
{
    return gres_use_local_device_index && gres_use_local_device_index();
}

/* Whose CPUs a task has. */
static uint32_t entry_of(spank_t spank, uint32_t local)
{
    if (!here.own)
        return local;
    if (is_constrained())
        return plugin_gpus_entry_dealt(&here.plan, here.gpus,
                                       job_environment(spank, "SLURMD_TRES_BIND"), local);
    return plugin_gpus_entry(&here.plan, job_environment(spank, "SLURM_STEP_GPUS"));
}

static void tell_gpu(spank_t spank, uint32_t gpu)
{
    char text[16];

    snprintf(text, sizeof text, "%u", gpu);
    spank_setenv(spank, PLUGIN_ENV_GPU, text, 1);
}

/* One order for all tasks of the node, so that two that take the GPU of their local id never take
 * the same: each decides by what is the same in all of them, where Slurm has bound none to GPUs of
 * its own. The variables are the task's by now.
 * \param set  what is to be set, "" where a variable is not there
 * \return NULL, or why Slurm's order stays */
static const char *order_gpus(spank_t spank, char (*set)[PLUGIN_GPUS_VALUE])
{
    const char *problem =
        plugin_gpus_compare(&here.plan, job_environment(spank, "SLURM_STEP_GPUS"));
    const char *name, *value;
    int found = 0;

    if (has_shares(spank))
        problem = "the step has shares of GPUs";
    for (size_t i = 0; !problem && (name = plugin_gpus_variable(i)); i++) {
        value = job_environment(spank, name);
        *set[i] = 0;
        found |= value != NULL;
        if (value)
            problem = plugin_gpus_order(&here.plan, value, set[i]);
        if (here.plan.amd && plugin_gpus_counts_in_rocr(i) &&
            job_environment(spank, "ROCR_VISIBLE_DEVICES"))
            *set[i] = 0;
    }
    return !problem && !found ? "Slurm tells the tasks of no GPU" : problem;
}

static void set_gpus(spank_t spank, char (*set)[PLUGIN_GPUS_VALUE])
{
    const char *name;

    for (size_t i = 0; (name = plugin_gpus_variable(i)); i++)
        if (*set[i])
            spank_setenv(spank, name, set[i], 1);
}

/* ---- NICs --------------------------------------------------------------------------------- */

/* What the user has set stays, of variables that go together all. */
static void set_variables(spank_t spank, const plugin_nics_task *task)
{
    static char value[PLUGIN_NICS_VARIABLES][PLUGIN_NICS_VALUE];
    const char *name;
    size_t with, other;

    for (size_t i = 0; (name = plugin_nics_variable(i, &with)); i += with) {
        int stays = 0;

        for (size_t k = i; k < i + with; k++)
            stays |= job_environment(spank, plugin_nics_variable(k, &other)) != NULL ||
                     plugin_nics_value(task, k, value[k]) != 0;
        for (size_t k = i; !stays && k < i + with; k++)
            if (*value[k])
                spank_setenv(spank, plugin_nics_variable(k, &other), value[k], 1);
    }
}

/* What the task knows without a library: names without ports. */
static void tell_nics(spank_t spank, char *names)
{
    char *to = names;

    for (const char *at = names; *at; at++) {
        if (*at == ':')
            at += strspn(at + 1, "0123456789") + 1;
        if (!*at)
            break;
        *to++ = *at;
    }
    *to = 0;
    spank_setenv(spank, PLUGIN_ENV_NIC, names, 1);
}

/* Slurm counts parts of GPUs (MIG), too: which GPU a number is of is not known. */
static int has_parts(spank_t spank)
{
    const char *name, *value;
    int found = has_shares(spank);

    for (size_t i = 0; (name = plugin_gpus_variable(i)); i++)
        found |= (value = job_environment(spank, name)) && plugin_gpus_are_parts(value);
    return found;
}

/* Where devices are constrained, a task that has not all of the step's GPUs is told others.
 * \return NULL: what it has is not known */
static const char *gpus_of(spank_t spank, const struct task *task, char own[16])
{
    const char *told = job_environment(spank, "SLURM_STEP_GPUS");

    if (here.nics.by != TOPOMAP_NICS_BY_OWN_GPU || !is_constrained() || here.tasks == 1)
        return told;
    if (here.own && task->entry < here.plan.gpus) {
        snprintf(own, 16, "%u", here.plan.gpu[task->entry]);
        return own;
    }
    if (!task->local)
        say_what(
            "where devices are constrained, Slurm does not tell which GPU a task has (bind=gpu "
            "goes by it)",
            "nic= is passed over");
    return NULL;
}

static void name_nics(spank_t spank, const struct task *task)
{
    static char names[PLUGIN_NICS_VALUE];
    const char *mpich_gpus = job_environment(spank, "MPICH_GPU_SUPPORT_ENABLED");
    char own[16];
    plugin_nics_task of = {.nics = &here.nics,
                           .local = task->local,
                           .tasks = here.tasks,
                           .mpich_gpus = mpich_gpus && !strcmp(mpich_gpus, "1")};

    if (has_parts(spank))
        return;
    of.step_gpus = gpus_of(spank, task, own);
    if (plugin_nics_of_task(&of, names))
        return;
    if (here.nics.set)
        set_variables(spank, &of);
    tell_nics(spank, names);
}

/* CPUs are planned for the order of GPUs, so without the one there is not the other. Too few CPUs
 * are no reason to let GPUs that talk be far from each other. */
static void choose(spank_t spank, struct task *task)
{
    const char *other = NULL;

    task->entry = entry_of(spank, task->local);
    if (here.plan.cores && widest_mask(&task->before, &task->allowed)) {
        other = "its CPUs cannot be asked for";
    } else if (here.plan.cores) {
        /* Without Slurm's list of cores, what is not in the task's own mask may be another job's.
         */
        if (!here.cores)
            task->allowed = task->before;
        other = check_class(spank, &task->allowed);
        if (!other && task->entry == UINT32_MAX)
            other = "a task has not one of the GPUs that were planned with";
        if (!other && plugin_cpus_of_task(&here.plan, &task->allowed, task->entry, &task->mask))
            task->not_bound = "this node has fewer CPUs for the step than tasks";
    }
    if (!other && here.plan.gpus && !here.own)
        other = order_gpus(spank, task->gpus);
    if (other)
        task->not_bound = task->not_ordered = other;
}

static void say_of(const struct task *task)
{
    if (task->local)
        return;
    if (task->not_ordered && here.plan.gpus && !here.own)
        say_what(task->not_ordered, "Slurm's binding and order of GPUs stay on this node");
    else if (task->not_bound)
        say(task->not_bound);
}

/* By local ids they are those of the planned GPUs, or of the planned CPUs. */
static int nics_hold(const struct task *task)
{
    switch (here.nics.by) {
    case TOPOMAP_NICS_BY_TASK:
        return !task->not_ordered;
    case TOPOMAP_NICS_BY_CPUS:
        return here.plan.cores && !task->not_bound;
    default:
        return here.nics.by != 0;
    }
}

void plugin_bind_task(spank_t spank)
{
    static struct task task; /* this process has one */
    int local;

    if (here.refused)
        _exit(1);
    if ((!here.plan.cores && !here.plan.gpus && !here.nics.by) ||
        spank_get_item(spank, S_TASK_ID, &local))
        return;
    memset(&task, 0, sizeof task);
    task.local = (uint32_t)local;
    choose(spank, &task);
    if (here.plan.cores && !task.not_bound && set_mask(&task.mask))
        task.not_bound = "the kernel refused the planned CPUs";
    if (here.plan.cores && !task.not_bound && plugin_memory_policy_move(&task.before, &task.mask))
        task.not_bound = "the memory that Slurm bound the tasks to cannot be changed";
    if (here.plan.gpus && !here.own && !task.not_ordered)
        set_gpus(spank, task.gpus);
    if (here.plan.cores && task.not_bound)
        set_mask(&task.before);
    say_of(&task);
    if (here.own && task.entry != UINT32_MAX)
        tell_gpu(spank, here.plan.gpu[task.entry]);
    if (nics_hold(&task))
        name_nics(spank, &task);
}
