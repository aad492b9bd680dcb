/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are asked something, with a limit of time: a file system that does not answer holds
 * them, not us. What they print goes to memory, so that no pipe has to be watched. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run.h"

enum { MOST = 64 << 20, LOOK_MS = 2, DYING_MS = 300 };

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap(void)
{
    struct timespec time = {.tv_nsec = LOOK_MS * 1000000L};

    nanosleep(&time, NULL);
}

/* Signals end it as they would end any program, not by handlers of ours. */
static void become(int (*work)(void *), void *data, pid_t parent, int out, int complaints)
{
    static const int handled[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                                  SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
    int nothing = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        signal(handled[i], SIG_DFL);
    if (getppid() != parent || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(complaints, STDERR_FILENO) < 0)
        _exit(127);
    _exit(work(data));
}

/* \return 1: it has ended, with its status */
static int wait_until(pid_t pid, int64_t until, int *status)
{
    pid_t ended;

    while ((ended = waitpid(pid, status, WNOHANG)) == 0 && now_ms() < until)
        nap();
    return ended == pid;
}

static char *text_of(int fd)
{
    struct stat about;
    char *text;
    ssize_t got;

    if (fstat(fd, &about) || about.st_size > MOST)
        return NULL;
    text = malloc((size_t)about.st_size + 1);
    got = text ? pread(fd, text, (size_t)about.st_size, 0) : -1;
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    return text;
}

/* Of several, without what is blank. */
static void last_line(char *text, char last[RUN_WHY])
{
    char *rest = NULL, *found = NULL;

    for (char *line = text ? strtok_r(text, "\r\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\r\n", &rest))
        if (line[strspn(line, " \t")])
            found = line;
    snprintf(last, RUN_WHY, "%.*s", RUN_WHY - 1, found ? found : "");
}

static int finish(int ended, int status, int out, int complaints, unsigned ms, char **text,
                  char last[RUN_WHY])
{
    char *said = text_of(complaints);

    last_line(said, last);
    free(said);
    if (!ended)
        snprintf(last, RUN_WHY, "no answer within %g s", ms / 1000.0);
    else if (WIFSIGNALED(status))
        snprintf(last, RUN_WHY, "it was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    if (!ended || !WIFEXITED(status))
        return -1;
    *text = text_of(out);
    return *text ? WEXITSTATUS(status) : -1;
}

int run_apart(int (*work)(void *), void *data, unsigned ms, char **text, char last[RUN_WHY])
{
    int out = memfd_create("out", MFD_CLOEXEC), complaints = memfd_create("err", MFD_CLOEXEC);
    int status = 0, ended = 0;
    pid_t parent = getpid(), pid = -1;

    *text = NULL;
    snprintf(last, RUN_WHY, "no process for it");
    fflush(stdout);
    if (out >= 0 && complaints >= 0)
        pid = fork();
    if (pid == 0)
        become(work, data, parent, out, complaints);
    if (pid > 0) {
        setpgid(pid, pid);
        ended = wait_until(pid, now_ms() + ms, &status);
        kill(-pid, SIGKILL);
        if (!ended) { /* not longer: it may be held in the kernel */
            int dead;

            (void)wait_until(pid, now_ms() + DYING_MS, &dead);
        }
        status = finish(ended, status, out, complaints, ms, text, last);
    } else {
        status = -1;
    }
    if (out >= 0)
        close(out);
    if (complaints >= 0)
        close(complaints);
    return status;
}

static int execute(void *data)
{
    char *const *words = data;

    execvp(words[0], words);
    dprintf(STDERR_FILENO, "%.200s: %s\n", words[0], strerror(errno));
    return 127;
}

int run_capture(char *const *words, unsigned ms, char **text, char last[RUN_WHY])
{
    return run_apart(execute, (void *)words, ms, text, last);
}
