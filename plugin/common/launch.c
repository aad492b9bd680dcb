/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/common/launch.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_MOST = 16 << 20, EXIT_MS = 50, STAYS_SECONDS = 30 };

struct planner {
    pid_t pid;
    int request, reply; /* our ends, -1: closed */
    int64_t deadline;   /* in milliseconds of plugin_child_now() */
    int64_t began;
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

    if (plugin_child_pipe(request))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s",
                                 strerror(errno));
    if (plugin_child_pipe(reply)) {
        plugin_child_close(&request[0]);
        plugin_child_close(&request[1]);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s",
                                 strerror(errno));
    }
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
    fcntl(planner->request, F_SETFL, O_NONBLOCK);
    fcntl(planner->reply, F_SETFL, O_NONBLOCK);
    return 0;
}

/* ---- Talking ----------------------------------------------------------------------------- */

/* Writes what the pipe takes; a planner that does not want all of it may still have an answer. */
static void send_some(struct planner *planner, const char **rest)
{
    ssize_t done = write(planner->request, *rest, strlen(*rest));

    if (done > 0)
        *rest += done;
    else if (errno == EAGAIN || errno == EINTR)
        return;
    if (done < 0 || !**rest)
        plugin_child_close(&planner->request);
}

struct reply {
    char *bytes;
    size_t size, capacity;
};

/* \return 1: more may come, 0: the end, -1: failure */
static int receive_some(const struct planner *planner, struct reply *reply, topomap_error *err)
{
    ssize_t done;

    if (reply->size >= REPLY_MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner's reply is over 16 MiB");
    if (topomap_grow(&reply->bytes, &reply->capacity, reply->size + 65536, 1, err))
        return -1;
    done = read(planner->reply, reply->bytes + reply->size, 65535);
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
static void move_deadline(struct planner *planner, struct reply *reply)
{
    enum { HOUR = 3601000 };
    static const char word[] = "topomap-wait ";
    char *end = reply->size ? memchr(reply->bytes, '\n', reply->size) : NULL;
    unsigned long wait;

    if (!end || strncmp(reply->bytes, word, sizeof word - 1))
        return;
    wait = strtoul(reply->bytes + sizeof word - 1, NULL, 10);
    if (planner->deadline < planner->began + (int64_t)(wait < HOUR ? wait : HOUR))
        planner->deadline = planner->began + (int64_t)(wait < HOUR ? wait : HOUR);
    reply->size -= (size_t)(end + 1 - reply->bytes);
    memmove(reply->bytes, end + 1, reply->size + 1);
}

static int talk(struct planner *planner, const char *request, struct reply *reply,
                topomap_error *err)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = planner->reply, .events = POLLIN},
                                {.fd = planner->request, .events = POLLOUT}};
        int64_t left = planner->deadline - plugin_child_now();
        int ready = left > 0 ? poll(fds, 2, (int)left) : 0;
        int more;

        if (ready < 0 && errno != EINTR)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "poll: %s", strerror(errno));
        if (!ready) {
            planner->late = 1;
            return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                     "the planner did not answer before its deadline");
        }
        if (ready > 0 && fds[1].revents)
            send_some(planner, &request);
        if (ready > 0 && fds[0].revents) {
            more = receive_some(planner, reply, err);
            move_deadline(planner, reply);
            if (more <= 0)
                return more;
        }
    }
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
    struct planner planner = {.began = now, .deadline = now + launch->deadline_ms};
    struct reply reply = {0};
    sigset_t before;
    int failed, status = 0;

    failed = start(launch, &planner, err);
    *late = planner.late;
    if (failed)
        return -1;
    plugin_child_pipe_signal(1, &before);
    failed = talk(&planner, launch->request, &reply, err);
    plugin_child_pipe_signal(0, &before);
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
