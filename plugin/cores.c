/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/cores.h"

#include <pthread.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
/* slurm_job_cpus_allocated_str_on_node_id has gone, without a successor. */
char *plugin_cores_of_job(uint32_t job, const char *node_list, uint32_t nodes, unsigned wait_ms)
{
    (void)job, (void)node_list, (void)nodes, (void)wait_ms;
    return NULL;
}
#else
enum { LIST_SIZE = 8192 * 2, NODES_MOST = 1 << 20 };

/* A question to slurmctld, asked by a thread of its own: one that does not answer must not hold the
 * step. Whoever is last frees it. */
struct question {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t job;
    int answered, given_up;
    job_info_msg_t *answer; /* NULL: none */
};

static void end_question(struct question *q)
{
    if (q->answer)
        slurm_free_job_info_msg(q->answer);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void *ask(void *data)
{
    struct question *q = data;
    job_info_msg_t *answer = NULL;
    int given_up;

    if (slurm_load_job(&answer, q->job, SHOW_DETAIL) != SLURM_SUCCESS)
        answer = NULL;
    pthread_mutex_lock(&q->lock);
    q->answer = answer;
    q->answered = 1;
    given_up = q->given_up;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    if (given_up)
        end_question(q);
    return NULL;
}

static struct question *start_question(uint32_t job)
{
    struct question *q = calloc(1, sizeof *q);
    pthread_condattr_t clock;
    pthread_t thread;

    if (!q)
        return NULL;
    q->job = job;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&q->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (!pthread_create(&thread, NULL, ask, q)) {
        pthread_detach(thread);
        return q;
    }
    end_question(q);
    return NULL;
}

/* \return NULL, and the thread ends the question; or one that is answered, for end_question() */
static struct question *ask_in_time(uint32_t job, unsigned wait_ms)
{
    struct question *q = start_question(job);
    struct timespec until;
    int answered;

    if (!q)
        return NULL;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&q->lock);
    while (!q->answered && !pthread_cond_timedwait(&q->changed, &q->lock, &until))
        ;
    answered = q->answered;
    q->given_up = !answered;
    pthread_mutex_unlock(&q->lock);
    return answered ? q : NULL;
}

/* ---- Reading the answer ------------------------------------------------------------------ */

/* The job's nodes in its own order, which its resources are in. */
struct names {
    char **name;
    uint32_t count;
};

static void clear_names(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static int list_names(const char *text, struct names *names)
{
    __typeof__(slurm_hostlist_create("")) list = slurm_hostlist_create(text);
    int count = list ? slurm_hostlist_count(list) : 0;
    char *name;

    *names = (struct names){0};
    if (count > 0 && count <= NODES_MOST)
        names->name = calloc((size_t)count, sizeof *names->name);
    while (names->name && names->count < (uint32_t)count &&
           (name = slurm_hostlist_shift(list)) != NULL)
        names->name[names->count++] = name;
    if (list)
        slurm_hostlist_destroy(list);
    return names->name ? 0 : -1;
}

/* A step's nodes are in the job's order, all or some of them, so the next is mostly the next. */
static int find_name(const struct names *names, const char *name, uint32_t *at)
{
    for (uint32_t i = 0; i < names->count; i++, *at = (*at + 1) % names->count)
        if (!strcmp(names->name[*at], name))
            return 0;
    return -1;
}

static void write_list(FILE *out, const char *list, uint32_t times, int is_last)
{
    fputs(list, out);
    if (times > 1)
        fprintf(out, "(x%u)", times);
    if (!is_last)
        fputc(';', out);
}

/* Without a list of nodes loaded into libslurm, which only its printing functions do, a CPU is a
 * core here (slurm_job_cpus_allocated_str_on_node_id in src/api/job_info.c, 22.05). A list that is
 * not meant so is one that the nodes' own items do not confirm: then it only costs the plan of the
 * CPUs. */
static int write_lists(FILE *out, job_resources_t *resources, const struct names *job,
                       const struct names *step)
{
    char *list = malloc(LIST_SIZE), *last = malloc(LIST_SIZE);
    uint32_t at = 0, times = 0;
    int status = list && last ? 0 : -1;

    for (uint32_t i = 0; !status && i <= step->count; i++) {
        if (i < step->count &&
            (find_name(job, step->name[i], &at) ||
             slurm_job_cpus_allocated_str_on_node_id(list, LIST_SIZE, resources, (int)at)))
            status = -1;
        else if (i && i < step->count && !strcmp(list, last))
            times++;
        else {
            if (i)
                write_list(out, last, times, i == step->count);
            times = 1;
            strcpy(last, list);
        }
        status |= strlen(list) >= LIST_SIZE - 1;
    }
    free(list);
    free(last);
    return status;
}

/* The number of an array's or a heterogeneous job's first part gets all parts. */
static const job_info_t *find_job(const job_info_msg_t *answer, uint32_t id)
{
    for (uint32_t i = 0; i < answer->record_count; i++)
        if (answer->job_array[i].job_id == id)
            return &answer->job_array[i];
    return NULL;
}

static char *format(const job_info_msg_t *answer, uint32_t id, const char *node_list,
                    uint32_t nodes)
{
    const job_info_t *job = find_job(answer, id);
    struct names of_job = {0}, of_step = {0};
    char *text = NULL;
    size_t size;
    FILE *out;
    int failed = 1;

    if (!job || !job->job_resrcs || !job->nodes)
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (!list_names(job->nodes, &of_job) && !list_names(node_list, &of_step) &&
        of_step.count == nodes)
        failed = write_lists(out, job->job_resrcs, &of_job, &of_step);
    clear_names(&of_job);
    clear_names(&of_step);
    if (!fclose(out) && !failed)
        return text;
    free(text);
    return NULL;
}

char *plugin_cores_of_job(uint32_t job, const char *node_list, uint32_t nodes, unsigned wait_ms)
{
    struct question *q;
    struct rlimit space;
    char *text = NULL;

    /* A thread's heap takes 64 MiB of addresses, which srun may need itself. */
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur != RLIM_INFINITY)
        return NULL;
    q = ask_in_time(job, wait_ms);
    if (!q)
        return NULL;
    if (q->answer)
        text = format(q->answer, job, node_list, nodes);
    end_question(q);
    return text;
}
#endif
