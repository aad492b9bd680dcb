/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic EXPECTED: MPI calls of every kind whose messages are known, on 4 ranks or more. Rank 0
 * writes what a profile of this program has to hold (edges: from,to,bytes,messages) to EXPECTED,
 * with PMPI_ calls, which a profiler does not see. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static uint64_t *expected; /* [ranks * ranks * 2]: bytes and messages, from, to */

static void expect_from(int from, int to, uint64_t bytes, uint64_t messages)
{
    uint64_t *e = &expected[2 * ((size_t)from * (size_t)ranks + (size_t)to)];

    e[0] += bytes;
    e[1] += messages;
}

static void expect(int to, uint64_t bytes, uint64_t messages)
{
    expect_from(rank, to, bytes, messages);
}

static void single_messages(void)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    double out[8] = {0}, in[8];
    MPI_Request request[3];
    void *buffer = malloc(1 << 16);
    int size = 1 << 16;

    MPI_Buffer_attach(buffer, size);
    for (int k = 0; k < 4; k++) {
        MPI_Irecv(in, 8, MPI_DOUBLE, last, k, MPI_COMM_WORLD, &request[0]);
        MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs its receive */
        if (k == 0)
            MPI_Send(out, 8, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
        else if (k == 1)
            MPI_Bsend(out, 8, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
        else if (k == 2)
            MPI_Ssend(out, 8, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
        else
            MPI_Rsend(out, 8, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        for (int step = 1; step < ranks; step *= 2)
            expect((rank + step) % ranks, 0, 1);
        expect(next, 64, 1);
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);

    MPI_Irecv(in, 8, MPI_DOUBLE, last, 9, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, 3, MPI_DOUBLE, next, 9, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    expect(next, 24, 1);
    MPI_Sendrecv(out, 2, MPI_INT, next, 1, in, 2, MPI_INT, last, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(next, 8, 1);
    MPI_Sendrecv_replace(out, 4, MPI_CHAR, last, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(last, 4, 1);
    MPI_Send(out, 4, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void persistent_messages(void)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    char out[100] = {0}, in[100];
    MPI_Request request[2];

    MPI_Send_init(out, 100, MPI_CHAR, next, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(in, 100, MPI_CHAR, last, 2, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 5; i++) {
        if (i % 2)
            MPI_Startall(2, request);
        else
            for (int k = 0; k < 2; k++)
                MPI_Start(&request[k]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        expect(next, 100, 1);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
#if MPI_VERSION >= 4
    MPI_Psend_init(out, 4, 25, MPI_CHAR, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(in, 4, 25, MPI_CHAR, last, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, request);
        MPI_Pready_range(0, 3, request[0]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        expect(next, 100, 4);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Sendrecv_c(out, 5, MPI_CHAR, next, 1, in, 5, MPI_CHAR, last, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    expect(next, 5, 1);
#endif
}

/* Ranks in other communicators are translated; a handle may be used again for another. */
static void other_communicators(void)
{
    char out[10] = {0}, in[10];

    for (int round = 0; round < 3; round++) {
        MPI_Comm part, other;
        int place, size, next, mod = 2 - round % 2;

        MPI_Comm_split(MPI_COMM_WORLD, rank % mod, -rank, &part);
        MPI_Comm_rank(part, &place);
        MPI_Comm_size(part, &size);
        next = (place + 1) % size;
        MPI_Sendrecv(out, 10, MPI_CHAR, next, 1, in, 10, MPI_CHAR, (place + size - 1) % size, 1,
                     part, MPI_STATUS_IGNORE);
        /* Places run down from the highest rank of this color. */
        expect(place + 1 < size ? rank - mod : rank + mod * (size - 1), 10, 1);
        if (mod == 2) {
            MPI_Intercomm_create(part, 0, MPI_COMM_WORLD,
                                 rank % 2 ? (ranks - 1) / 2 * 2 : ranks / 2 * 2 - 1, 5, &other);
            if (rank ==
                ranks / 2 * 2 - 1) { /* the first of the odd group: to the even one's last */
                int remote;

                MPI_Comm_remote_size(other, &remote);
                MPI_Send(out, 3, MPI_CHAR, remote - 1, 6, other);
                expect(0, 3, 1);
            } else if (rank == 0)
                MPI_Recv(in, 3, MPI_CHAR, 0, 6, other, MPI_STATUS_IGNORE);
            MPI_Alltoall(out, 2, MPI_CHAR, in, 2, MPI_CHAR, other);
            for (int to = 1 - rank % 2; to < ranks; to += 2)
                expect(to, 2, 1);
            MPI_Comm_free(&other);
        }
        MPI_Comm_free(&part);
    }
}

static void one_sided(void)
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, value = 1, result, zero = 0;
    double window[16] = {0}, local[16] = {0};
    MPI_Win win;

    MPI_Win_create(window, sizeof window, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(local, 2, MPI_DOUBLE, next, 0, 2, MPI_DOUBLE, win);
    expect(next, 16, 1);
    MPI_Get(local, 3, MPI_DOUBLE, next, 4, 3, MPI_DOUBLE, win);
    expect_from(next, rank, 24, 1);
    MPI_Accumulate(local, 1, MPI_DOUBLE, last, 8, 1, MPI_DOUBLE, MPI_SUM, win);
    expect(last, 8, 1);
    MPI_Fetch_and_op(&value, &result, MPI_INT, last, 12, MPI_SUM, win);
    expect(last, 4, 1);
    expect_from(last, rank, 4, 1);
    MPI_Win_flush_all(win);
    MPI_Compare_and_swap(&value, &zero, &result, MPI_INT, last, 12, win);
    expect(last, 8, 1);
    expect_from(last, rank, 4, 1);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void neighbors(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, side[4], count, from, to;
    char out[64] = {0}, in[64];
    MPI_Comm grid, ring;

    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(grid, d, 1, &side[2 * d], &side[2 * d + 1]);
    MPI_Neighbor_alltoall(out, 7, MPI_CHAR, in, 7, MPI_CHAR, grid);
    for (count = 0; count < 4; count++)
        if (side[count] != MPI_PROC_NULL)
            expect(side[count], 7, 1);
    MPI_Comm_free(&grid);

    from = (rank + 1) % ranks;
    to = (rank + ranks - 1) % ranks;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(out, 9, MPI_CHAR, in, 9, MPI_CHAR, ring);
    expect(to, 9, 1);
    MPI_Comm_free(&ring);
}

static void collectives(void)
{
    int *counts = calloc((size_t)ranks, sizeof *counts), *at = calloc((size_t)ranks, sizeof *at);
    char *out = calloc((size_t)ranks, 1), *in = calloc((size_t)ranks, 1);
    MPI_Request request;

    for (int i = 0; i < ranks; i++) {
        counts[i] = (rank + i) % 2;
        at[i] = i;
    }
    MPI_Alltoallv(out, counts, at, MPI_CHAR, in, counts, at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Ialltoallv(out, counts, at, MPI_CHAR, in, counts, at, MPI_CHAR, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; i++)
        if (counts[i] && i != rank)
            expect(i, 2, 2);
    for (int i = 0; i < ranks; i++)
        counts[i] = 1;
    MPI_Gatherv(out, 1, MPI_CHAR, in, counts, at, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        expect(0, 1, 1);
    free(counts);
    free(at);
    free(out);
    free(in);
}

static int write_expected(const char *path)
{
    size_t pairs = (size_t)ranks * (size_t)ranks;
    uint64_t *sum = calloc(2 * pairs, sizeof *sum);
    FILE *out = NULL;

    PMPI_Reduce(expected, sum, (int)(2 * pairs), MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        out = fopen(path, "w");
        for (size_t i = 0; out && i < pairs; i++)
            if (sum[2 * i + 1] && i / (size_t)ranks != i % (size_t)ranks)
                fprintf(out, "%zu,%zu,%llu,%llu\n", i / (size_t)ranks, i % (size_t)ranks,
                        (unsigned long long)sum[2 * i], (unsigned long long)sum[2 * i + 1]);
        if (!out || fclose(out) != 0)
            return 1;
    }
    free(sum);
    return 0;
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2 || ranks < 4) {
        fprintf(stderr, "usage: traffic EXPECTED, on 4 ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    expected = calloc(2 * (size_t)ranks * (size_t)ranks, sizeof *expected);
    single_messages();
    persistent_messages();
    other_communicators();
    one_sided();
    neighbors();
    collectives();
    status = write_expected(argv[1]);
    free(expected);
    MPI_Finalize();
    return status;
}
