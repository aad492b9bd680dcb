/* SPDX-License-Identifier: BSD-3-Clause */
/* threads: 4 threads on each of 2 ranks or more send 500 messages of 8 bytes each to the next rank,
 * over communicators of their own. Exit status 77 where the MPI has no threads. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, MESSAGES = 500 };

static MPI_Comm comm[THREADS];

static void *work(void *at)
{
    MPI_Comm own = *(MPI_Comm *)at;
    double out = 0, in;
    int rank, ranks;

    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &in, 1, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, own, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return 77;
    }
    for (int t = 0; t < THREADS; t++)
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, &comm[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        PMPI_Comm_free(&comm[t]);
    MPI_Finalize();
    return 0;
}
