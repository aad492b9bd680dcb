/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/bind.h"
#include "plugin/cpus.h"
#include "plugin/environment.h"
#include "plugin/format.h"
#include "plugin/online.h"
#include "plugin/report.h"
#include "plugin/spool.h"

#include <sched.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Filled once, before the tasks are forked. */
static struct {
    topomap_bindings plan; /* of this node; nodes == 0: nothing to do */
    uint32_t node;         /* its place in the step */
    char *cores;           /* that the step may use, Slurm's numbering; NULL: not known */
    plugin_cpus online;    /* the node's CPUs; none: not known */
    int refused;           /* the tasks must not run */
} here;

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

/* Is the plan for this step, and for as many tasks as this node has? A step inside a task of
 * another step inherits that one's environment. */
static int is_ours(spank_t spank, const topomap_bindings *plan, uint32_t job, uint32_t step)
{
    uint32_t tasks;

    return plan->job == job && plan->step == step &&
           spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
           plan->task_first[1] == tasks;
}

/* Gives the tasks the names that programs look for. */
static void unfold(spank_t spank, const char *bindings)
{
    static const char *const names[] = {PLUGIN_ENV_APPLIED, PLUGIN_ENV_PLAN_ID, PLUGIN_ENV_GAIN};
    const char *plan = job_environment(spank, PLUGIN_ENV_CARRIED_PLAN);
    char *copy = plan ? strdup(plan) : NULL, *rest = NULL;
    char *word = copy ? strtok_r(copy, " ", &rest) : NULL;

    for (size_t i = 0; word && i < sizeof names / sizeof *names; i++) {
        if (strcmp(word, "-") != 0)
            spank_setenv(spank, names[i], word, 1);
        word = strtok_r(NULL, " ", &rest);
    }
    free(copy);
    spank_unsetenv(spank, PLUGIN_ENV_CARRIED_PLAN);
    if (bindings)
        spank_setenv(spank, PLUGIN_ENV_BINDINGS, bindings, 1);
    spank_unsetenv(spank, PLUGIN_ENV_CARRIED_BINDINGS);
}

/* A class that does not fit is mostly that of all the step's nodes, and one line is enough for the
 * user: the step's first node says it. The others' lines are for the administrator, in slurmd's
 * log. */
static void say_what(const char *why, const char *what)
{
    if (!here.node)
        plugin_report_node("%s; %s", why, what);
    else
        plugin_report_detail(0, "%s; %s", why, what);
}

static void say(const char *why)
{
    say_what(why, "Slurm's binding stays on this node");
}

static void read_plan(spank_t spank, const char *text, uint32_t job, uint32_t step)
{
    topomap_bindings plan;
    topomap_error err;
    char *cores = NULL;

    if (topomap_bindings_decode_node(text, here.node, &plan, &err)) {
        say(err.text);
        return;
    }
    if (!is_ours(spank, &plan, job, step) || plan.class_of[0] == UINT32_MAX) {
        topomap_bindings_clear(&plan);
        return;
    }
    if (spank_get_item(spank, S_STEP_ALLOC_CORES, &cores) == ESPANK_SUCCESS && cores && *cores)
        here.cores = strdup(cores);
    if (here.cores)
        plugin_online_cpus(&here.online);
    here.plan = plan;
}

static int is_refused(spank_t spank, uint32_t job, uint32_t step)
{
    const char *refused = job_environment(spank, PLUGIN_ENV_REFUSED);
    char ours[32];

    snprintf(ours, sizeof ours, "%u.%u", job, step);
    return refused && !strcmp(refused, ours);
}

/* The bindings of a step whose environment could not carry them; where the file cannot be read, or
 * there is none, what the environment has instead. NULL: neither. */
static char *read_spooled(spank_t spank)
{
    const char *note = job_environment(spank, PLUGIN_ENV_CARRIED_SPOOL);
    const char *in_order = job_environment(spank, PLUGIN_ENV_CARRIED_IN_ORDER);
    char *text = NULL;
    topomap_error err;

    if (note && plugin_spool_read(note, &text, &err)) {
        if (in_order)
            say_what(err.text, "the tasks of this node are bound in order");
        else
            say(err.text);
    }
    if (text)
        spank_setenv(spank, PLUGIN_ENV_SPOOL, note, 1);
    else if (in_order)
        text = strdup(in_order);
    spank_unsetenv(spank, PLUGIN_ENV_CARRIED_SPOOL);
    spank_unsetenv(spank, PLUGIN_ENV_CARRIED_IN_ORDER);
    return text;
}

static void forget(void)
{
    topomap_bindings_clear(&here.plan);
    free(here.cores);
    memset(&here, 0, sizeof here);
}

/* Nothing of another format is looked at, and the tasks do not find it. */
static void drop(spank_t spank)
{
    static const char *const names[] = {PLUGIN_ENV_CARRIED_PLAN, PLUGIN_ENV_CARRIED_BINDINGS,
                                        PLUGIN_ENV_CARRIED_SPOOL, PLUGIN_ENV_CARRIED_IN_ORDER,
                                        PLUGIN_ENV_CARRIED_PROFILE};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        spank_unsetenv(spank, names[i]);
}

