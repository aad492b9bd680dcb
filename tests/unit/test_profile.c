/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages that collectives are taken for: every process of a group in turn, with an MPI whose
 * answers are made here (the definitions below come before the library's). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "contrib/profile/profile.h"

enum { MOST = 40 };

static struct {
    int size, rank;
    uint64_t bytes[MOST][MOST], messages[MOST][MOST]; /* from, to */
} job;

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = job.rank;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = job.size;
    return MPI_SUCCESS;
}

/* Every type is one byte. */
uint64_t profile_bytes(MPI_Count count, MPI_Datatype type)
{
    (void)type;
    return (uint64_t)count;
}

uint64_t profile_count_at(profile_array counts, int i)
{
    return (uint64_t)((const int *)counts.at)[i];
}

MPI_Datatype profile_type_at(profile_array types, int i)
{
    (void)types;
    (void)i;
    return MPI_BYTE;
}

void profile_add(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    (void)comm;
    assert_in_range(rank, 0, job.size - 1);
    assert_int_not_equal(rank, job.rank);
    job.bytes[job.rank][rank] += bytes;
    job.messages[job.rank][rank] += messages;
}

static uint64_t sent(int rank)
{
    uint64_t sum = 0;

    for (int i = 0; i < job.size; i++)
        sum += job.bytes[rank][i];
    return sum;
}

static uint64_t received(int rank)
{
    uint64_t sum = 0;

    for (int i = 0; i < job.size; i++)
        sum += job.bytes[i][rank];
    return sum;
}

static uint64_t messages_sent(int rank)
{
    uint64_t sum = 0;

    for (int i = 0; i < job.size; i++)
        sum += job.messages[rank][i];
    return sum;
}

/* Runs a call on every rank of a group of each size, and looks at the traffic. */
#define FOR_EACH_SIZE(call, check)                                                                 \
    for (int size = 2; size <= MOST; size++) {                                                     \
        memset(&job, 0, sizeof job);                                                               \
        job.size = size;                                                                           \
        for (job.rank = 0; job.rank < size; job.rank++)                                            \
            call;                                                                                  \
        for (int r = 0; r < size; r++)                                                             \
            check;                                                                                 \
    }

static int log_of(int size)
{
    int steps = 0;

    while (1 << steps < size)
        steps++;
    return steps;
}

static void test_barrier(void **state)
{
    (void)state;
    FOR_EACH_SIZE(profile_barrier(MPI_COMM_WORLD), {
        assert_int_equal(messages_sent(r), log_of(size));
        assert_int_equal(sent(r), 0);
    })
}

