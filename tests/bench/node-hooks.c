/* SPDX-License-Identifier: BSD-3-Clause */
/* What srun's plugin does with a planner's reply and what every node's plugin makes of it, without
 * a Slurm: the plugin's own code, with Slurm's functions and the kernel's masks played here. usage:
 * node-hooks [OPTION...] REPLY JOB STEP
 *   --spool FOLDER  where bindings go that the environment cannot carry
 *   --lost          the file is gone when the nodes look for it
 *   --cpus N        of each node (8192)
 *   --cores LIST    that Slurm gave the step on each node, in its own numbering
 *   --affinity      Slurm has bound the tasks, so that nodes compare its masks with the class
 *   --fork          a process a task, as in slurmstepd, and what that costs the hook
 * Standard output: for each task its rank, its node and its CPUs, "-" where Slurm's binding stays.
 * Standard error: a line of "name value"s, CPU times of the node's hook and of the tasks'. */
#include "config.h"

#include <getopt.h>
#include <sched.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/node/node.h"
#include "plugin/common/format.h"
#include "plugin/common/environment.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/common/environment_size.h"
#include "plugin/node/cpus.h"
#include "plugin/common/reply.h"
#include "plugin/common/spool.h"

enum { SIZE = PLUGIN_CPUS / 8 };

/* The step on the node that is played. */
static struct {
    uint32_t job, step, node, tasks, task, step_tasks;
    plugin_node_site site;
    char *cores;
    unsigned char machine[SIZE], mask[SIZE];
    int asked; /* was the last mask set for a task's sake? */
    int forks;
} now;

/* ---- Slurm and the kernel ---------------------------------------------------------------- */

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
    spank_err_t status = ESPANK_SUCCESS;
    va_list args;
    void *to;

    (void)spank;
    va_start(args, item);
    to = va_arg(args, void *);
    va_end(args);
    if (item == S_JOB_ENV)
        *(char ***)to = environ;
    else if (item == S_JOB_ID)
        *(uint32_t *)to = now.job;
    else if (item == S_JOB_STEPID)
        *(uint32_t *)to = now.step;
    else if (item == S_JOB_NODEID)
        *(uint32_t *)to = now.node;
    else if (item == S_JOB_LOCAL_TASK_COUNT)
        *(uint32_t *)to = now.tasks;
    else if (item == S_JOB_TOTAL_TASK_COUNT)
        *(uint32_t *)to = now.step_tasks;
    else if (item == S_TASK_ID)
        *(int *)to = (int)now.task;
    else if (item == S_STEP_ALLOC_CORES && now.cores)
        *(char **)to = now.cores;
    else
        status = ESPANK_ERROR;
    return status;
}

spank_err_t spank_getenv(spank_t spank, const char *name, char *text, int size)
{
    const char *value = getenv(name);

    (void)spank;
    if (!value)
        return ESPANK_ENV_NOEXIST;
    if (strlen(value) >= (size_t)size)
        return ESPANK_NOSPACE;
    memcpy(text, value, strlen(value) + 1);
    return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value, int overwrite)
{
    (void)spank;
    return setenv(name, value, overwrite) ? ESPANK_ERROR : ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank;
    return unsetenv(name) ? ESPANK_ERROR : ESPANK_SUCCESS;
}

#define LOG(name)                                                                                  \
    void name(const char *format, ...)                                                             \
    {                                                                                              \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, format);                                                                    \
        vfprintf(stderr, format, args);                                                            \
        va_end(args);                                                                              \
        fputc('\n', stderr);                                                                       \
    }
LOG(slurm_spank_log)
LOG(slurm_info)
LOG(slurm_verbose)
LOG(slurm_error)

/* The real call too, for what it costs. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    syscall(SYS_sched_getaffinity, pid, size, set);
    memset(set, 0, size);
    memcpy(set, now.mask, SIZE);
    return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof all);
    syscall(SYS_sched_setaffinity, pid, sizeof all, &all);
    for (size_t i = 0; i < SIZE && i < size; i++)
        now.mask[i] = now.machine[i] & ((const unsigned char *)set)[i];
    now.asked = memcmp(now.mask, now.machine, SIZE) != 0;
    return 0;
}

/* ---- Nodes ------------------------------------------------------------------------------- */

