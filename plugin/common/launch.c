/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/common/launch.h"
#include "util/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPLY_MOST = 16 << 20, EXIT_MS = 50, STAYS_SECONDS = 30 };

struct planner {
    pid_t pid;
    int request, reply; /* our ends, -1: closed */
    int64_t deadline;   /* in milliseconds of plugin_child_now() */
    int late;
};

/* ---- Starting ---------------------------------------------------------------------------- */

/* A planner that neither ends nor waits is stopped by the kernel, a second after its deadline. One
 * that may ask for more time has the most. */
static unsigned cpu_seconds(const struct planner *planner)
{
    return (unsigned)((planner->deadline - plugin_child_now() + 1999) / 1000);
}

uint64_t plugin_launch_memory(uint32_t tasks)
{
    uint64_t bytes = ((uint64_t)512 << 20) + ((uint64_t)tasks << 17);

    return bytes < (uint64_t)8 << 30 ? bytes : (uint64_t)8 << 30;
}

static int start(const plugin_launch *launch, struct planner *planner, topomap_error *err)
{
    const char *const words[] = {"topomap-planner", launch->word, NULL};
    struct plugin_child_files theirs = {.ends_with_us = !launch->stays,
                                        .memory = launch->memory,
                                        .cpu_seconds =
                                            launch->stays ? STAYS_SECONDS : cpu_seconds(planner),
                                        .kill_ms = launch->stays}; /* nobody waits for it at all */
    int request[2], reply[2], why;

    if (plugin_child_pipes(request, reply))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s",
                                 strerror(errno));
    theirs.request = request[0];
    theirs.reply = reply[1];
    why = plugin_child_start(launch->planner, words, &theirs, planner->deadline, &planner->pid);
    plugin_child_close(&request[0]);
    plugin_child_close(&reply[1]);
    if (why) {
        planner->late = why == ETIMEDOUT;
        plugin_child_close(&request[1]);
        plugin_child_close(&reply[0]);
        return why == ETIMEDOUT
                   ? topomap_error_set(err, TOPOMAP_ESYSTEM,
                                       "the planner %s did not start before its deadline",
                                       launch->planner)
                   : topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot start the planner %s: %s",
                                       launch->planner, strerror(why));
    }
    planner->request = request[1];
    planner->reply = reply[0];
    return 0;
}

/* ---- Talking ----------------------------------------------------------------------------- */

struct reply {
    char *bytes;
    size_t size, capacity;
    int64_t began;
    topomap_error *err;
};

/* \return 1: more may come, 0: the end, -1: failure */
static int receive_some(int from, struct reply *reply, topomap_error *err)
{
    ssize_t done;

    if (reply->size >= REPLY_MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner's reply is over 16 MiB");
    if (topomap_grow(&reply->bytes, &reply->capacity, reply->size + 65536, 1, err))
        return -1;
    done = read(from, reply->bytes + reply->size, 65535);
    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return 1;
    if (done < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "reading the planner's reply: %s",
                                 strerror(errno));
    reply->size += (size_t)done;
    reply->bytes[reply->size] = 0;
    return done > 0;
}

/* "topomap-wait MS" is no part of the reply. */
static void move_deadline(int64_t *deadline, struct reply *reply)
{
    enum { HOUR = 3601000 };
    static const char word[] = "topomap-wait ";
    char *end = reply->size ? memchr(reply->bytes, '\n', reply->size) : NULL;
    unsigned long wait;

    if (!end || strncmp(reply->bytes, word, sizeof word - 1))
        return;
    wait = strtoul(reply->bytes + sizeof word - 1, NULL, 10);
    if (*deadline < reply->began + (int64_t)(wait < HOUR ? wait : HOUR))
        *deadline = reply->began + (int64_t)(wait < HOUR ? wait : HOUR);
    reply->size -= (size_t)(end + 1 - reply->bytes);
    memmove(reply->bytes, end + 1, reply->size + 1);
}

static int receive(int from, int64_t *deadline, void *with)
{
    struct reply *reply = with;
    int more = receive_some(from, reply, reply->err);

    move_deadline(deadline, reply);
    return more;
}

/* A planner that does not want all of the request may still have an answer. */
static int talk(struct planner *planner, const char *request, struct reply *reply,
                topomap_error *err)
{
    int why = plugin_child_talk_with(&planner->request, request, strlen(request), planner->reply,
                                     receive, reply, planner->deadline);

    planner->late = why == ETIMEDOUT;
    if (planner->late)
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "the planner did not answer before its deadline");
    return why > 0 ? topomap_error_set(err, TOPOMAP_ESYSTEM, "poll: %s", strerror(why)) : why;
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
    int64_t now = plugin_child_now();
    struct planner planner = {.deadline = now + launch->deadline_ms};
    struct reply reply = {.began = now, .err = err};
    int failed, status = 0;

    failed = start(launch, &planner, err);
    *late = planner.late;
    if (failed)
        return -1;
    failed = talk(&planner, launch->request, &reply, err);
    plugin_child_close(&planner.request);
    plugin_child_close(&planner.reply);
    *late = planner.late;
    /* The reply is the planner's last act; one that lingers, or a child of it, is killed. */
    if (!failed || !launch->stays)
        status = plugin_child_end(planner.pid, failed ? 0 : EXIT_MS);
    if (!failed && !reply.size)
        failed = explain_silence(status, err);
    if (failed) {
        free(reply.bytes);
        return -1;
    }
    *bytes = reply.bytes;
    *size = reply.size;
    return 0;
}

int plugin_launch_run(const char *path, const char *request, unsigned deadline_ms, char **bytes,
                      size_t *size, topomap_error *err)
{
    const plugin_launch launch = {.planner = path, .request = request, .deadline_ms = deadline_ms};
    int late;

    return plugin_launch_ask(&launch, bytes, size, &late, err);
}
