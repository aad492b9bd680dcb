/* SPDX-License-Identifier: BSD-3-Clause */
#include "timing.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

struct profile_timing profile_timing;
__thread int profile_within;

/* On x86 one that goes on at one rate whatever the processor does (invariant TSC: Intel SDM volume
 * 3, "Time-Stamp Counter"; AMD APM volume 3, CPUID Fn8000_0007). Arm's always does (Arm ARM, "The
 * Generic Timer"). */
static int has_counter(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1U << 8;
#elif defined __aarch64__
    return 1;
#else
    return 0;
#endif
}

void profile_timing_begin(int threads)
{
    profile_timing = (struct profile_timing){.counter = has_counter(), .threads = threads};
    profile_timing.begin_wall = profile_wall();
    profile_timing.begin = profile_ticks();
}

/* ---- Several threads --------------------------------------------------------------------- */

/* In one word, so that both are of one moment: how many threads are in MPI, and, above, since when
 * it is more than none. 52 bits of ticks are two weeks at 4 GHz. */
enum { COUNT_BITS = 12, COUNT = (1 << COUNT_BITS) - 1 };
static uint64_t in_mpi;

void profile_timing_enter(uint64_t now)
{
    uint64_t before = __atomic_load_n(&in_mpi, __ATOMIC_RELAXED), after;

    do
        after = before & COUNT ? before + 1 : now << COUNT_BITS | 1;
    while (!__atomic_compare_exchange_n(&in_mpi, &before, after, 1, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
}

/* \return the ticks since all of `state` began; 0: nobody is in MPI */
static uint64_t since(uint64_t state, uint64_t now)
{
    uint64_t ticks = ((now << COUNT_BITS) - (state & ~(uint64_t)COUNT)) >> COUNT_BITS;

    return state & COUNT && ticks < UINT64_MAX >> (COUNT_BITS + 1) ? ticks : 0;
}

void profile_timing_leave(uint64_t now)
{
    uint64_t before = __atomic_load_n(&in_mpi, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(&in_mpi, &before, before - 1, 1, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        continue;
    if ((before & COUNT) == 1)
        __atomic_fetch_add(&profile_timing.inside, since(before, now), __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------------------------ */

/* The counter's rate is what it did between both ends. A thread may still be in MPI. */
void profile_timing_end(uint64_t *wall_ns, uint64_t *mpi_ns)
{
    uint64_t now = profile_ticks(), ticks = now - profile_timing.begin, inside;

    *wall_ns = profile_wall() - profile_timing.begin_wall;
    inside = __atomic_load_n(&profile_timing.inside, __ATOMIC_RELAXED) +
             since(__atomic_load_n(&in_mpi, __ATOMIC_RELAXED), now);
    *mpi_ns =
        inside < ticks ? (uint64_t)((double)inside * (double)*wall_ns / (double)ticks) : *wall_ns;
}
