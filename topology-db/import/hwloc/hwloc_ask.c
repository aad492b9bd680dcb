/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "topology-db/import/hwloc/hwloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"

enum { SECONDS = 120, STEP = 65536 };

static void be_quiet(void)
{
    static const struct rlimit no_core;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setrlimit(RLIMIT_CORE, &no_core);
    alarm(SECONDS);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
}

static int receive(int fd, size_t most, char **reply, size_t *size, topomap_error *err)
{
    size_t room = 0;
    ssize_t got = 1;

    while (got && *size < most) {
        if (topomap_grow(reply, &room, *size + STEP + 1, 1, err))
            return -1;
        got = read(fd, *reply + *size, STEP);
        if (got < 0 && errno != EINTR)
            break;
        *size += got > 0 ? (size_t)got : 0;
        got = got < 0 ? 1 : got;
    }
    if (*reply)
        (*reply)[*size] = 0;
    return 0;
}

int db_hwloc_ask(const char *path, void (*child)(FILE *reply, void *data), void *data, size_t most,
                 char **reply, size_t *size, topomap_error *err)
{
    int ends[2], result;
    pid_t pid;

    *reply = NULL;
    *size = 0;
    if (pipe2(ends, O_CLOEXEC))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot make a pipe: %s", path,
                                 strerror(errno));
    pid = fork();
    if (pid == 0) {
        FILE *to = fdopen(ends[1], "w");

        be_quiet();
        if (to) {
            child(to, data);
            fflush(to);
        }
        _exit(0);
    }
    close(ends[1]);
    result = pid < 0 ? topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot fork: %s", path,
                                         strerror(errno))
                     : receive(ends[0], most, reply, size, err);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return result;
}
