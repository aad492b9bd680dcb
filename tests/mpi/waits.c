/* SPDX-License-Identifier: BSD-3-Clause */
/* waits HOW [STATUS]: what a second is spent with between MPI_Init and MPI_Finalize. Exits with
 * STATUS afterwards. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3 };

static int rank, other;

/* All: outside MPI. */
static void in_sleep(void)
{
    sleep(1);
}

/* All but rank 0: in MPI. */
static void in_barrier(void)
{
    if (rank == 0)
        sleep(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Likewise, between pairs of ranks, in each of: Recv, Wait, Probe. */
static void in_messages(void)
{
    MPI_Request request;
    int data[3] = {0};

    for (int i = 0; i < 3; i++) {
        if (rank % 2 == 0) {
            usleep(333333);
            MPI_Send(&data[i], 1, MPI_INT, other, i, MPI_COMM_WORLD);
        } else if (i == 0) {
            MPI_Recv(&data[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (i == 1) {
            MPI_Irecv(&data[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Probe(other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&data[2], 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* An operation of the program's, which MPI calls: MPI is called from within MPI. */
static void slow(void *in, void *out, int *length, MPI_Datatype *type)
{
    int flag;

    (void)in, (void)out, (void)length, (void)type;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    sleep(1);
}

static void in_operation(void)
{
    int one = 1, sum;
    MPI_Op op;

    MPI_Op_create(slow, 1, &op);
    MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *wait_in_thread(void *tag)
{
    int data;

    MPI_Recv(&data, 1, MPI_INT, other, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

/* Several threads of each odd rank at once. */
static void in_threads(void)
{
    pthread_t thread[THREADS];
    int tag[THREADS];

    if (rank % 2 == 0)
        sleep(1);
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        if (rank % 2 == 0)
            MPI_Send(tag, 1, MPI_INT, other, i, MPI_COMM_WORLD);
        else
            pthread_create(&thread[i], NULL, wait_in_thread, &tag[i]);
    }
    for (int i = 0; i < THREADS && rank % 2; i++)
        pthread_join(thread[i], NULL);
}

static const struct {
    const char *name;
    void (*spend)(void);
} hows[] = {{"sleep", in_sleep},
            {"barrier", in_barrier},
            {"messages", in_messages},
            {"operation", in_operation},
            {"threads", in_threads}};

int main(int argc, char **argv)
{
    int provided;

    if (argc > 1 && !strcmp(argv[1], "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (argc > 1 && !strcmp(argv[1], hows[i].name))
            hows[i].spend();
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
