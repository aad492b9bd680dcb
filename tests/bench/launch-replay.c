/* SPDX-License-Identifier: BSD-3-Clause */
/* launch-replay PLANNER REQUEST RUNS: what the plugin does in srun with a request, without a Slurm:
 * starts the planner, reads and checks its reply, and readies the layout and the bindings for the
 * launch. Prints the medians of RUNS runs, in milliseconds: wall-clock time, CPU time of the
 * planner and its reader, CPU time of srun's own part. */
#include "config.h"

#include <slurm/slurm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/common/environment.h"
#include "plugin/common/run_planner.h"
#include "plugin/common/ranks.h"
#include "plugin/common/reply.h"
#include "plugin/common/environment_size.h"

enum { DEADLINE_MS = 60000, MOST_RUNS = 1000, TASKS = 1 << 20 };

static double clock_ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double children_ms(void)
{
    struct rusage used;

    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3;
}

static int read_text(const char *path, char **text)
{
    FILE *file = fopen(path, "re");
    size_t room = 0;
    int failed = !file || getdelim(text, &room, '\0', file) <= 0;

    if (failed)
        perror(path);
    if (file)
        fclose(file);
    return failed;
}

/* Slurm's own layout, in the request: ranges that ascend from node to node. */
static int read_layout(const char *request, plugin_ranks *ranks)
{
    const char *at = strstr(request, "\nlayout ");
    uint32_t nodes = 1, tasks = 0;
    topomap_error err;

    if (!at)
        return -1;
    at += strlen("\nlayout ");
    for (const char *c = at; *c && *c != '\n'; c++)
        nodes += *c == ';';
    if (plugin_ranks_alloc(ranks, nodes, TASKS, &err))
        return -1;
    for (uint32_t node = 0; node < nodes; node++) {
        char *rest;
        unsigned long low = strtoul(at, &rest, 10), high = low;

        if (*rest == '-')
            high = strtoul(rest + 1, &rest, 10);
        for (; low <= high && tasks < TASKS; low++)
            ranks->id[tasks++] = (uint32_t)low;
        ranks->first[node + 1] = tasks;
        at = rest + 1;
    }
    ranks->tasks = tasks;
    return 0;
}

static int launch(const char *planner, const char *request, const plugin_ranks *layout,
                  topomap_error *err)
{
    plugin_ranks ranks = {0};
    plugin_reply reply;
    char *bytes = NULL;
    size_t size;
    int failed = plugin_launch_run(planner, request, DEADLINE_MS, &bytes, &size, err) ||
                 plugin_reply_read(bytes, size, &reply, err);

    if (!failed && (reply.status == PLUGIN_FAILED || !reply.layout || !reply.bindings))
        failed = topomap_error_set(err, TOPOMAP_EINPUT, "no placed and bound step: %s", reply.line);
    if (!failed)
        failed = plugin_ranks_parse(reply.layout, layout, &ranks, err) ||
                 topomap_bindings_check(reply.bindings, 17, 0, layout->nodes, layout->first, err);
    if (!failed && (long)strlen(reply.bindings) < plugin_environment_left())
        setenv(PLUGIN_ENV_CARRIED_BINDINGS, reply.bindings, 1);
    plugin_ranks_clear(&ranks);
    free(bytes);
    return failed;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
    return value[count / 2];
}

/* One launch, and its times in milliseconds. */
static int measure(const char *planner, const char *request, const plugin_ranks *layout,
                   double *wall, double *child, double *own, topomap_error *err)
{
    double began = clock_ms(CLOCK_MONOTONIC), before = children_ms();
    double self = clock_ms(CLOCK_PROCESS_CPUTIME_ID);

    if (launch(planner, request, layout, err))
        return -1;
    *wall = clock_ms(CLOCK_MONOTONIC) - began;
    *own = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - self;
    /* The planner does not wait for its reader to end, which reads and maps. */
    while (wait(NULL) > 0)
        ;
    *child = children_ms() - before;
    return 0;
}

int main(int argc, char **argv)
{
    static double wall[MOST_RUNS], planner[MOST_RUNS], own[MOST_RUNS];
    int runs = argc == 4 ? atoi(argv[3]) : 0, failed;
    plugin_ranks layout = {0};
    topomap_error err = {.text = "no request of the plugin's"};
    char *request = NULL;

    if (runs < 1 || runs > MOST_RUNS) {
        fputs("usage: launch-replay PLANNER REQUEST RUNS\n", stderr);
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* the reader of a planner that has ended is ours */
    failed = read_text(argv[2], &request) || read_layout(request, &layout);
    for (int i = 0; i < runs && !failed; i++)
        failed = measure(argv[1], request, &layout, &wall[i], &planner[i], &own[i], &err);
    if (failed)
        fprintf(stderr, "%s: %s\n", argv[2], err.text);
    else
        printf("%.1f %.1f %.1f\n", median(wall, runs), median(planner, runs), median(own, runs));
    plugin_ranks_clear(&layout);
    free(request);
    return failed != 0;
}
