/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-verify: a PMIx client, no MPI. Every task of a step compares where it is with the plan;
 * rank 0 gathers what they found and prints one line. */
#include "config.h"

#include "contrib/verify/verify.h"

#include <pmix.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugin/common/environment.h"
#include "plugin/common/spool.h"
#include "util/alloc.h"
#include "util/full_io.h"

enum { OK, WRONG, USAGE, INPUT, OTHER, TEXT = 400, PATIENCE = 60 };

/* What PMIx, Slurm and the kernel say. */
struct task {
    pmix_proc_t self;
    long tasks, local_rank, local_size;
    char node[VERIFY_NAME], locality[1024];
    verify_cpus cpus;
};

/* ---- PMIx ---------------------------------------------------------------------------------- */

/* In place of PMIX_LOAD_PROCID, which PMIx 2 lacks.
 * \p rank of the same job, or PMIX_RANK_WILDCARD for what is the job's. */
static void name_process(pmix_proc_t *proc, const struct task *task, pmix_rank_t rank)
{
    memset(proc, 0, sizeof *proc);
    snprintf(proc->nspace, sizeof proc->nspace, "%s", task->self.nspace);
    proc->rank = rank;
}

static pmix_value_t *get(const struct task *task, pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;

    name_process(&proc, task, rank);
    return PMIx_Get(&proc, key, NULL, 0, &value) == PMIX_SUCCESS ? value : NULL;
}

static long get_number(const struct task *task, pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = get(task, rank, key);
    long number = -1;

    if (value && value->type == PMIX_UINT32)
        number = (long)value->data.uint32;
    else if (value && value->type == PMIX_UINT16)
        number = value->data.uint16;
    else if (value && value->type == PMIX_INT)
        number = value->data.integer;
    if (value)
        PMIX_VALUE_RELEASE(value);
    return number;
}

static void get_text(const struct task *task, pmix_rank_t rank, const char *key, char *text,
                     size_t size)
{
    pmix_value_t *value = get(task, rank, key);

    if (value && value->type == PMIX_STRING && value->data.string)
        snprintf(text, size, "%s", value->data.string);
    if (value)
        PMIX_VALUE_RELEASE(value);
}

static int open_task(struct task *task, topomap_error *err)
{
    size_t bytes = CPU_ALLOC_SIZE(VERIFY_CPUS);
    int status;

    *task = (struct task){.tasks = -1};
    if ((status = PMIx_Init(&task->self, NULL, 0)) != PMIX_SUCCESS)
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "no PMIx here (%s): start it with srun --mpi=pmix",
                                 PMIx_Error_string(status));
    task->tasks = get_number(task, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    task->local_rank = get_number(task, task->self.rank, PMIX_LOCAL_RANK);
    task->local_size = get_number(task, PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE);
    get_text(task, task->self.rank, PMIX_HOSTNAME, task->node, sizeof task->node);
    get_text(task, task->self.rank, PMIX_LOCALITY_STRING, task->locality, sizeof task->locality);
    task->cpus.set = CPU_ALLOC(VERIFY_CPUS);
    task->cpus.known = task->cpus.set && sched_getaffinity(0, bytes, task->cpus.set) == 0;
    return task->cpus.known ? 0
                            : topomap_error_set(err, TOPOMAP_ESYSTEM, "the kernel gives no CPUs");
}

/* ---- The plan ------------------------------------------------------------------------------ */

static long variable(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;

    return text && *text && !*end && number >= 0 ? number : -1;
}

static int read_bindings(long node, long local, verify_plan *plan, topomap_error *err)
{
    const char *bindings = getenv(PLUGIN_ENV_BINDINGS), *note = getenv(PLUGIN_ENV_SPOOL);
    const char *gpu = getenv(PLUGIN_ENV_GPU);
    TOPOMAP_FREED char *text = NULL;
    size_t size;

    if (!bindings && note &&
        plugin_spool_read(note, NULL, PLUGIN_SPOOL_MOST, &text, &size, err) != 0)
        return -1;
    bindings = bindings ? bindings : text;
    if (!bindings || node < 0 || local < 0)
        return 0;
    return verify_plan_bindings(bindings, (uint32_t)node, (uint32_t)local,
                                gpu ? gpu : getenv("SLURM_STEP_GPUS"), plan, err);
}

