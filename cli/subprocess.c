/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and functions that run in a process of their own with a deadline: their input may hang
 * or be untrusted. What a program prints goes to memory, so that no pipe has to be watched. */
#define _GNU_SOURCE /* memfd_create */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/subprocess.h"
#include "plugin/common/child.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/full_io.h"

enum { MOST = 64 << 20 };

/* Signals end it as they would end any program, not by handlers of ours. */
static void become(char *const *words, int out, uint64_t most, int complaints)
{
    int nothing = open("/dev/null", O_RDWR);
    const struct rlimit size = {most, most};

    if ((most && setrlimit(RLIMIT_FSIZE, &size)) || nothing < 0 ||
        dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(complaints, STDERR_FILENO) < 0)
        _exit(127);
    execvp(words[0], words);
    dprintf(STDERR_FILENO, "%.200s: %s\n", words[0], strerror(errno));
    _exit(127);
}

static void end_group(int number)
{
    (void)number;
    kill(0, SIGKILL);
}

/* Runs between topomap and the program and leads the program's process group, so that it can kill
 * the group even if topomap is killed. */
static void guard(char *const *words, pid_t parent, int out, uint64_t most, int complaints)
{
    static const int handled[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                                  SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
    int status = 0;
    pid_t pid;

    setpgid(0, 0);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        signal(handled[i], SIG_DFL);
    pid = fork();
    if (pid == 0)
        become(words, out, most, complaints);
    signal(SIGTERM, end_group);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        end_group(0);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && WIFSIGNALED(status)) {
        prctl(PR_SET_DUMPABLE, 0); /* the program has left its core */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(pid > 0 ? WEXITSTATUS(status) : 127);
}

char *cli_capture_text(int fd, size_t most, size_t *size)
{
    struct stat about;
    char *text;
    ssize_t got;

    if (fstat(fd, &about) || (size_t)about.st_size > most)
        return NULL;
    text = malloc((size_t)about.st_size + 1);
    got = text ? pread(fd, text, (size_t)about.st_size, 0) : -1;
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    *size = (size_t)got;
    return text;
}

/* Of several, without what is blank. */
static void last_line(char *text, char last[CLI_WHY])
{
    char *rest = NULL, *found = NULL;

    for (char *line = text ? strtok_r(text, "\r\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\r\n", &rest))
        if (line[strspn(line, " \t")])
            found = line;
    snprintf(last, CLI_WHY, "%.*s", CLI_WHY - 1, found ? found : "");
}

static int finish(int late, int status, int complaints, unsigned ms, char last[CLI_WHY])
{
    size_t size;
    TOPOMAP_FREED char *said = cli_capture_text(complaints, MOST, &size);

    last_line(said, last);
    if (late)
        snprintf(last, CLI_WHY, "no answer within %g s", ms / 1000.0);
    else if (WIFSIGNALED(status))
        snprintf(last, CLI_WHY, "it was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return late || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

int cli_capture_to(char *const *words, int64_t began, unsigned ms, int out, uint64_t most,
                   char last[CLI_WHY])
{
    TOPOMAP_CLOSED int complaints = memfd_create("err", MFD_CLOEXEC);
    int64_t until = began + ms, left;
    int status = -1;
    pid_t parent = getpid(), pid = -1;

    snprintf(last, CLI_WHY, "no process for it");
    fflush(stdout);
    if (complaints >= 0)
        pid = fork();
    if (pid == 0)
        guard(words, parent, out, most, complaints);
    if (pid > 0) {
        setpgid(pid, pid);
        left = until - topomap_clock_ms();
        status = plugin_child_end(pid, left > 0 ? (int)left : 0);
        status = finish(topomap_clock_ms() >= until, status, complaints, ms, last);
    }
    return status;
}

int cli_capture(char *const *words, int64_t began, unsigned ms, char **text, char last[CLI_WHY])
{
    TOPOMAP_CLOSED int out = memfd_create("out", MFD_CLOEXEC);
    int status;
    size_t size;

    *text = NULL;
    snprintf(last, CLI_WHY, "no memory for its output");
    if (out < 0)
        return -1;
    status = cli_capture_to(words, began, ms, out, 0, last);
    if (status < 0 || (*text = cli_capture_text(out, MOST, &size)) != NULL)
        return status;
    snprintf(last, CLI_WHY, "it printed more than %d MiB", MOST >> 20);
    return -1;
}

/* \return 1: all of it came */
static int receive(int fd, int64_t deadline, char *to, size_t left)
{
    while (left) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        ssize_t got;

        if (topomap_clock_ms() >= deadline ||
            (topomap_clock_poll(&ready, 1, deadline) <= 0 && errno != EINTR))
            return 0;
        if (!ready.revents)
            continue;
        got = read(fd, to, left);
        if (got == 0 || (got < 0 && errno != EINTR))
            return 0;
        to += got > 0 ? got : 0;
        left -= got > 0 ? (size_t)got : 0;
    }
    return 1;
}

/* One in the kernel's uninterruptible sleep does not die, and is not waited for. \return whether it
 * ended by itself before it was told to */
static int end_process(pid_t pid, int64_t deadline)
{
    int ended = 0, status;

    for (int i = 0; i < 20 && !ended && topomap_clock_ms() < deadline; i++) {
        ended = waitpid(pid, &status, WNOHANG) == pid;
        if (!ended)
            topomap_clock_sleep(5000);
    }
    kill(-pid, SIGKILL);
    for (int i = 0; i < 100 && !ended; i++) {
        kill(pid, SIGKILL);
        if (waitpid(pid, &status, WNOHANG) == pid)
            return 0;
        topomap_clock_sleep(5000);
    }
    return ended;
}

/* Whoever reads our output to its end must not wait for a process that a file system holds. */
static void let_go(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (nothing < 0 || dup2(nothing, fd) < 0)
            close(fd);
}

enum cli_child cli_call_in_child(int (*run)(void *answer, void *with), void *with, void *answer,
                                 size_t size, int64_t milliseconds)
{
    int64_t deadline = topomap_clock_ms() + milliseconds;
    int ends[2] = {-1, -1}, whole, ended;
    char *copy = malloc(size);
    pid_t pid = -1;

    fflush(NULL);
    if (!copy || pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
        int why = errno;

        for (int i = 0; i < 2 && ends[0] >= 0; i++)
            close(ends[i]);
        free(copy);
        errno = why;
        return CLI_CHILD_NONE;
    }
    if (pid == 0) {
        setpgid(0, 0);
        let_go();
        if (run(answer, with) == 0)
            (void)topomap_whole_write(ends[1], answer, size);
        _exit(0);
    }
    close(ends[1]);
    whole = receive(ends[0], deadline, copy, size);
    close(ends[0]);
    ended = end_process(pid, deadline);
    if (whole)
        memcpy(answer, copy, size);
    free(copy);
    return whole ? CLI_CHILD_DONE : ended ? CLI_CHILD_DIED : CLI_CHILD_LATE;
}
