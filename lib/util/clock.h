/* SPDX-License-Identifier: BSD-3-Clause */
/* Time: every clock that is read and every wait until a deadline, but for those of the profiler's
 * own measurements. A test program defines the functions of this header itself
 * (tests/unit/plugin/fake_clock.c): the linker then leaves out clock.o, and the program's time is
 * the test's. */
#pragma once

#include <poll.h>
#include <stdint.h>
#include <sys/types.h>

/** Returns the CPU seconds that the calling thread has used. */
double topomap_clock_cpu(void);

/** Returns the seconds of a clock that only moves forward and that nobody sets (CLOCK_MONOTONIC).
 */
double topomap_clock_wall(void);

/** Returns the same clock in whole milliseconds, rounded down. Deadlines count in these. */
int64_t topomap_clock_ms(void);

/** Returns the seconds since 1970. Unlike the clock above, this one may be set and may jump. */
int64_t topomap_clock_date(void);

/** Returns the nanoseconds since 1970, or 0 if the system does not tell. */
int64_t topomap_clock_date_ns(void);

/** Returns the seconds since this computer started, suspended ones included, or -1 if the system
 * does not tell. */
int64_t topomap_clock_uptime(void);

/** Sleeps for \p microseconds, or until the thread handles a signal. */
void topomap_clock_sleep(unsigned microseconds);

/** Waits until one of \p count descriptors is ready or the deadline has passed. Looks at them once,
 * without waiting, if the deadline has passed already.
 *  \param until  deadline in milliseconds of topomap_clock_ms()
 *  Returns what poll(2) returns: the number of descriptors that are ready, 0 at the deadline, or -1
 * with errno set (EINTR: the thread has handled a signal). */
int topomap_clock_poll(struct pollfd *fds, unsigned count, int64_t until);

/** Waits until the child process \p pid has ended or the deadline has passed, and does not reap it:
 * the number stays the child's own. Looks once if the deadline has passed already.
 *  \param until  deadline in milliseconds of topomap_clock_ms()
 *  Returns 1 if it has ended, 0 if it runs, and -1 if this process has no such child: whoever
 * ignores SIGCHLD lets the kernel reap children at once, and the number may be another process's.
 */
int topomap_clock_wait_child(pid_t pid, int64_t until);
