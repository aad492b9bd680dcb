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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/capture.h"
#include "plugin/common/child.h"
#include "util/clock.h"

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
    char *said = cli_capture_text(complaints, MOST, &size);

    last_line(said, last);
    free(said);
    if (late)
        snprintf(last, CLI_WHY, "no answer within %g s", ms / 1000.0);
    else if (WIFSIGNALED(status))
        snprintf(last, CLI_WHY, "it was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return late || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

int cli_capture_to(char *const *words, unsigned ms, int out, uint64_t most, char last[CLI_WHY])
{
    int complaints = memfd_create("err", MFD_CLOEXEC);
    int64_t until = topomap_clock_ms() + ms;
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
        status = plugin_child_end(pid, (int)ms);
        status = finish(topomap_clock_ms() >= until, status, complaints, ms, last);
    }
    if (complaints >= 0)
        close(complaints);
    return status;
}

int cli_capture(char *const *words, unsigned ms, char **text, char last[CLI_WHY])
{
    int out = memfd_create("out", MFD_CLOEXEC), status = -1;
    size_t size;

    *text = NULL;
    snprintf(last, CLI_WHY, "no memory for its output");
    if (out < 0)
        return -1;
    status = cli_capture_to(words, ms, out, 0, last);
    if (status >= 0 && !(*text = cli_capture_text(out, MOST, &size))) {
        snprintf(last, CLI_WHY, "it printed more than %d MiB", MOST >> 20);
        status = -1;
    }
    close(out);
    return status;
}