/* What the launch left in the environment: where Slurm has put the task, and its CPUs. */
static int read_environment(verify_plan *plan, topomap_error *err)
{
    const char *node = getenv("SLURMD_NODENAME");
    long place = variable("SLURM_NODEID"), local = variable("SLURM_LOCALID");

    if (!getenv(PLUGIN_ENV_PLAN_ID) && !getenv(PLUGIN_ENV_BINDINGS) && !getenv(PLUGIN_ENV_SPOOL))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "this step has no plan: start it with --distribution=topomap, or "
                                 "give one (--plan FILE)");
    snprintf(plan->node, sizeof plan->node, "%s", node ? node : "");
    plan->local_rank = local;
    plan->tasks = variable("SLURM_STEP_NUM_TASKS");
    return read_bindings(place, local, plan, err);
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* With or without a domain, in any case. */
static int same_node(const char *a, const char *b)
{
    size_t x = strcspn(a, "."), y = strcspn(b, ".");

    if (a[x] && b[y])
        return strcasecmp(a, b) == 0;
    return x == y && strncasecmp(a, b, x) == 0;
}

static int check_numbers(const struct task *task, const verify_plan *plan, topomap_error *err)
{
    long slurm = variable("SLURM_PROCID"), local = variable("SLURM_LOCALID");

    if (plan->tasks >= 0 && task->tasks >= 0 && plan->tasks != task->tasks)
        return topomap_error_set(err, TOPOMAP_EINPUT, "PMIx's job has %ld tasks, the plan %ld",
                                 task->tasks, plan->tasks);
    if (slurm >= 0 && slurm != (long)task->self.rank)
        return topomap_error_set(err, TOPOMAP_EINPUT, "its rank is Slurm's task %ld", slurm);
    if (plan->local_rank >= 0 && plan->local_rank != task->local_rank)
        return topomap_error_set(err, TOPOMAP_EINPUT, "its local rank is %ld, the plan says %ld",
                                 task->local_rank, plan->local_rank);
    if (local >= 0 && local != task->local_rank)
        return topomap_error_set(err, TOPOMAP_EINPUT, "its local rank is %ld, Slurm says %ld",
                                 task->local_rank, local);
    if (plan->local_size >= 0 && task->local_size >= 0 && plan->local_size != task->local_size)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%ld tasks are on its node, the plan says %ld", task->local_size,
                                 plan->local_size);
    return 0;
}

static int check_place(const struct task *task, const verify_plan *plan, topomap_error *err)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char have[TEXT / 4], want[TEXT / 4];

    if (*plan->node && !same_node(plan->node, task->node))
        return topomap_error_set(err, TOPOMAP_EINPUT, "it is on %s, the plan says %s",
                                 *task->node ? task->node : "a node without a name", plan->node);
    if (slurm && !same_node(slurm, task->node))
        return topomap_error_set(err, TOPOMAP_EINPUT, "PMIx has it on %s, Slurm on %s", task->node,
                                 slurm);
    if (plan->cpus.known &&
        !CPU_EQUAL_S(CPU_ALLOC_SIZE(VERIFY_CPUS), plan->cpus.set, task->cpus.set)) {
        verify_cpus_text(task->cpus.set, have, sizeof have);
        verify_cpus_text(plan->cpus.set, want, sizeof want);
        return topomap_error_set(err, TOPOMAP_EINPUT, "it is bound to CPUs %s, the plan says %s",
                                 have, want);
    }
    return *task->locality ? verify_locality(task->locality, task->cpus.set, err) : 0;
}

/* ---- All tasks together -------------------------------------------------------------------- */

/* "node cpus-known locality-known text": empty text where all is well. */
static int put_verdict(const struct task *task, const verify_plan *plan, const char *problem)
{
    char text[TEXT + VERIFY_NAME + 16];
    pmix_value_t value;
    int status;

    snprintf(text, sizeof text, "%s %d %d %.*s", *task->node ? task->node : "-", plan->cpus.known,
             *task->locality != 0, TEXT, problem);
    PMIX_VALUE_LOAD(&value, text, PMIX_STRING);
    status = PMIx_Put(PMIX_GLOBAL, "topomap.verdict", &value);
    PMIX_VALUE_DESTRUCT(&value);
    return status == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS ? 0 : -1;
}

