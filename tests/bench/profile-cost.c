/* SPDX-License-Identifier: BSD-3-Clause */
/* profile-cost: what one call takes, in nanoseconds, as "name value" lines: the least of many short
 * batches, which is what is left when nobody else wants the CPU. One process measures the calls
 * themselves (messages to itself, so that nothing is waited for), two a ping-pong of 8 bytes and a
 * halo exchange. profile-cost alone says nothing about the profiler: the script runs it twice. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 4000, TOGETHER = 50, HALO = 8192, SIDES = 4 };

#define LONGEST 3e9 /* ns for one of the measures */

static int rank, other;
static char out[SIDES][HALO], in[SIDES][HALO];
static MPI_Comm world, second;
static MPI_Datatype column;

static void to_self(MPI_Comm comm, int count, MPI_Datatype type)
{
    MPI_Request request[2];

    MPI_Irecv(in[0], count, type, 0, 1, comm, &request[0]);
    MPI_Isend(out[0], count, type, 0, 1, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void same_communicator(void)
{
    to_self(world, 8, MPI_CHAR);
}

static void two_communicators(void)
{
    to_self(world, 8, MPI_CHAR);
    to_self(second, 8, MPI_CHAR);
}

static void derived_type(void)
{
    to_self(world, 1, column);
}

static MPI_Request persistent[2];

static void persistent_request(void)
{
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
}

static void ping_pong(void)
{
    if (rank == 0) {
        MPI_Send(out[0], 8, MPI_CHAR, other, 1, world);
        MPI_Recv(in[0], 8, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in[0], 8, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
        MPI_Send(out[0], 8, MPI_CHAR, other, 1, world);
    }
}

/* Four sides of a periodic grid of two processes: all neighbours are the other one. */
static void halo(void)
{
    MPI_Request request[2 * SIDES];

    for (int i = 0; i < SIDES; i++)
        MPI_Irecv(in[i], HALO, MPI_CHAR, other, i, world, &request[i]);
    for (int i = 0; i < SIDES; i++)
        MPI_Isend(out[i], HALO, MPI_CHAR, other, i, world, &request[SIDES + i]);
    MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Per recorded call. */
static void measure(const char *name, void (*work)(void), int times, int calls)
{
    double least = 1e300, start = now();
    int more = 1;

    for (int batch = 0; batch < BATCHES; batch++) {
        double begin;

        if (batch % TOGETHER == 0) {
            more = now() - start < LONGEST;
            MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        if (!more)
            break;
        begin = now();
        for (int i = 0; i < times; i++)
            work();
        begin = (now() - begin) / times / calls;
        least = begin < least ? begin : least;
    }
    if (rank == 0)
        printf("%s %.2f\n", name, least);
}

int main(int argc, char **argv)
{
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = 1 - rank;
    world = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &second);
    MPI_Type_vector(4, 1, 16, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (size == 1) {
        MPI_Recv_init(in[0], 8, MPI_CHAR, 0, 2, world, &persistent[0]);
        MPI_Send_init(out[0], 8, MPI_CHAR, 0, 2, world, &persistent[1]);
        measure("call:one-communicator", same_communicator, 200, 1);
        measure("call:two-communicators", two_communicators, 200, 2);
        measure("call:derived-type", derived_type, 200, 1);
        measure("call:persistent", persistent_request, 200, 1);
        other = 0;
        measure("halo-with-itself-4x8KiB", halo, 50, 1);
        MPI_Request_free(&persistent[0]);
        MPI_Request_free(&persistent[1]);
    } else {
        measure("ping-pong-8", ping_pong, 40, 1);
        measure("halo-4x8KiB", halo, 10, 1);
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&second);
    MPI_Finalize();
    return 0;
}
