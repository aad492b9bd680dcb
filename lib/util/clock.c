/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/clock.h"

#include <limits.h>
#include <sys/wait.h>
#include <time.h>

enum { CHILD_PAUSE_US = 500 };

/* Returns 0, or -1 if the system does not have the clock. */
static int read_clock(clockid_t clock, struct timespec *now)
{
    *now = (struct timespec){0};
    return clock_gettime(clock, now);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    read_clock(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double topomap_clock_cpu(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double topomap_clock_wall(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

int64_t topomap_clock_ms(void)
{
    struct timespec now;

    read_clock(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t topomap_clock_date(void)
{
    return (int64_t)time(NULL);
}

int64_t topomap_clock_date_ns(void)
{
    struct timespec now;

    read_clock(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t topomap_clock_uptime(void)
{
    struct timespec now;

    return read_clock(CLOCK_BOOTTIME, &now) ? -1 : (int64_t)now.tv_sec;
}

void topomap_clock_sleep(unsigned microseconds)
{
    const struct timespec pause = {.tv_sec = microseconds / 1000000,
                                   .tv_nsec = (long)(microseconds % 1000000) * 1000};

    nanosleep(&pause, NULL);
}

int topomap_clock_poll(struct pollfd *fds, unsigned count, int64_t until)
{
    int64_t left = until - topomap_clock_ms();

    return poll(fds, count, left <= 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX);
}

/* Linux before 5.3 has no descriptor of a process that could be polled (pidfd_open(2)). */
int topomap_clock_wait_child(pid_t pid, int64_t until)
{
    siginfo_t info = {.si_pid = 0};

    for (;;) {
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
            return -1;
        if (info.si_pid || topomap_clock_ms() >= until)
            return info.si_pid != 0;
        topomap_clock_sleep(CHILD_PAUSE_US);
    }
}
