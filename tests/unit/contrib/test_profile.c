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

/* Where `left` is set, the first so many of the processes are a group, and the others another. */
static struct {
    int size, rank, left;
    uint64_t bytes[MOST][MOST], messages[MOST][MOST]; /* from, to */
} job;

static int on_left(void)
{
    return job.rank < job.left;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    *flag = job.left != 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = on_left() ? job.rank : job.rank - job.left;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = on_left() ? job.left : job.size - job.left;
    return MPI_SUCCESS;
}

int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = on_left() ? job.size - job.left : job.left;
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

static void add(int rank, uint64_t bytes, uint64_t messages)
{
    assert_true(rank >= 0 && rank < job.size);
    assert_int_not_equal(rank, job.rank);
    job.bytes[job.rank][rank] += bytes;
    job.messages[job.rank][rank] += messages;
}

void profile_add(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    (void)comm;
    add(job.left && on_left() ? job.left + rank : rank, bytes, messages);
}

void profile_add_local(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    (void)comm;
    assert_true(job.left);
    add(on_left() ? rank : job.left + rank, bytes, messages);
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
        FOR_EACH_SIZE(profile_allgather(0, MPI_BYTE, each[k], MPI_BYTE, MPI_COMM_WORLD),
                      assert_int_equal(received(r), (uint64_t)each[k] * (size - 1)))
        for (int i = 0; i < MOST; i++)
            counts[i] = each[k] + i;
        FOR_EACH_SIZE(profile_allgatherv(0, MPI_BYTE, ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD), {
            total = each[k] * size + size * (size - 1) / 2;
#ifdef RULES_OF_OPEN_MPI /* some go through rank 0, or in pairs of about so long */
            assert_true(received(r) >= (uint64_t)(each[k] * (size - 1)) &&
                        received(r) <= (uint64_t)(2 * total));
#else
            assert_int_equal(received(r), total - counts[r]);
#endif
        })
    }
}

