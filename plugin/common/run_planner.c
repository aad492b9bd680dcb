/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/common/run_planner.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { REPLY_MOST = 16 << 20, EXIT_MS = 50, STAYS_SECONDS = 30 };

/* A planner that neither ends nor waits is stopped by the kernel, a second after its deadline. One
 * that may outlive us ends itself before these seconds are used up (END_SECONDS in planner/main.c).
 */
static unsigned cpu_seconds(const plugin_launch *launch)
{
    return launch->stays ? launch->deadline_ms / 1000 + STAYS_SECONDS
                         : (launch->deadline_ms + 1999) / 1000;
}

uint64_t plugin_launch_memory(uint32_t tasks)
{
    uint64_t bytes = ((uint64_t)512 << 20) + ((uint64_t)tasks << 17);

    return bytes < (uint64_t)8 << 30 ? bytes : (uint64_t)8 << 30;
}

/* ---- Talking ----------------------------------------------------------------------------- */

struct reply {
    struct plugin_child_answer answer;
    int64_t began;
};

/* "topomap-wait MS" is no part of the reply. */
static void move_deadline(int64_t *deadline, int64_t began, struct plugin_child_answer *reply)
{
    enum { HOUR = 3601000 };
    static const char word[] = "topomap-wait ";
    char *end = reply->size ? memchr(reply->bytes, '\n', reply->size) : NULL;
    unsigned long wait;

    if (!end || strncmp(reply->bytes, word, sizeof word - 1))
        return;
    wait = strtoul(reply->bytes + sizeof word - 1, NULL, 10);
    if (*deadline < began + (int64_t)(wait < HOUR ? wait : HOUR))
        *deadline = began + (int64_t)(wait < HOUR ? wait : HOUR);
    reply->size -= (size_t)(end + 1 - reply->bytes);
    memmove(reply->bytes, end + 1, reply->size + 1);
}

static int receive(int from, int64_t *deadline, void *with)
{
    struct reply *reply = with;
    int more = plugin_child_receive(from, deadline, &reply->answer);

    if (more < 0 && errno == EMSGSIZE)
        topomap_error_set(reply->answer.err, TOPOMAP_EINPUT, "the planner's reply is over 16 MiB");
    else if (more < 0 && errno != ENOMEM)
        topomap_error_set(reply->answer.err, TOPOMAP_ESYSTEM, "reading the planner's reply: %s",
                          strerror(errno));
    move_deadline(deadline, reply->began, &reply->answer);
    return more;
}

/* What receive() has failed of is said already. \param pid  -1: it did not start */
static void explain_failure(const char *planner, int has_pipes, pid_t pid, int why,
                            topomap_error *err)
{
    if (!has_pipes)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s", strerror(why));
    else if (pid < 0 && why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "the planner %s did not start before its deadline",
                          planner);
    else if (pid < 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot start the planner %s: %s", planner,
                          strerror(why));
    else if (why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "the planner did not answer before its deadline");
    else if (why > 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "poll: %s", strerror(why));
}

static int explain_silence(int status, topomap_error *err)
{
    if (WIFSIGNALED(status))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "the planner was killed (%s)",
                                 strsignal(WTERMSIG(status)));
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "the planner ended with status %d and no answer",
                             WEXITSTATUS(status));
}

int plugin_launch_ask(const plugin_launch *launch, char **bytes, size_t *size, int *late,
                      topomap_error *err)
{
    const char *const words[] = {"topomap-planner", launch->word, NULL};
    int64_t now = topomap_clock_ms(), deadline = now + launch->deadline_ms;
    struct plugin_child_files theirs = {.ends_with_us = !launch->stays,
                                        .memory = launch->memory,
                                        .cpu_seconds = cpu_seconds(launch),
                                        .kill_ms = launch->stays}; /* nobody waits for it at all */
    struct reply reply = {.answer = {.most = REPLY_MOST - 1, .err = err}, .began = now};
    const struct plugin_child_talk talk = {launch->request, strlen(launch->request), receive,
                                           &reply, deadline};
    pid_t pid;
    int failed = plugin_child_ask(launch->planner, words, &theirs, &talk, &pid), status = 0;

    *late = failed == ETIMEDOUT;
    if (failed)
        explain_failure(launch->planner, theirs.request >= 0, pid, failed, err);
    /* The reply is the planner's last act; one that lingers, or a child of it, is killed. */
    if (pid >= 0 && (!failed || !launch->stays))
        status = plugin_child_end(pid, failed ? 0 : EXIT_MS);
    if (!failed && !reply.answer.size)
        failed = explain_silence(status, err);
    if (failed) {
        free(reply.answer.bytes);
        return -1;
    }
    *bytes = reply.answer.bytes;
    *size = reply.answer.size;
    return 0;
}

int plugin_launch_run(const char *path, const char *request, unsigned deadline_ms, char **bytes,
                      size_t *size, topomap_error *err)
{
    const plugin_launch launch = {.planner = path, .request = request, .deadline_ms = deadline_ms};
    int late;

    return plugin_launch_ask(&launch, bytes, size, &late, err);
}
