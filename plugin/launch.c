/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/launch.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_FD = 3, REPLY_MOST = 16 << 20, EXIT_MS = 50, KILL_MS = 500 };

#define MEMORY_MOST ((rlim_t)8 << 30)

struct planner {
    pid_t pid;
    int request, reply; /* our ends, -1: closed */
    int64_t deadline;   /* in milliseconds of now_ms() */
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- Starting ---------------------------------------------------------------------------- */

/* Descriptors 0 and 3 are the pipes, 1 and 2 where `verbose` says; no other is open. The planner's
 * ends are above 9, so that no dup2 hits one that is still needed. */
static int set_files(posix_spawn_file_actions_t *files, int request, int reply, int verbose)
{
    int failed = posix_spawn_file_actions_adddup2(files, request, STDIN_FILENO) |
                 posix_spawn_file_actions_adddup2(files, reply, REPLY_FD);

    if (verbose)
        failed |= posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
    else
        failed |= posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) |
                  posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)
    failed |= posix_spawn_file_actions_addclosefrom_np(files, REPLY_FD + 1);
#endif
    return failed;
}

/* srun blocks and ignores signals; the planner starts with none blocked or ignored. A process
 * group of its own lets one kill end its children too. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawnattr_setsigmask(attributes, &none) |
           posix_spawnattr_setsigdefault(attributes, &all) |
           posix_spawnattr_setpgroup(attributes, 0) |
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int spawn(const char *path, int request, int reply, int verbose, pid_t *pid)
{
    char *const words[] = {(char *)"topomap-planner", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int status;

    if (posix_spawn_file_actions_init(&files))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    status = set_files(&files, request, reply, verbose) | set_attributes(&attributes)
                 ? ENOMEM
                 : posix_spawn(pid, path, &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return status;
}

static void limit(pid_t pid, int resource, rlim_t most)
{
    struct rlimit now;

    if (prlimit(pid, resource, NULL, &now))
        return;
    if (now.rlim_cur > most)
        now.rlim_cur = most;
    if (now.rlim_max > most)
        now.rlim_max = most;
    prlimit(pid, resource, &now, NULL);
}

/* A pipe whose ends are both above 9. */
static int open_pipe(int ends[2])
{
    int low[2];

    if (pipe2(low, O_CLOEXEC))
        return -1;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 10);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 10);
    close(low[0]);
    close(low[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    close_end(&ends[0]);
    close_end(&ends[1]);
    return -1;
}

static int start(const char *path, int verbose, struct planner *planner, topomap_error *err)
{
    int request[2], reply[2], status;

    if (open_pipe(request))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s",
                                 strerror(errno));
    if (open_pipe(reply)) {
        close_end(&request[0]);
        close_end(&request[1]);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe for the planner: %s",
                                 strerror(errno));
    }
    status = spawn(path, request[0], reply[1], verbose, &planner->pid);
    close_end(&request[0]);
    close_end(&reply[1]);
    if (status) {
        close_end(&request[1]);
        close_end(&reply[0]);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot start the planner %s: %s", path,
                                 strerror(status));
    }
    limit(planner->pid, RLIMIT_AS, MEMORY_MOST);
    limit(planner->pid, RLIMIT_CORE, 0);
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
        close_end(&planner->request);
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

static int talk(struct planner *planner, const char *request, struct reply *reply,
                topomap_error *err)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = planner->reply, .events = POLLIN},
                                {.fd = planner->request, .events = POLLOUT}};
        int64_t left = planner->deadline - now_ms();
        int ready = left > 0 ? poll(fds, 2, (int)left) : 0;
        int more;

        if (ready < 0 && errno != EINTR)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "poll: %s", strerror(errno));
        if (!ready)
            return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                     "the planner did not answer before its deadline");
        if (ready > 0 && fds[1].revents)
            send_some(planner, &request);
        if (ready > 0 && fds[0].revents) {
            more = receive_some(planner, reply, err);
            if (more <= 0)
                return more;
        }
    }
}

/* ---- Ending ------------------------------------------------------------------------------ */

/* \return nonzero: it has ended, and *status is its */
static int wait_until(pid_t pid, int64_t until, int *status)
{
    static const struct timespec pause = {.tv_nsec = 500000};
    pid_t done;

    while ((done = waitpid(pid, status, WNOHANG)) == 0 && now_ms() < until)
        nanosleep(&pause, NULL);
    return done != 0;
}

/* The reply is the planner's last act; one that lingers, or a child of it, is killed. One that a
 * file system holds in the kernel ends when that lets go of it, and the step does not wait for
 * that. */
static int finish(const struct planner *planner, int wait_ms)
{
    int status = 0;

    if (wait_until(planner->pid, now_ms() + wait_ms, &status)) {
        kill(-planner->pid, SIGKILL);
        return status;
    }
    kill(-planner->pid, SIGKILL);
    kill(planner->pid, SIGKILL);
    wait_until(planner->pid, now_ms() + KILL_MS, &status);
    return status;
}

/* SIGPIPE is blocked while we write to a planner that may be gone, and taken off the queue if it
 * came of that. */
static void pipe_signal(int block, sigset_t *before)
{
    static const struct timespec now = {0};
    sigset_t pipe_only;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    if (block) {
        pthread_sigmask(SIG_BLOCK, &pipe_only, before);
        return;
    }
    if (!sigismember(before, SIGPIPE))
        while (sigtimedwait(&pipe_only, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int plugin_launch_run(const char *path, const char *request, unsigned deadline_ms, int verbose,
                      char **bytes, size_t *size, topomap_error *err)
{
    struct planner planner = {.deadline = now_ms() + deadline_ms};
    struct reply reply = {0};
    sigset_t before;
    int failed, status;

    if (start(path, verbose, &planner, err))
        return -1;
    pipe_signal(1, &before);
    failed = talk(&planner, request, &reply, err);
    pipe_signal(0, &before);
    close_end(&planner.request);
    close_end(&planner.reply);
    status = finish(&planner, failed ? 0 : EXIT_MS);
    if (!failed && !reply.size && WIFSIGNALED(status))
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "the planner was killed (%s)",
                                   strsignal(WTERMSIG(status)));
    else if (!failed && !reply.size)
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM,
                                   "the planner ended with status %d and no answer",
                                   WEXITSTATUS(status));
    if (failed) {
        free(reply.bytes);
        return -1;
    }
    *bytes = reply.bytes;
    *size = reply.size;
    return 0;
}
