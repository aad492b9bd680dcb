/* SPDX-License-Identifier: BSD-3-Clause */
/* calls EXPECTED: the calls that traffic.c has not, each once or twice, on a ring of 2 ranks or
 * more: to the next rank goes `out`, back comes `in`. Every call has a size of its own, so that a
 * sum that is wrong says which. Rank 0 writes what the profile has to hold. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, next, last, size; /* size: that of the last call */
static long long out[2], in[2];           /* bytes and messages */
static int sent[256], got[256];           /* more than any size */
static MPI_Request request[2];

/* The next call's number of MPI_INTs, sent; and where a call reads. */
static int now_out(void)
{
    out[0] += 4 * ++size;
    out[1]++;
    return size;
}

static int now_in(void)
{
    in[0] += 4 * ++size;
    in[1]++;
    return size;
}

static void wait_both(void)
{
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void receive(void)
{
    MPI_Irecv(got, 256, MPI_INT, last, 0, MPI_COMM_WORLD, &request[0]);
    PMPI_Barrier(MPI_COMM_WORLD); /* before a ready send; not recorded */
}

static void sends(void)
{
    static char buffer[1 << 16];
    void *at;
    int bytes;

    MPI_Buffer_attach(buffer, sizeof buffer);
#define SEND(call)                                                                                 \
    receive();                                                                                     \
    call(sent, now_out(), MPI_INT, next, 0, MPI_COMM_WORLD, &request[1]);                          \
    wait_both();
    SEND(MPI_Ibsend)
    SEND(MPI_Issend)
    SEND(MPI_Irsend)
#define PERSISTENT(call)                                                                           \
    receive();                                                                                     \
    call(sent, now_out(), MPI_INT, next, 0, MPI_COMM_WORLD, &request[1]);                          \
    MPI_Start(&request[1]);                                                                        \
    wait_both();                                                                                   \
    MPI_Request_free(&request[1]);
    PERSISTENT(MPI_Bsend_init)
    PERSISTENT(MPI_Ssend_init)
    PERSISTENT(MPI_Rsend_init)
    MPI_Buffer_detach(&at, &bytes);
#if MPI_VERSION >= 4
    MPI_Isendrecv(sent, now_out(), MPI_INT, next, 0, got, 256, MPI_INT, last, 0, MPI_COMM_WORLD,
                  &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(got, now_out(), MPI_INT, next, 0, last, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    receive();
    MPI_Isend_c(sent, now_out(), MPI_INT, next, 0, MPI_COMM_WORLD, &request[1]);
    wait_both();
#endif
}

static void one_sided(void)
{
    static int window[1024];
    MPI_Request done;
    MPI_Win win;
    int n;

    MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
#define DONE MPI_Wait(&done, MPI_STATUS_IGNORE)
    n = now_out();
    MPI_Rput(sent, n, MPI_INT, next, 0, n, MPI_INT, win, &done), DONE;
    n = now_out();
    MPI_Raccumulate(sent, n, MPI_INT, next, 256, n, MPI_INT, MPI_SUM, win, &done), DONE;
    n = now_in();
    MPI_Rget(got, n, MPI_INT, next, 512, n, MPI_INT, win, &done), DONE;
    for (int k = 0; k < 2; k++) {
        n = now_out();
        size--;
        now_in();
        if (k)
            MPI_Get_accumulate(sent, n, MPI_INT, got, n, MPI_INT, next, 768, n, MPI_INT, MPI_SUM,
                               win);
        else
            MPI_Rget_accumulate(sent, n, MPI_INT, got, n, MPI_INT, next, 768, n, MPI_INT, MPI_SUM,
                                win, &done),
                DONE;
    }
    MPI_Win_flush_all(win);
    n = now_in(); /* an atomic read sends nothing */
    MPI_Get_accumulate(NULL, 0, MPI_INT, got, n, MPI_INT, next, 768, n, MPI_INT, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* To the next of a graph in which everybody has one; twice with a request, where MPI has that. */
static void neighbors(MPI_Comm ring)
{
    int send, recv = 256, zero = 0;
    MPI_Datatype type = MPI_INT;
    MPI_Aint none = 0;

/* What comes is as long as what goes. */
#define EACH(call, ...)                                                                            \
    recv = send = now_out();                                                                       \
    MPI_N##call(__VA_ARGS__);                                                                      \
    recv = send = now_out();                                                                       \
    MPI_In##call(__VA_ARGS__, &request[0]);                                                        \
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    EACH(eighbor_allgather, sent, send, MPI_INT, got, recv, MPI_INT, ring)
    EACH(eighbor_allgatherv, sent, send, MPI_INT, got, &recv, &zero, MPI_INT, ring)
    EACH(eighbor_alltoall, sent, send, MPI_INT, got, recv, MPI_INT, ring)
    EACH(eighbor_alltoallv, sent, &send, &zero, MPI_INT, got, &recv, &zero, MPI_INT, ring)
    EACH(eighbor_alltoallw, sent, &send, &none, &type, got, &recv, &none, &type, ring)
#if MPI_VERSION >= 4
#define STARTED(call, ...)                                                                         \
    recv = send = now_out();                                                                       \
    MPI_N##call##_init(__VA_ARGS__, MPI_INFO_NULL, &request[0]);                                   \
    MPI_Start(&request[0]);                                                                        \
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);                                                      \
    MPI_Request_free(&request[0]);
    STARTED(eighbor_allgather, sent, send, MPI_INT, got, recv, MPI_INT, ring)
    STARTED(eighbor_allgatherv, sent, send, MPI_INT, got, &recv, &zero, MPI_INT, ring)
    STARTED(eighbor_alltoall, sent, send, MPI_INT, got, recv, MPI_INT, ring)
    STARTED(eighbor_alltoallv, sent, &send, &zero, MPI_INT, got, &recv, &zero, MPI_INT, ring)
    STARTED(eighbor_alltoallw, sent, &send, &none, &type, got, &recv, &none, &type, ring)
#endif
}

static void graphs(void)
{
    int index[] = {1, 2}, edges[] = {1, 0};
    MPI_Comm ring;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    neighbors(ring);
    MPI_Comm_free(&ring);
    if (ranks != 2) /* a graph of MPI 1 has one list for both directions */
        return;
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &ring);
    neighbors(ring);
    MPI_Comm_free(&ring);
}

static void write_expected(const char *path)
{
    long long own[4] = {out[0], out[1], in[0], in[1]}, *all = calloc((size_t)ranks, sizeof own);
    FILE *file = rank == 0 ? fopen(path, "w") : NULL;

    PMPI_Gather(own, 4, MPI_LONG_LONG, all, 4, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    for (int from = 0; file && from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            long long bytes = 0, messages = 0;

            if (to == (from + 1) % ranks)
                bytes += all[4 * from], messages += all[4 * from + 1];
            if (from == (to + 1) % ranks)
                bytes += all[4 * to + 2], messages += all[4 * to + 3];
            if (messages)
                fprintf(file, "%d,%d,%lld,%lld\n", from, to, bytes, messages);
        }
    if (file)
        fclose(file);
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    sends();
    one_sided();
    graphs();
    write_expected(argc > 1 ? argv[1] : "/dev/null");
    MPI_Finalize();
    return 0;
}