static void test_bcast(void **state)
{
    (void)state;
    for (int shift = 0; shift < 2; shift++) {
        int root = shift;

        FOR_EACH_SIZE(profile_bcast(1000, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_int_equal(received(r), r == root ? 0 : 1000))
        /* Long: in pieces, but everything arrives. */
        FOR_EACH_SIZE(profile_bcast(1000 * size, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_true(r == root || received(r) >= (uint64_t)1000 * (size - 1)))
        FOR_EACH_SIZE(profile_bcast(1000000 * size, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_true(r == root || received(r) >= (uint64_t)1000000 * (size - 1)))
    }
}

static void test_reduce(void **state)
{
    (void)state;
    FOR_EACH_SIZE(profile_reduce(1000, MPI_BYTE, 1, MPI_COMM_WORLD),
                  assert_int_equal(sent(r), r == 1 ? 0 : 1000))
    FOR_EACH_SIZE(profile_reduce(100000 * size, MPI_BYTE, 1, MPI_COMM_WORLD),
                  assert_true(r == 1 || sent(r) >= (uint64_t)100000))
}

static void test_allreduce(void **state)
{
    (void)state;
    FOR_EACH_SIZE(profile_allreduce(100, MPI_BYTE, MPI_COMM_WORLD), {
        if ((size & (size - 1)) == 0)
            assert_int_equal(sent(r), 100 * log_of(size));
        assert_true(received(r) >= 100);
    })
    /* Long: twice what everybody else's part of the data is, in a power of two. */
    FOR_EACH_SIZE(profile_allreduce(100000 * size, MPI_BYTE, MPI_COMM_WORLD), {
        if ((size & (size - 1)) == 0)
            assert_int_equal(sent(r), (uint64_t)200000 * (size - 1));
        assert_true(received(r) >= (uint64_t)100000 * (size - 1));
    })
}

static void test_gather_and_scatter(void **state)
{
    (void)state;
    for (int root = 0; root < 2; root++) {
        FOR_EACH_SIZE(profile_gather(10, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_int_equal(sent(r), r == root ? 0 : received(r) + 10))
        FOR_EACH_SIZE(profile_gather(10, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_true(r != root || received(r) == 10u * (unsigned)(size - 1)))
        FOR_EACH_SIZE(profile_scatter(10, MPI_BYTE, 10, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_int_equal(received(r), r == root ? 0 : sent(r) + 10))
        FOR_EACH_SIZE(profile_gatherv(7, MPI_BYTE, root, MPI_COMM_WORLD),
                      assert_int_equal(job.bytes[r][root], r == root ? 0 : 7))
    }
}

static void test_scatterv(void **state)
{
    int counts[MOST];

    (void)state;
    for (int i = 0; i < MOST; i++)
        counts[i] = i * i;
    FOR_EACH_SIZE(profile_scatterv(ARRAY(counts), MPI_BYTE, 1, MPI_COMM_WORLD),
                  assert_int_equal(received(r), r == 1 ? 0 : r * r))
}

static void test_allgather(void **state)
{
    static const int each[] = {1, 5000, 100000};
    int counts[MOST], total;

    (void)state;
    for (int k = 0; k < 3; k++) {
        FOR_EACH_SIZE(profile_allgather(each[k], MPI_BYTE, MPI_COMM_WORLD),
                      assert_int_equal(received(r), (uint64_t)each[k] * (size - 1)))
        for (int i = 0; i < MOST; i++)
            counts[i] = each[k] + i;
        FOR_EACH_SIZE(profile_allgatherv(ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD), {
            total = each[k] * size + size * (size - 1) / 2;
            assert_int_equal(received(r), total - counts[r]);
        })
    }
}

static void test_alltoall(void **state)
{
    int counts[MOST];

    (void)state;
    FOR_EACH_SIZE(profile_alltoall(5000, MPI_BYTE, MPI_COMM_WORLD), {
        for (int q = 0; q < size; q++)
            assert_int_equal(job.bytes[r][q], r == q ? 0 : 5000);
    })
    /* Short blocks travel on behalf of others, in fewer messages. */
    FOR_EACH_SIZE(profile_alltoall(10, MPI_BYTE, MPI_COMM_WORLD), {
        assert_true(sent(r) >= 10u * (unsigned)(size - 1));
        assert_int_equal(sent(r), received(r));
        if (size >= 16)
            assert_int_equal(messages_sent(r), log_of(size));
    })
    for (int i = 0; i < MOST; i++)
        counts[i] = i;
    FOR_EACH_SIZE(
        profile_alltoallv(NULL, ARRAY(counts), MPI_BYTE, ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD), {
            for (int q = 0; q < size; q++)
                assert_int_equal(job.bytes[r][q], r == q ? 0 : q);
        })
    FOR_EACH_SIZE(profile_alltoallw(MPI_IN_PLACE, ARRAY(counts), ARRAY(counts), ARRAY(counts),
                                    ARRAY(counts), MPI_COMM_WORLD),
                  assert_int_equal(received(r), r * (size - 1)))
}

static void test_reduce_scatter(void **state)
{
    int counts[MOST];

    (void)state;
    for (int i = 0; i < MOST; i++)
        counts[i] = 600000 + i;
    FOR_EACH_SIZE(profile_reduce_scatter(ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD),
                  assert_int_equal(received(r), (uint64_t)counts[r] * (size - 1)))
    FOR_EACH_SIZE(profile_reduce_scatter_block(64, MPI_BYTE, MPI_COMM_WORLD), {
        if ((size & (size - 1)) == 0)
            assert_int_equal(sent(r), 64 * (size - 1));
    })
}

static void test_scan(void **state)
{
    (void)state;
    FOR_EACH_SIZE(profile_scan(8, MPI_BYTE, MPI_COMM_WORLD), {
        assert_int_equal(sent(r), received(r));
        assert_true(sent(r) >= 8);
    })
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_bcast),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_allreduce),
        cmocka_unit_test(test_gather_and_scatter),
        cmocka_unit_test(test_scatterv),
        cmocka_unit_test(test_allgather),
        cmocka_unit_test(test_alltoall),
        cmocka_unit_test(test_reduce_scatter),
        cmocka_unit_test(test_scan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
