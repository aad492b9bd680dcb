/* SPDX-License-Identifier: BSD-3-Clause */
/* phases WHAT...: iterations whose phases are known, on an even number of ranks from 4 on.
 *   two        a ring, a barrier, the opposite ranks, a barrier
 *   own        a ring, and all to all
 *   dup        two, with barriers of a communicator like MPI_COMM_WORLD
 *   one        a ring and a sum
 *   parts      two, with barriers of half of the ranks each
 *   pending    two, with barriers that nobody waits for at once
 *   apart      two, of which rank 1 has both barriers in the same place
 *   start      two, after more borders than there is room for
 *   threads    two, whose barriers are of two threads in turn
 *   alike      two, where each goes to both sides of the ring */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 50, BYTES = 5000 };

static int rank, ranks;
static char out[64 * BYTES], in[64 * BYTES];
static MPI_Comm comm;
static const char *what;

static void swap(int to, int from, int bytes)
{
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void ring(int bytes)
{
    swap((rank + 1) % ranks, (rank + ranks - 1) % ranks, bytes);
}

static void opposite(void)
{
    swap((rank + ranks / 2) % ranks, (rank + ranks / 2) % ranks, 2 * BYTES);
}

static void *barrier(void *unused)
{
    (void)unused;
    MPI_Barrier(comm);
    return NULL;
}

/* The same place for both, by the one rank. */
static void apart(int which)
{
    if (rank == 1)
        MPI_Barrier(comm);
    else if (which)
        MPI_Barrier(comm);
    else
        MPI_Barrier(comm);
}

static void pending(void)
{
    MPI_Request request;

    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void border(int which)
{
    pthread_t thread;

    if (!strcmp(what, "apart")) {
        apart(which);
    } else if (!strcmp(what, "pending")) {
        pending();
    } else if (!strcmp(what, "threads") && which) {
        pthread_create(&thread, NULL, barrier, NULL);
        pthread_join(thread, NULL);
    } else if (which) {
        MPI_Barrier(comm);
    } else {
        MPI_Barrier(comm);
    }
}

#define FOUR(x) x x x x

/* Places that the program comes to once, 64 of them with a little traffic each. */
static void start(void)
{
    FOUR(FOUR(FOUR(MPI_Barrier(comm); ring(8);)))
}

static void iterate(void)
{
    double sum[2] = {0}, all[2];

    if (!strcmp(what, "one")) {
        ring(BYTES);
        MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, comm);
    } else if (!strcmp(what, "own")) {
        ring(BYTES);
        MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, comm);
    } else {
        ring(BYTES);
        border(0);
        if (!strcmp(what, "alike"))
            ring(2 * BYTES);
        else
            opposite();
        border(1);
    }
}

int main(int argc, char **argv)
{
    int provided;

    what = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv,
                    !strcmp(what, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comm = MPI_COMM_WORLD;
    if (!strcmp(what, "dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!strcmp(what, "parts"))
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    if (!strcmp(what, "start"))
        start();
    for (int i = 0; i < ITERATIONS; i++)
        iterate();
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