struct times {
    double node_most, node_all, task_most, task_all;
};

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void take(double since, double *most, double *all)
{
    double spent = cpu_seconds() - since;

    *most = spent > *most ? spent : *most;
    *all += spent;
}

static void print_task(uint32_t rank)
{
    const char *comma = "";

    printf("%u %u ", rank, now.node);
    for (uint32_t cpu = 0; now.asked && cpu < PLUGIN_CPUS; cpu++)
        if (now.mask[cpu / 8] >> cpu % 8 & 1) {
            printf("%s%u", comma, cpu);
            comma = ",";
        }
    printf("%s\n", now.asked ? "" : "-");
}

static void play_task(uint32_t rank, struct times *times)
{
    double since;

    memcpy(now.mask, now.machine, SIZE);
    now.asked = 0;
    since = cpu_seconds();
    plugin_bind_task(NULL);
    take(since, &times->task_most, &times->task_all);
    print_task(rank);
}

/* As in slurmstepd: the node's hook, then that of each task, each from its own mask on. */
static void play_node(const uint32_t *rank, struct times *times)
{
    double since = cpu_seconds();

    plugin_bind_node(NULL, PLUGIN_FORMAT, &now.site);
    take(since, &times->node_most, &times->node_all);
    for (now.task = 0; now.task < now.tasks; now.task++) {
        pid_t child = now.forks ? fork() : -1;

        if (child <= 0)
            play_task(rank[now.task], times);
        if (child >= 0)
            fflush(stdout);
        if (child == 0)
            _exit(0);
        if (child > 0)
            waitpid(child, NULL, 0);
    }
}

/* Ranks of the next node of a layout. */
static uint32_t read_node(const char **at, uint32_t *rank)
{
    uint32_t count = 0;

    for (;; ++*at) {
        char *end;
        unsigned long low = strtoul(*at, &end, 10), high = low;

        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        for (; low <= high && count < UINT16_MAX; low++)
            rank[count++] = (uint32_t)low;
        *at = end;
        if (*end != ',')
            break;
    }
    *at += **at == ';';
    return count;
}

static uint32_t count_tasks(const char *layout)
{
    static uint32_t rank[UINT16_MAX + 1];
    uint32_t tasks = 0;

    while (*layout)
        tasks += read_node(&layout, rank);
    return tasks;
}

/* A process a node. */
static int play(const char *layout, uint32_t *tasks, struct times *times)
{
    static uint32_t rank[UINT16_MAX + 1];
    int status = 0;
    pid_t node;

    for (now.node = 0; *layout; now.node++) {
        now.tasks = read_node(&layout, rank);
        *tasks += now.tasks;
        fflush(stdout);
        node = fork();
        if (node == 0) {
            play_node(rank, times);
            fflush(stdout);
            _exit(0);
        }
        /* Not wait(): whoever tidies the spool folder is a child, too. */
        if (waitpid(node, &status, 0) != node || status)
            return -1;
    }
    return 0;
}

/* ---- The step ---------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    size_t room = 0;

    for (*size = 0; file && !feof(file) && !ferror(file);) {
        if (room - *size < 65536)
            bytes = realloc(bytes, room = room * 2 + 131072);
        *size += fread(bytes + *size, 1, room - *size - 1, file);
    }
    if (file)
        fclose(file);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

/* Slurm's list of masks, one CPU for each of as many tasks as CPUs. */
static void set_bind_list(uint32_t cpus)
{
    char *list = calloc(cpus, cpus / 4 + 5), *at = list;

    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        at += sprintf(at, "%s0x%u", cpu ? "," : "", 1u << cpu % 4);
        memset(at, '0', cpu / 4);
        at += cpu / 4;
    }
    setenv("SLURM_CPU_BIND_LIST", list, 1);
    free(list);
}

struct words {
    const char *reply, *folder;
    uint32_t cpus;
    int lost, affinity;
};