static void take_plan(spank_t spank, uint32_t job, uint32_t step)
{
    const char *carried = job_environment(spank, PLUGIN_ENV_CARRIED_BINDINGS);
    char *text = carried ? strdup(carried) : NULL; /* it moves when the environment changes */

    unfold(spank, text);
    if (!text)
        text = read_spooled(spank);
    if (text)
        read_plan(spank, text, job, step);
    free(text);
}

int plugin_bind_node(spank_t spank, unsigned format)
{
    char why[256];
    int known = plugin_format_is_known(spank, format, why, sizeof why);
    uint32_t job, step;

    forget();
    if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        step > SLURM_MAX_NORMAL_STEP_ID ||
        spank_get_item(spank, S_JOB_NODEID, &here.node) != ESPANK_SUCCESS)
        return known;
    here.refused = is_refused(spank, job, step);
    if (known) {
        take_plan(spank, job, step);
        return 1;
    }
    drop(spank);
    say(why);
    return 0;
}

/* The task's own mask is what task/affinity chose for this task, or the cgroup's. Asked for all
 * CPUs, the kernel gives those that the cgroup's cpuset has (sched_setaffinity(2)). */
static int widest_mask(cpu_set_t *before, cpu_set_t *widest, size_t size)
{
    if (sched_getaffinity(0, size, before))
        return -1;
    memset(widest, 0xff, size);
    return sched_setaffinity(0, size, widest) || sched_getaffinity(0, size, widest) ? -1 : 0;
}

static void to_cpus(const cpu_set_t *set, size_t size, plugin_cpus *cpus)
{
    enum { STEP = 64 };
    static const unsigned char none[STEP / 8];

    memset(cpus, 0, sizeof *cpus);
    for (uint32_t first = 0; first < PLUGIN_CPUS; first += STEP)
        if (memcmp((const char *)set + first / 8, none, sizeof none))
            for (uint32_t cpu = first; cpu < first + STEP; cpu++)
                if (CPU_ISSET_S(cpu, size, set))
                    plugin_cpus_add(cpus, cpu);
}

/* Does the class describe this machine? Only asked where task/affinity has bound the tasks, to CPUs
 * that Slurm itself found here. It leaves the masks of all of the node's tasks in
 * SLURM_CPU_BIND_LIST (src/plugins/task/affinity/dist_tasks.c and src/common/env.c, 22.05), which
 * is the same in each of them, so that all decide alike. \param allowed  what the class makes of
 * the step's cores \return NULL, or what differs */
static const char *compare(spank_t spank, const topomap_bindings_class *inside,
                           const plugin_cpus *allowed)
{
    const char *masks = job_environment(spank, "SLURM_CPU_BIND_LIST");
    static const plugin_cpus unknown;
    plugin_cpus bound, class;

    if (!masks || plugin_cpus_read_masks(masks, &bound))
        return NULL;
    if (!plugin_cpus_within(&bound, allowed))
        return "the CPUs of Slurm's cores are not those that the database has for this node";
    plugin_cpus_of_class(inside, &class);
    if (memcmp(&here.online, &unknown, sizeof unknown) &&
        !(plugin_cpus_within(&here.online, &class) && plugin_cpus_within(&class, &here.online)))
        return "this node's CPUs are not those that the database has for it";
    return NULL;
}

/* \return NULL, or why Slurm's binding stays */
static const char *choose(spank_t spank, uint32_t local, plugin_cpus *allowed, plugin_cpus *mask)
{
    const topomap_bindings_class *inside = &here.plan.node_class[here.plan.class_of[0]];
    const char *problem = NULL;

    if (here.cores && plugin_cpus_cut(allowed, here.cores, inside))
        return "Slurm's cores are not those that the database has for this node";
    if (here.cores)
        problem = compare(spank, inside, allowed);
    if (!problem && plugin_cpus_of_task(&here.plan, allowed, local, mask))
        problem = "this node has fewer CPUs for the step than tasks";
    return problem;
}

void plugin_bind_task(spank_t spank)
{
    size_t size = CPU_ALLOC_SIZE(PLUGIN_CPUS);
    cpu_set_t *before = CPU_ALLOC(PLUGIN_CPUS), *set = CPU_ALLOC(PLUGIN_CPUS);
    const char *problem = "its CPUs cannot be asked for";
    plugin_cpus allowed, mask;
    int local;

    if (here.refused)
        _exit(1);
    if (!here.plan.nodes || !before || !set || spank_get_item(spank, S_TASK_ID, &local))
        goto out;
    memset(before, 0, size);
    if (!widest_mask(before, set, size)) {
        /* Without Slurm's list of cores, what is not in the task's own mask may be another job's.
         */
        to_cpus(here.cores ? set : before, size, &allowed);
        problem = choose(spank, (uint32_t)local, &allowed, &mask);
        memset(set, 0, size);
        for (uint32_t cpu = 0; !problem && cpu < PLUGIN_CPUS; cpu++)
            if (!mask.bit[cpu / 8])
                cpu |= 7;
            else if (plugin_cpus_has(&mask, cpu))
                CPU_SET_S(cpu, size, set);
        if (!problem && sched_setaffinity(0, size, set))
            problem = "the kernel refused the planned CPUs";
    }
    if (problem) {
        sched_setaffinity(0, size, before);
        if (!local)
            say(problem);
    }
out:
    CPU_FREE(before);
    CPU_FREE(set);
}
