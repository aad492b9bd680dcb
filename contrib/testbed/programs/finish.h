/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize for programs whose output is complete. */
#ifndef TESTBED_FINISH_H
#define TESTBED_FINISH_H

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int finish_status, finish_over;
static volatile sig_atomic_t finish_ticks;
static char finish_profile[4096];

/* Before MPI_Init, at which the profiler takes itself out of the environment. */
__attribute__((constructor)) static void finish_see_profiler(void)
{
    const char *path = getenv("TOPOMAP_PROFILE");

    snprintf(finish_profile, sizeof finish_profile, "%s", path ? path : "");
}

/* Where MPI_Finalize itself calls exit(). Once it is over, MPICH 4.2 and later tell the launcher at
 * exit that the process has finished. */
static void finish_leave(void)
{
    if (!finish_over)
        _exit(finish_status);
}

/* A quarter of a second from now. Not at fixed times: on a slow file system the look itself may
 * take longer, and what it interrupts would never get on. */
static void finish_wind(void)
{
    static const struct itimerval tick = {{0, 0}, {0, 250000}};

    setitimer(ITIMER_REAL, &tick, NULL);
}

/* The profile of a profiled program appears at once when it is complete: once a second it is looked
 * for. */
static void finish_tick(int signal)
{
    (void)signal;
    if (--finish_ticks <= 0 ||
        (*finish_profile && finish_ticks % 4 == 0 && access(finish_profile, F_OK) == 0))
        _exit(finish_status);
    finish_wind();
}

/* Until all ranks are here: what a rank has still to send, it sends. From now on the program ends
 * in `seconds`. */
static inline void finish_meet(int status, int seconds)
{
    static const struct timespec nap = {0, 1000000};
    MPI_Request request;
    int met = 0;

    fflush(NULL);
    finish_status = status;
    finish_ticks = 4 * seconds;
    signal(SIGALRM, finish_tick);
    finish_wind();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &met, MPI_STATUS_IGNORE); !met;
         MPI_Test(&request, &met, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

/* MPICH 4.0 over UCX 1.13 with TCP hangs in MPI_Finalize now and then: some ranks wait for their
 * peers to close connections while those wait in PMI's barrier and serve nobody; and where one has
 * left, others call that fatal. Nothing is lost, since the output is there: a rank leaves after two
 * seconds, with its own status. The profile of a profiled program is written in MPI_Finalize, which
 * may take long where ranks outnumber processors. */
static inline int finish(int status)
{
    finish_meet(status, *finish_profile ? 60 : 2);
    atexit(finish_leave);
    MPI_Finalize();
    finish_over = 1;
    return status;
}

/* The same for programs that are only ever started where MPI_Finalize hangs: they do not even try.
 */
static inline int finish_at_once(int status)
{
    if (*finish_profile)
        return finish(status);
    finish_meet(status, 2);
    _exit(status);
}

#endif
