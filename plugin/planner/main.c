/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-planner: reads a request from standard input and writes the reply to file descriptor 3
 * (protocol.md). It runs as the user, in a process of its own, so that no library that it needs,
 * no crash and no hang of theirs ever reaches srun, and no file that is stuck. */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/planner/memory_limit.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/full_io.h"

enum { REPLY_FD = 3, END_SECONDS = 20 };

/* The process lives for milliseconds: giving memory back to the kernel, and taking it again page by
 * page, would be a good part of them. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that glibc takes */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 1 << 20);
}

static int answer(char *reply, size_t size)
{
    int status = reply && topomap_whole_write(REPLY_FD, reply, size) == 0 ? 0 : 1;

    free(reply);
    return status;
}

/* ---- A launch ----------------------------------------------------------------------------- */

static void ask_for_time(double seconds)
{
    struct rlimit cpu;
    char line[64];

    if (!getrlimit(RLIMIT_CPU, &cpu) && cpu.rlim_cur < seconds + 3 && cpu.rlim_cur < cpu.rlim_max) {
        cpu.rlim_cur = cpu.rlim_max < seconds + 3 ? cpu.rlim_max : (rlim_t)(seconds + 3);
        setrlimit(RLIMIT_CPU, &cpu);
    }

    snprintf(line, sizeof line, "topomap-wait %.0f\n", seconds * 1e3 + 1000);
    topomap_whole_write(REPLY_FD, line, strlen(line));
}

static char *launch(const planner_facts *facts, size_t *size)
{
    return planner_launch(facts, planner_launch_answer, ask_for_time, size);
}

/* When srun has stopped waiting, the planner has END_SECONDS more to finish its work. */
static char *end(const planner_facts *facts, size_t *size)
{
    alarm(facts->args.end_ms / 1000 + END_SECONDS);
    return planner_end(facts, size);
}

/* What srun knows of a step, at its beginning or its end. */
static int with_facts(char *(*make)(const planner_facts *facts, size_t *size))
{
    TOPOMAP_CLEANUP(planner_facts_clear) planner_facts facts = {0};
    topomap_error err;
    size_t size;
    char *reply = planner_facts_read(stdin, &facts, &err) == 0 ? make(&facts, &size)
                                                               : planner_failure_text(&err, &size);

    return answer(reply, size);
}

/* ---- The others --------------------------------------------------------------------------- */

static int plan(void)
{
    TOPOMAP_CLEANUP(planner_request_clear) planner_request request = {0};
    topomap_error err;
    size_t size;
    char *reply = planner_request_rest(stdin, &request, &err) == 0
                      ? planner_sandboxed_answer(&request, &size)
                      : planner_failure_text(&err, &size);

    return answer(reply, size);
}

static int refuse(topomap_error *err)
{
    size_t size;
    char *reply = planner_failure_text(err, &size);

    return answer(reply, size);
}

int main(int argc, char **argv)
{
    int is_end = argc == 2 && !strcmp(argv[1], "end"), kind;
    topomap_error err;

    if (topomap_standard_files_open())
        return 1;
    if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("topomap-planner %s\n", PACKAGE_VERSION);
        return 0;
    }
    if (argc > 1 + is_end || fcntl(REPLY_FD, F_GETFD) < 0) {
        fprintf(stderr, "topomap-planner: started by the launch plugin, with a request on standard "
                        "input and a pipe on file descriptor 3\n");
        return 2;
    }
    plugin_oom_first();
    keep_memory();
    planner_memory_limit();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a user's limit on files is an error of writing */
    if (planner_request_kind(stdin, &kind, &err) != 0)
        return refuse(&err);
    if (is_end)
        alarm(END_SECONDS);
    return is_end ? with_facts(end) : kind == 2 ? with_facts(launch) : plan();
}