static void test_alltoall(void **state)
{
    int counts[MOST];

    (void)state;
    FOR_EACH_SIZE(profile_alltoall(0, MPI_BYTE, 5000, MPI_BYTE, MPI_COMM_WORLD), {
        for (int q = 0; q < size; q++)
            assert_int_equal(job.bytes[r][q], r == q ? 0 : 5000);
    })
    /* Short blocks travel on behalf of others, in fewer messages. */
    FOR_EACH_SIZE(profile_alltoall(0, MPI_BYTE, 10, MPI_BYTE, MPI_COMM_WORLD), {
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
    int counts[MOST], few[MOST];

    (void)state;
    for (int i = 0; i < MOST; i++) {
        counts[i] = 600000 + i;
        few[i] = i < 32 ? 1000 : 0;
    }
    FOR_EACH_SIZE(profile_reduce_scatter(ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD), {
#ifdef RULES_OF_OPEN_MPI /* a ring: each passes on all parts but its own */
        assert_true(sent(r) >= (uint64_t)600000 * (size - 1) &&
                    sent(r) <= (uint64_t)600100 * (size - 1));
#else
        assert_int_equal(received(r), (uint64_t)counts[r] * (size - 1));
#endif
    })
    /* Halves: half of it, a quarter, ... */
    FOR_EACH_SIZE(profile_reduce_scatter(ARRAY(few), MPI_BYTE, MPI_COMM_WORLD), {
        if (size >= 4 && size < 32 && (size & (size - 1)) == 0)
            assert_int_equal(job.bytes[r][r ^ (size / 2)], 1000 * size / 2);
    })
    FOR_EACH_SIZE(profile_reduce_scatter_block(64, MPI_BYTE, MPI_COMM_WORLD), {
        if ((size & (size - 1)) == 0)
            assert_int_equal(sent(r), 64 * (size - 1));
    })
}

static void test_scan(void **state)
{
    (void)state;
    FOR_EACH_SIZE(profile_scan(8, MPI_BYTE, MPI_COMM_WORLD), {
#ifdef RULES_OF_OPEN_MPI /* a chain */
        assert_int_equal(sent(r), r + 1 < size ? 8 : 0);
        assert_int_equal(received(r), r ? 8 : 0);
#else
        assert_int_equal(sent(r), received(r));
        assert_true(sent(r) >= 8);
#endif
    })
}

/* ---- Between two groups ------------------------------------------------------------------ */

/* Root 1 of the left group, where a collective has one. */
static int root_of(void)
{
    return !on_left() ? 1 : job.rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
}

/* Runs a call on both groups, of 2 and more processes. */
#define BETWEEN(call, check)                                                                       \
    for (int size = 4; size <= 12; size++)                                                         \
        for (int left = 2; left < size - 1; left++) {                                              \
            memset(&job, 0, sizeof job);                                                           \
            job.size = size;                                                                       \
            job.left = left;                                                                       \
            for (job.rank = 0; job.rank < size; job.rank++)                                        \
                call;                                                                              \
            for (int r = 0; r < size; r++)                                                         \
                check;                                                                             \
        }

/* What has crossed over to the group of a process. */
static uint64_t crossed(int rank)
{
    uint64_t sum = 0;

    for (int from = 0; from < job.size; from++)
        for (int to = 0; to < job.size; to++)
            if ((from < job.left) != (rank < job.left) && (to < job.left) == (rank < job.left))
                sum += job.bytes[from][to];
    return sum;
}

static void test_from_a_root_to_the_other_group(void **state)
{
    int counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

    (void)state;
    BETWEEN(profile_bcast(100, MPI_BYTE, root_of(), MPI_COMM_WORLD),
            assert_int_equal(received(r), r < left ? 0 : 100))
    BETWEEN(profile_scatter(10, MPI_BYTE, 10, MPI_BYTE, root_of(), MPI_COMM_WORLD), {
        assert_int_equal(crossed(r), r < left ? 0 : 10 * (size - left));
        assert_int_equal(received(r), r < left ? 0 : sent(r) + 10);
    })
    BETWEEN(profile_scatterv(ARRAY(counts), MPI_BYTE, root_of(), MPI_COMM_WORLD),
            assert_int_equal(received(r), r < left ? 0 : r - left))
}

static void test_to_a_root_of_the_other_group(void **state)
{
    (void)state;
    BETWEEN(profile_reduce(100, MPI_BYTE, root_of(), MPI_COMM_WORLD), {
        assert_int_equal(sent(r), r < left ? 0 : 100);
        assert_true(r != 1 || received(r) == 100);
    })
    BETWEEN(profile_gather(10, MPI_BYTE, root_of(), MPI_COMM_WORLD), {
        assert_int_equal(sent(r), r < left ? 0 : received(r) + 10);
        assert_true(r != 1 || received(r) == (uint64_t)(10 * (size - left)));
    })
    BETWEEN(profile_gatherv(7, MPI_BYTE, root_of(), MPI_COMM_WORLD),
            assert_int_equal(job.bytes[r][1], r < left ? 0 : 7))
}

static void test_all_of_two_groups(void **state)
{
    int counts[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

    (void)state;
    BETWEEN(profile_allreduce(100, MPI_BYTE, MPI_COMM_WORLD), {
        assert_int_equal(crossed(r), 100);
        assert_true(received(r) >= 100);
    })
    /* The right group's processes have 10 each, the left's 4. */
    BETWEEN(profile_allgather(on_left() ? 4 : 10, MPI_BYTE, on_left() ? 10 : 4, MPI_BYTE,
                              MPI_COMM_WORLD),
            {
                assert_int_equal(crossed(r), r < left ? 10 * (size - left) : 4 * left);
                assert_true(received(r) >= crossed(r));
            })
    BETWEEN(profile_allgatherv(2, MPI_BYTE, ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD),
            assert_int_equal(crossed(r), r < left ? 2 * (size - left) : 2 * left))
    BETWEEN(profile_alltoall(on_left() ? 4 : 10, MPI_BYTE, on_left() ? 10 : 4, MPI_BYTE,
                             MPI_COMM_WORLD),
            assert_int_equal(received(r), r < left ? 10 * (size - left) : 4 * left))
    BETWEEN(
        profile_alltoallv(NULL, ARRAY(counts), MPI_BYTE, ARRAY(counts), MPI_BYTE, MPI_COMM_WORLD),
        assert_int_equal(received(r), r < left ? 2 * (size - left) : 2 * left))
    BETWEEN(profile_reduce_scatter_block(5, MPI_BYTE, MPI_COMM_WORLD),
            assert_int_equal(crossed(r), r < left ? 5 * (size - left) : 5 * left))
    BETWEEN(profile_barrier(MPI_COMM_WORLD), assert_int_equal(sent(r), 0))
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
        cmocka_unit_test(test_from_a_root_to_the_other_group),
        cmocka_unit_test(test_to_a_root_of_the_other_group),
        cmocka_unit_test(test_all_of_two_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