/* A task that does not come must not hang the others. */
static int meet(const struct task *task)
{
    pmix_proc_t all;
    pmix_info_t info[2];
    bool collect = true;
    int patience = PATIENCE;

    name_process(&all, task, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &patience, PMIX_INT);
    return PMIx_Fence(&all, 1, info, 2) == PMIX_SUCCESS ? 0 : -1;
}

struct sum {
    long wrong, bound, located, missing;
    char first[TEXT + 32];
};

static void add_verdict(const struct task *task, pmix_rank_t rank, struct sum *sum)
{
    char text[TEXT + VERIFY_NAME + 16] = "", *problem;
    int bound = 0, located = 0, at = 0;

    get_text(task, rank, "topomap.verdict", text, sizeof text);
    if (sscanf(text, "%*s %d %d%n", &bound, &located, &at) < 2) {
        sum->missing++;
        return;
    }
    sum->bound += bound;
    sum->located += located;
    problem = text + at + (text[at] == ' ');
    if (*problem && !sum->wrong++)
        snprintf(sum->first, sizeof sum->first, "rank %u: %s", (unsigned)rank, problem);
}

/* Rank 0's line. \return the exit status */
static int report(const struct task *task)
{
    struct sum sum = {0};

    for (long rank = 0; rank < task->tasks; rank++)
        add_verdict(task, (pmix_rank_t)rank, &sum);
    if (sum.wrong || sum.missing)
        printf("topomap-verify: %s%s%ld of %ld tasks are not as planned, %ld did not answer\n",
               sum.first, *sum.first ? "; " : "", sum.wrong, task->tasks, sum.missing);
    else
        printf("topomap-verify: %ld tasks are where the plan says, CPUs of %ld and PMIx's locality "
               "of %ld compared\n",
               task->tasks, sum.bound, sum.located);
    return sum.wrong || sum.missing ? WRONG : OK;
}

static int usage(FILE *out, int status)
{
    fputs(
        "Usage: srun --mpi=pmix ... topomap-verify [--plan FILE]\n"
        "Checks, in every task of a step, that node, local rank, CPUs and PMIx's locality are "
        "what\n"
        "the plan says; prints one line. --plan FILE: of `topomap map --format json`; without it\n"
        "the CPUs that the launch has planned, and Slurm's own word on nodes and ranks.\n"
        "Exit status: 0 all as planned, 1 not, 2 usage, 3 bad plan, 4 no PMIx.\n",
        out);
    return status;
}

static int verify(const struct task *task, const char *path)
{
    verify_plan plan;
    topomap_error err;
    const char *problem = "";
    int status = OK;

    if (verify_plan_init(&plan, &err) != 0 ||
        (path ? verify_plan_read(path, (long)task->self.rank, &plan, &err)
              : read_environment(&plan, &err)) != 0) {
        problem = err.text;
        status = INPUT;
    } else if (check_numbers(task, &plan, &err) != 0 || check_place(task, &plan, &err) != 0) {
        problem = err.text;
        status = WRONG;
    }
    if (put_verdict(task, &plan, problem) != 0 || meet(task) != 0) {
        fprintf(stderr, "topomap-verify: rank %u: the tasks cannot meet through PMIx\n",
                (unsigned)task->self.rank);
        status = OTHER;
    } else {
        if (task->self.rank == 0 && report(task) != OK && status == OK)
            status = WRONG;
        fflush(stdout);
        meet(task); /* launchers end all where one has ended with a status: the line comes first */
    }
    verify_plan_clear(&plan);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    struct task task;
    topomap_error err;
    int status;

    if (topomap_standard_files_open())
        return OTHER;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, OK);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("topomap-verify %s\n", PACKAGE_VERSION) < 0;
    if (argc == 3 && strcmp(argv[1], "--plan") == 0)
        path = argv[2];
    else if (argc != 1)
        return usage(stderr, USAGE);
    if (open_task(&task, &err) != 0) {
        fprintf(stderr, "topomap-verify: %s\n", err.text);
        return OTHER;
    }
    status = verify(&task, path);
    PMIx_Finalize(NULL, 0);
    CPU_FREE(task.cpus.set);
    return status;
}
