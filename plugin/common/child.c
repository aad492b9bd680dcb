/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/sandbox/sandbox.h"
#include "util/clock.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPLY_FD = 3, STATUS_FD = 4, KILL_MS = 500, MOVE_MS = 50 };

#define MEMORY_MOST ((rlim_t)8 << 30)

void plugin_child_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int plugin_child_pipe(int ends[2])
{
    int low[2], why;

    if (pipe2(low, O_CLOEXEC))
        return -1;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 10);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 10);
    why = errno;
    close(low[0]);
    close(low[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    plugin_child_close(&ends[0]);
    plugin_child_close(&ends[1]);
    errno = why;
    return -1;
}

int plugin_child_pipes(int request[2], int reply[2])
{
    int why;

    if (plugin_child_pipe(request))
        return -1;
    if (!plugin_child_pipe(reply))
        return 0;
    why = errno;
    plugin_child_close(&request[0]);
    plugin_child_close(&request[1]);
    errno = why;
    return -1;
}

/* ---- Between fork and exec: srun has threads, so that only system calls are allowed ------- */

/* srun blocks, ignores and catches signals. Those that libc keeps for itself are refused, and are
 * not ignored by anybody. */
static void reset_signals(void)
{
    struct sigaction fresh = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        sigaction(number, &fresh, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The ends of the pipes are above 9, so that no dup2 hits one that is still needed. */
static int set_files(const struct plugin_child_files *files, int status)
{
    int null;

    if (dup2(files->request, STDIN_FILENO) < 0 || dup2(files->reply, REPLY_FD) < 0 ||
        dup3(status, STATUS_FD, O_CLOEXEC) < 0)
        return -1;
    null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        return -1;
    if (files->prints && (dup2(REPLY_FD, STDOUT_FILENO) < 0 || close(REPLY_FD)))
        return -1;
    plugin_descriptors_close_from(STATUS_FD + 1);
    return 0;
}

/* It may give itself more, where it is allowed more time. */
static void limit_for_now(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit(resource, &now) || now.rlim_cur < most)
        return;
    now.rlim_cur = most;
    setrlimit(resource, &now);
}

/* The signal comes when the thread that forked ends; one that ended before this has left us to
 * another parent already. */
static void end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
}

static void set_limits(const struct plugin_child_files *files)
{
#ifndef TOPOMAP_SANITIZED /* AddressSanitizer reserves terabytes of addresses */
    plugin_lower_limit(RLIMIT_AS, files->memory ? files->memory : MEMORY_MOST);
#endif
    plugin_lower_limit(RLIMIT_CORE, 0);
    if (files->cpu_seconds && files->unprivileged)
        plugin_lower_limit(RLIMIT_CPU, files->cpu_seconds);
    else if (files->cpu_seconds)
        limit_for_now(RLIMIT_CPU, files->cpu_seconds);
}

static _Noreturn void become(const char *path, const char *const *words,
                             const struct plugin_child_files *files, pid_t parent, int status)
{
    static char *const none[] = {NULL};
    int why = 0;

    /* A session of its own: one kill ends its children too, and proctrack/pgid does not find it. */
    setsid();
    reset_signals();
    if (!set_files(files, status)) {
        status = STATUS_FD;
        set_limits(files);
        if (files->unprivileged)
            why = files->user ? plugin_drop_privileges_to(files->user) : plugin_drop_privileges();
        /* Behind the wall, which makes the kernel forget it (prctl(2)). */
        if (files->ends_with_us)
            end_with(parent);
        if (!why)
            execve(path, (char *const *)words, files->unprivileged ? none : environ);
    }
    why = why ? why : errno;
    while (write(status, &why, sizeof why) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* ---- In the parent ----------------------------------------------------------------------- */

/* No handler of srun's may run in the child: signals are blocked until it has none, or ends.
 * \return as fork(2) */
static pid_t fork_blocked(sigset_t *before)
{
    sigset_t all;
    pid_t pid;
    int why;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    pid = fork();
    if (!pid)
        return 0;
    why = errno;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = why;
    return pid;
}

static pid_t make_process(const char *path, const char *const *words,
                          const struct plugin_child_files *files, int status)
{
    pid_t pid, parent = getpid();
    sigset_t before;

    pid = fork_blocked(&before);
    if (!pid)
        become(path, words, files, parent, status);
    return pid;
}

/* The child's end of the status pipe is closed by its exec, or says why there was none.
 * \return 0 or an errno */
static int wait_for_exec(int status, int64_t until)
{
    struct pollfd fd = {.fd = status, .events = POLLIN};
    ssize_t size;
    int ready, why = 0;

    do
        ready = topomap_clock_poll(&fd, 1, until);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return ready ? errno : ETIMEDOUT;
    size = read(status, &why, sizeof why);
    if (size < 0)
        return errno;
    return size == sizeof why ? why : 0;
}

int plugin_child_start(const char *path, const char *const *words,
                       const struct plugin_child_files *files, int64_t until, pid_t *pid)
{
    int status[2], why = 0;

    if (plugin_child_pipe(status))
        return errno;
    *pid = make_process(path, words, files, status[1]);
    if (*pid < 0)
        why = errno;
    plugin_child_close(&status[1]);
    if (!why) {
        why = wait_for_exec(status[0], until);
        if (why)
            plugin_child_kill(*pid, 0, files->kill_ms ? files->kill_ms : KILL_MS);
    }
    plugin_child_close(&status[0]);
    return why;
}

/* ---- The step's control group ------------------------------------------------------------ */

/* Where version 2 is mounted, and how its line in /proc/self/cgroup begins (cgroups(7)). */
#define TREE "/sys/fs/cgroup"
#define LINE "0::/"

static const char *line_of_tree(const char *text)
{
    while (text && strncmp(text, LINE, strlen(LINE)) != 0) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text ? text + strlen(LINE) - 1 : NULL;
}

/* SCOPE/job_J/step_S/slurm. \return the length of SCOPE, or 0 */
static size_t length_of_scope(const char *group, size_t length)
{
    static const char leaf[] = "/slurm";
    const char *at = group, *job = NULL;

    for (; at && at < group + length; at = strchr(at + 1, '/'))
        if (!strncmp(at, "/job_", 5))
            job = at;
    if (!job || length < sizeof leaf ||
        memcmp(group + length + 1 - sizeof leaf, leaf, sizeof leaf - 1) != 0)
        return 0;
    at = strchr(job + 1, '/');
    return at && !strncmp(at, "/step_", 6) &&
                   strchr(at + 1, '/') == group + length + 1 - sizeof leaf
               ? (size_t)(job - group)
               : 0;
}

int plugin_group_outside(const char *text, char *path)
{
    const char *group = line_of_tree(text);
    size_t length = group ? strcspn(group, "\n") : 0, scope = length_of_scope(group, length);
    int size;

    if (!scope)
        return -1;
    size = snprintf(path, PLUGIN_GROUP_PATH, TREE "%.*s/system/cgroup.procs", (int)scope, group);
    return size < PLUGIN_GROUP_PATH ? 0 : -1;
}

/* Finds that file for this process. /proc/self/cgroup has one line for each hierarchy. */
static int find_outside(char *path)
{
    char text[4096];
    TOPOMAP_CLOSED int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (size <= 0)
        return -1;
    text[size] = 0;
    return plugin_group_outside(text, path);
}

/* Writes \p pid into that file and exits. Runs in a forked process: system calls only. */
static _Noreturn void move_outside(const char *path, pid_t pid)
{
    char digits[24], *digit = digits + sizeof digits;
    int fd;

    do
        *--digit = (char)('0' + pid % 10);
    while (pid /= 10);
    if (plugin_regain_root())
        _exit(1);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    _exit(fd < 0 || write(fd, digit, (size_t)(digits + sizeof digits - digit)) < 0);
}

/* It was killed, and a file system holds it: the step does not wait for it, nor does Slurm at the
 * step's end. It goes by its number, which is its own until it is reaped. */
static void leave_behind(pid_t pid)
{
    char path[PLUGIN_GROUP_PATH];
    sigset_t before;
    pid_t mover;

    if (find_outside(path))
        return;
    mover = fork_blocked(&before);
    if (!mover)
        move_outside(path, pid);
    if (mover > 0 && topomap_clock_wait_child(mover, topomap_clock_ms() + MOVE_MS))
        waitpid(mover, NULL, WNOHANG); /* else it does its one thing all the same */
}

/* What it started is killed while its number is still its own: once it is reaped, a group of that
 * number may be anybody's. */
int plugin_child_kill(pid_t pid, int wait_ms, int kill_ms)
{
    int status = 0, ended = topomap_clock_wait_child(pid, topomap_clock_ms() + wait_ms);

    if (!ended) {
        kill(pid, SIGKILL);
        kill(-pid, SIGKILL);
        ended = topomap_clock_wait_child(pid, topomap_clock_ms() + kill_ms);
    }
    if (!ended)
        leave_behind(pid);
    if (ended <= 0)
        return 0;
    kill(-pid, SIGKILL);
    waitpid(pid, &status, WNOHANG);
    return status;
}

int plugin_child_end(pid_t pid, int wait_ms)
{
    return plugin_child_kill(pid, wait_ms, KILL_MS);
}
