/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
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
