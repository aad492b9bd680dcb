/* MPI_Finalize for programs whose output is complete. */
#ifndef TESTBED_FINISH_H
#define TESTBED_FINISH_H

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static int finish_status;

static void finish_now(int signal)
{
    (void)signal;
    _exit(finish_status);
}

/* MPICH 4.0 over UCX 1.13 with TCP hangs in MPI_Finalize now and then: some ranks wait for their
 * peers to close connections while those wait in PMI's barrier and serve nobody. Nothing is lost:
 * after half a second a rank leaves. One that is profiled writes its profile in there, and is given
 * longer. */
static inline int finish(int status)
{
    struct itimerval patience = {.it_value = {.tv_usec = 500000}};

    if (getenv("TOPOMAP_PROFILE"))
        patience.it_value.tv_sec = 20;
    fflush(NULL);
    finish_status = status;
    signal(SIGALRM, finish_now);
    MPI_Barrier(MPI_COMM_WORLD);
    setitimer(ITIMER_REAL, &patience, NULL);
    MPI_Finalize();
    return status;
}

#endif
