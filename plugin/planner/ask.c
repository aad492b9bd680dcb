/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"

enum { INPUT_MOST = 4000, CHUNK = 65536, NOT_RUN = 127, PATH_MOST = 4096 };

struct asked {
    pid_t pid;
    int output;   /* our end */
    double until; /* of topomap_clock_wall() */
    const char *name;
};

/* ---- The child --------------------------------------------------------------------------- */

static int to_null(int fd)
{
    int null = open("/dev/null", O_RDWR);

    return null >= 0 && dup2(null, fd) == fd ? 0 : -1;
}

/* Only what is safe after fork. No descriptor of ours stays open: whoever waits for the planner's
 * ends waits for no child of it. */
static void run(const char *path, const char *const *words, int input, int output)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        to_null(STDERR_FILENO) != 0)
        _exit(NOT_RUN);
    for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
        close(fd);
    execv(path, (char *const *)words);
    _exit(NOT_RUN);
}

/* ---- The parent -------------------------------------------------------------------------- */

/* fork(), since posix_spawn() returns only after the exec, which a file system that is gone never
 * ends. The input waits in the pipe. */
static int start(const char *path, const char *const *words, const char *text, struct asked *asked,
                 topomap_error *err)
{
    int input[2], output[2];
    ssize_t length = (ssize_t)strlen(text);

    if (pipe2(input, O_CLOEXEC) != 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe: %s", strerror(errno));
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(input[0]);
        close(input[1]);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no pipe: %s", strerror(errno));
    }
    asked->pid =
        length <= INPUT_MOST && write(input[1], text, (size_t)length) == length ? fork() : -1;
    if (asked->pid == 0)
        run(path, words, input[0], output[1]);
    close(input[0]);
    close(input[1]);
    close(output[1]);
    asked->output = output[0];
    if (asked->pid > 0)
        return 0;
    close(output[0]);
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "no process for %s: %s", path, strerror(errno));
}

/* \return 1: more may come, 0: the end, -1: failure */
static int read_some(const struct asked *asked, char *to, size_t room, ssize_t *got,
                     topomap_error *err)
{
    struct pollfd fd = {.fd = asked->output, .events = POLLIN};
    double left = asked->until - topomap_clock_wall();
    int ready = left > 0 ? poll(&fd, 1, (int)(left * 1e3) + 1) : 0;

    *got = 0;
    if (ready < 0 && errno == EINTR)
        return 1;
    if (!ready)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s did not answer in time", asked->name);
    *got = read(asked->output, to, room);
    if (*got < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", asked->name, strerror(errno));
    return *got > 0;
}

static char *read_all(const struct asked *asked, size_t most, topomap_error *err)
{
    char *text = NULL;
    size_t size = 0, room = 0;
    ssize_t got = 0;
    int more = 1;

    while (more == 1) {
        if (size > most)
            more = topomap_error_set(err, TOPOMAP_EINPUT, "%s says more than %zu bytes",
                                     asked->name, most);
        else if (topomap_grow(&text, &room, size + CHUNK + 1, 1, err) != 0)
            more = -1;
        else
            more = read_some(asked, text + size, CHUNK, &got, err);
        if (more == 1)
            size += (size_t)got;
    }
    if (more == 0) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* The output has ended, so it is about to: \return its status, 0 too where it does not end. */
static int end(const struct asked *asked, int failed)
{
    static const struct timespec pause = {.tv_nsec = 500000};
    int status = 0;

    close(asked->output);
    for (int i = 0; i < 40; i++) {
        if (failed || i == 20)
            kill(asked->pid, SIGKILL);
        if (waitpid(asked->pid, &status, WNOHANG) != 0)
            return status;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static char *ask_one(const char *path, const char *const *words, const char *input, double until,
                     size_t most, int *is_none, topomap_error *err)
{
    struct asked asked = {.until = until, .name = words[0]};
    char *text;
    int status;

    if (start(path, words, input, &asked, err) != 0)
        return NULL;
    text = read_all(&asked, most, err);
    status = end(&asked, !text);
    *is_none = text && !*text && WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN;
    if (!text || *text)
        return text;
    if (*is_none)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s cannot be run", path);
    else
        topomap_error_set(err, TOPOMAP_EINPUT, "%s says nothing", path);
    free(text);
    return NULL;
}

char *planner_ask(const char *paths, const char *const *words, const char *input, double seconds,
                  size_t most, topomap_error *err)
{
    double until = topomap_clock_wall() + seconds;
    int is_none = 1;
    char *text = NULL;

    topomap_error_set(err, TOPOMAP_EUSAGE, "no path of a program");
    for (const char *at = paths; is_none && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char path[PATH_MOST];

        if (length && length < sizeof path) {
            memcpy(path, at, length);
            path[length] = '\0';
            is_none = 0;
            text = ask_one(path, words, input, until, most, &is_none, err);
        }
        at += length;
    }
    return text;
}
