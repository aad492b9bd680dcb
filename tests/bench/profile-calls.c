/* SPDX-License-Identifier: BSD-3-Clause */
/* profile-cost, with the profiler preloaded: what calls take without it (by their PMPI_ names) and
 * with it, in turns in one run, so that whatever else the machine does disturbs both alike. Lines
 * "name ns ns ratio": the least of many short batches, which is what is left when nobody else wants
 * the CPU, and the median of the ratios of neighbouring batches, which is the same on a busy
 * machine (least times of two processes that wait for each other are rare strokes of luck). One
 * process measures the calls themselves (messages to itself, so that nothing is waited for), two a
 * ping-pong of 8 bytes and a halo exchange. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 20000, TOGETHER = 25, HALO = 8192, SIDES = 4 };

#define LONGEST 5e9 /* ns for one of the measures */

/* The calls by one of their two names. */
#define CALLS(X) X(Isend) X(Irecv) X(Send) X(Recv) X(Startall) X(Waitall)
#define POINTER(name) static __typeof__(MPI_##name) *name;
CALLS(POINTER)

static void choose(int with)
{
#define SET(name) name = with ? MPI_##name : PMPI_##name;
    CALLS(SET)
}

static int rank, other;
static char out[SIDES][HALO], in[SIDES][HALO];
static MPI_Comm world, second;
static MPI_Datatype column;

static void to_self(MPI_Comm comm, int count, MPI_Datatype type)
{
    MPI_Request request[2];

    Irecv(in[0], count, type, 0, 1, comm, &request[0]);
    Isend(out[0], count, type, 0, 1, comm, &request[1]);
    Waitall(2, request, MPI_STATUSES_IGNORE);
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
    Startall(2, persistent);
    Waitall(2, persistent, MPI_STATUSES_IGNORE);
}

static void ping_pong(void)
{
    if (rank == 0) {
        Send(out[0], 8, MPI_CHAR, other, 1, world);
        Recv(in[0], 8, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
    } else {
        Recv(in[0], 8, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
        Send(out[0], 8, MPI_CHAR, other, 1, world);
    }
}

/* Four sides of a periodic grid of two processes: all neighbours are the other one. */
static void halo(void)
{
    MPI_Request request[2 * SIDES];

    for (int i = 0; i < SIDES; i++)
        Irecv(in[i], HALO, MPI_CHAR, other, i, world, &request[i]);
    for (int i = 0; i < SIDES; i++)
        Isend(out[i], HALO, MPI_CHAR, other, i, world, &request[SIDES + i]);
    Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double batch(void (*work)(void), int times)
{
    double begin = now();

    for (int i = 0; i < times; i++)
        work();
    return (now() - begin) / times;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Per recorded call. */
static void measure(const char *name, void (*work)(void), int times, int calls)
{
    static double ratio[BATCHES / 2];
    double least[2] = {1e300, 1e300}, time[2], start = now();
    int more = 1, pairs;

    for (pairs = 0; more && pairs < BATCHES / 2; pairs++) {
        for (int with = 0; with < 2; with++) {
            choose(with);
            time[with] = batch(work, times) / calls;
            least[with] = time[with] < least[with] ? time[with] : least[with];
        }
        ratio[pairs] = time[1] / time[0];
        if (pairs % TOGETHER == 0) {
            more = now() - start < LONGEST;
            PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    qsort(ratio, (size_t)pairs, sizeof *ratio, by_value);
    if (rank == 0)
        printf("%s %.2f %.2f %.4f\n", name, least[0], least[1], ratio[pairs / 2]);
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