static int read_words(int argc, char **argv, struct words *words)
{
    static const struct option options[] = {{"spool", required_argument, NULL, 's'},
                                            {"lost", no_argument, NULL, 'l'},
                                            {"cpus", required_argument, NULL, 'c'},
                                            {"cores", required_argument, NULL, 'C'},
                                            {"affinity", no_argument, NULL, 'a'},
                                            {"fork", no_argument, NULL, 'f'},
                                            {0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return -1;
        words->folder = option == 's' ? optarg : words->folder;
        words->lost |= option == 'l';
        words->affinity |= option == 'a';
        now.forks |= option == 'f';
        words->cpus = option == 'c' ? (uint32_t)atoi(optarg) : words->cpus;
        now.cores = option == 'C' ? optarg : now.cores;
    }
    if (argc - optind != 3 || words->cpus > PLUGIN_CPUS)
        return -1;
    words->reply = argv[optind];
    now.job = (uint32_t)atoi(argv[optind + 1]);
    now.step = (uint32_t)atoi(argv[optind + 2]);
    return 0;
}

/* As the planner tells srun, and srun the nodes. \return what was carried */
static const char *carry(const struct words *words, const char *bindings, plugin_reply *carried,
                         char **bytes)
{
    const planner_facts facts = {.job = now.job,
                                 .step = now.step,
                                 .room = plugin_environment_left(),
                                 .args.spool = words->folder};
    size_t size;
    planner_verdict verdict = {.facts = &facts, .out = open_memstream(bytes, &size)};
    topomap_error err;

    fprintf(verdict.out, "topomap-reply 1\nstatus unchanged\n");
    planner_forward_bindings(&verdict, bindings);
    *bytes = planner_answer_seal(verdict.out, bytes, &size);
    if (!*bytes || plugin_reply_read(*bytes, size, carried, &err))
        return "not";
    for (unsigned i = 0; i < carried->tells; i++)
        fprintf(stderr, "%s\n", carried->tell[i].text);
    if (carried->bindings)
        setenv(PLUGIN_ENV_CARRIED_BINDINGS, carried->bindings, 1);
    if (carried->spool)
        setenv(PLUGIN_ENV_CARRIED_SPOOL, carried->spool, 1);
    if (carried->in_order)
        setenv(PLUGIN_ENV_CARRIED_IN_ORDER, carried->in_order, 1);
    return carried->bindings ? "whole" : carried->spool ? "spooled" : "in-order";
}

static int run(const struct words *words, const plugin_reply *reply, struct times *times)
{
    uint32_t tasks = 0;
    size_t length = strlen(reply->bindings);
    plugin_reply carried;
    char *bytes = NULL;
    const char *how = carry(words, reply->bindings, &carried, &bytes);
    int failed;

    if (carried.spool && words->lost)
        plugin_spool_remove(carried.spool);
    if (words->affinity)
        set_bind_list(words->cpus);
    now.site = (plugin_node_site){NODE_HELPER, words->folder, 30000}; /* time is not the subject */
    now.step_tasks = count_tasks(reply->layout);
    failed = play(reply->layout, &tasks, times);
    if (carried.spool)
        plugin_spool_remove(carried.spool);
    free(bytes);
    fprintf(stderr,
            "carried %s nodes %u tasks %u bytes %zu bytes/task %.3f node-ms %.3f node-ms-most %.3f "
            "task-us %.1f task-us-most %.1f\n",
            how, now.node, tasks, length, (double)length / tasks, 1e3 * times->node_all / now.node,
            1e3 * times->node_most, 1e6 * times->task_all / tasks, 1e6 * times->task_most);
    return failed;
}

int main(int argc, char **argv)
{
    struct words words = {.cpus = PLUGIN_CPUS};
    struct times *times =
        mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    topomap_error err;
    plugin_reply reply;
    char *bytes;
    size_t size;
    int failed;

    if (times == MAP_FAILED || read_words(argc, argv, &words)) {
        fprintf(stderr, "usage: node-hooks [OPTION...] REPLY JOB STEP\n");
        return 2;
    }
    for (uint32_t cpu = 0; cpu < words.cpus; cpu++)
        now.machine[cpu / 8] |= (unsigned char)(1u << cpu % 8);
    bytes = read_file(words.reply, &size);
    failed = !bytes || plugin_reply_read(bytes, size, &reply, &err) || !reply.layout ||
             !reply.bindings || run(&words, &reply, times);
    if (failed)
        fprintf(stderr, "%s: no placed and bound step\n", words.reply);
    free(bytes);
    return failed ? 1 : 0;
}
