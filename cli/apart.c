/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "cli/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/whole.h"

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

enum cli_apart cli_apart(int (*run)(void *answer, void *with), void *with, void *answer,
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
        return CLI_APART_NONE;
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
    return whole ? CLI_APART_DONE : ended ? CLI_APART_DIED : CLI_APART_LATE;
}
