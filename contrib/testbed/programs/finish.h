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

static int finish_status, finish_profiled;

/* Before MPI_Init, at which the profiler takes itself out of the environment. */
__attribute__((constructor)) static void finish_see_profiler(void)
{
    finish_profiled = getenv("TOPOMAP_PROFILE") != NULL;
}

static void finish_now(int signal)
{
    (void)signal;
    _exit(finish_status);
}

/* MPICH 4.0 over UCX 1.13 with TCP hangs in MPI_Finalize now and then: some ranks wait for their
 * peers to close connections while those wait in PMI's barrier and serve nobody. Nothing is lost,
 * since the output is there: ranks serve each other for two seconds at most, until all are here,
 * and leave half a second after. One that is profiled writes its profile in MPI_Finalize, and is
 * given longer. */
static inline int finish(int status)
{
    struct itimerval patience = {.it_value = {.tv_sec = 2}};
    static const struct timespec nap = {0, 1000000};
    MPI_Request request;
    int met = 0;

    if (finish_profiled)
        patience.it_value.tv_sec = 6;
    fflush(NULL);
    finish_status = status;
    signal(SIGALRM, finish_now);
    setitimer(ITIMER_REAL, &patience, NULL);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &met, MPI_STATUS_IGNORE); !met;
         MPI_Test(&request, &met, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
    if (!finish_profiled) {
        patience.it_value = (struct timeval){.tv_usec = 500000};
        setitimer(ITIMER_REAL, &patience, NULL);
    }
    MPI_Finalize();
    return status;
}

#endif
