/* SPDX-License-Identifier: BSD-3-Clause */
/* The time inside MPI, from one end of MPI to the other. The outermost call of a thread counts, so
 * that what MPI calls of itself (MPICH's Fortran the C names, all MPIs an operation or an error
 * handler of the program's) is there once. A handler that leaves MPI by longjmp() has its thread
 * counted no more.
 *
 * Where several threads may call at once it is the time that at least one of them is in MPI. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "profile.h"

extern struct profile_timing {
    int counter; /* the processor's counter can be had: a third of clock_gettime()'s cost */
    int threads;
    uint64_t inside;     /* ticks in MPI, until now */
    uint64_t begin_wall; /* ns */
    uint64_t begin;
} profile_timing;

/* The library is there from the start (LD_PRELOAD), and so is room for this. */
extern __thread int profile_within __attribute__((tls_model("initial-exec")));

/** From here on. */
void profile_timing_begin(int threads);
/** Until here. */
void profile_timing_end(uint64_t *wall_ns, uint64_t *mpi_ns);
/** Where several threads may call. */
void profile_timing_enter(uint64_t now);
void profile_timing_leave(uint64_t now);

static inline uint64_t profile_wall(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t profile_ticks(void)
{
#if defined __x86_64__
    if (profile_timing.counter)
        return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t ticks;

    if (profile_timing.counter) {
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return profile_wall();
}

/** A call begins. \return for its end; 0: it is not counted */
static inline uint64_t profile_enter(void)
{
    uint64_t now;

    if (!profile_on || profile_within)
        return 0;
    profile_within = 1;
    now = profile_ticks() | 1;
    if (profile_timing.threads)
        profile_timing_enter(now);
    return now;
}

static inline void profile_leave(uint64_t entered)
{
    uint64_t now;

    if (!entered)
        return;
    now = profile_ticks();
    profile_within = 0;
    if (profile_timing.threads)
        profile_timing_leave(now);
    else if (now > entered)
        profile_timing.inside += now - entered;
}
