/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profiler keeps: who is whom in which communicator, and how much memory that takes. MPI's
 * answers are made here; malloc and its kin are wrapped by the linker and counted. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contrib/profile/profile.h"
#include "contrib/profile/table.h"

/* ---- Memory ------------------------------------------------------------------------------ */

static size_t held;
static int calls; /* of the allocator and of MPI */

void *__real_malloc(size_t size);
void __real_free(void *at);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
void __wrap_free(void *at);

enum { HEAD = 16 }; /* before each block: its size */

void *__wrap_malloc(size_t size)
{
    char *block = __real_malloc(size + HEAD);

    assert_non_null(block);
    memcpy(block, &size, sizeof size);
    held += size;
    calls++;
    return block + HEAD;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return memset(__wrap_malloc(count * size), 0, count * size);
}

static size_t size_of(const void *at)
{
    size_t size = 0;

    if (at)
        memcpy(&size, (const char *)at - HEAD, sizeof size);
    return size;
}

void *__wrap_realloc(void *at, size_t size)
{
    void *grown = __wrap_malloc(size);

    if (at)
        memcpy(grown, at, size_of(at) < size ? size_of(at) : size);
    __wrap_free(at);
    return grown;
}

void __wrap_free(void *at)
{
    held -= size_of(at);
    calls++;
    if (at)
        __real_free((char *)at - HEAD);
}

/* ---- An MPI ------------------------------------------------------------------------------ */

/* A group's handle is its communicator's; so is a window's. Rank r of communicator 100 + c is c
 * ranks further on; those from 900 on are between groups, and their ranks are no processes of
 * MPI_COMM_WORLD. */
#define COMM(c) ((MPI_Comm)(100 + (c)))
#define STRANGERS ((MPI_Comm)900)

static int groups, translations;

/* In this communicator, MPI keeps the caller. */
#define SLOW COMM(77)
static sem_t inside, go_on;

static int give(int handle, MPI_Group *group)
{
    if (handle == (int)SLOW) {
        sem_post(&inside);
        sem_wait(&go_on);
    }
    groups++;
    calls++;
    *group = (MPI_Group)handle;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    return give((int)comm, group);
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    return give((int)comm, group);
}

int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    return give((int)win, group);
}

int PMPI_Group_free(MPI_Group *group)
{
    (void)group;
    groups--;
    calls++;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    calls++;
    *flag = comm >= STRANGERS;
    return MPI_SUCCESS;
}

/* One byte an element. */
uint64_t profile_bytes(MPI_Count count, MPI_Datatype type)
{
    (void)type;
    return (uint64_t)count;
}

int PMPI_Group_compare(MPI_Group a, MPI_Group b, int *result)
{
    calls++;
    *result = a == b || (int)a == (int)COMM(0) ? MPI_IDENT : MPI_UNEQUAL;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group into, int out[])
{
    assert_int_equal((int)into, (int)MPI_COMM_WORLD);
    translations++;
    calls++;
    for (int i = 0; i < n; i++)
        out[i] =
            (int)group >= (int)STRANGERS ? MPI_UNDEFINED : ranks[i] + (int)group - (int)COMM(0);
    return MPI_SUCCESS;
}

static size_t reserved; /* rows, in the memory that a launch lends */

void profile_memory_reserve(size_t rows)
{
    if (rows > reserved)
        reserved = rows;
}

static int begin(void **state)
{
    (void)state;
    held = reserved = 0;
    translations = 0;
    return profile_begin(0);
}

static void end_all(void)
{
    if (profile_end() == 0)
        profile_end_requests();
}

static int end(void **state)
{
    (void)state;
    end_all();
    return held != 0 || groups != 0;
}

static profile_record record[1 << 14];
static uint64_t passed;

/* The end has all that it needs: \return the part, of \p room rows at most. */
static profile_part take(size_t room)
{
    int before = calls;
    profile_part part = {0};

    assert_int_equal(profile_records(record, room, &part), 0);
    assert_int_equal(calls, before);
    assert_true(part.count <= reserved);
    passed = part.passed;
    return part;
}

static uint64_t bytes_in(int partner, uint32_t phase)
{
    profile_part part = take(sizeof record / sizeof *record);

    assert_true(part.whole);
    for (size_t i = 0; i < part.count; i++)
        if (record[i].partner == (uint32_t)partner && record[i].phase == phase)
            return record[i].bytes_out;
    return 0;
}

static uint64_t bytes_to(int partner)
{
    return bytes_in(partner, 0);
}

/* ---- Tests ------------------------------------------------------------------------------- */

static void test_ranks(void **state)
{
    (void)state;
    profile_add(MPI_COMM_WORLD, 7, 1, 1);
    assert_int_equal(groups, 0); /* the world's, which MPIs make of all ranks, is not asked for */
    profile_add(COMM(0), 7, 20, 1);
    profile_add(COMM(3), 4, 300, 1);
    profile_add(COMM(3), 4, 300, 1);
    assert_int_equal(translations, 1);
    profile_add(COMM(3), MPI_PROC_NULL, 5, 1);
    profile_add_window((MPI_Win)COMM(6), 1, 4000, 9);
    profile_add(STRANGERS, 7, 5, 1);
    profile_add(STRANGERS, 7, 5, 1);
    assert_int_equal(translations, 3);
    assert_int_equal(bytes_to(7), 4621);
}

/* Of a communicator that is freed, the handle may be another's next. */
static void test_handle_used_again(void **state)
{
    (void)state;
    for (int c = 1; c < 40; c++)
        profile_add(COMM(c), 0, 1, 1);
    for (int c = 1; c < 40; c += 2)
        profile_forget_comm(COMM(c));
    assert_int_equal(groups, 20); /* and the world's */
    profile_add(COMM(1), 4, 500, 1);
    profile_add(COMM(8), 0, 3, 1);
    assert_int_equal(bytes_to(5), 501);
    assert_int_equal(bytes_to(8), 4);
}

static size_t memory_of(int partners, int apart)
{
    size_t before = held;

    for (int i = 0; i < partners; i++) {
        profile_add(MPI_COMM_WORLD, i * apart, 8, 1);
        profile_add(COMM(1), i * apart, 8, 1);
    }
    return held - before;
}

/* Neighbours among a hundred ranks or a hundred million, it is the same; and no more than tables
 * a quarter full, and arrays half full, take. */
static void test_memory_is_of_partners(void **state)
{
    size_t near = memory_of(26, 2), far, many;
    enum { MANY = 20000 };

    end_all();
    begin(state);
    far = memory_of(26, 4000000);
    assert_int_equal(near, far);
    end_all();
    begin(state);
    many = memory_of(MANY, 2);
    assert_true(many >= MANY * sizeof(profile_record));
    assert_true(many <= MANY * 2 * (2 * sizeof(profile_record) + 2 * 4 * sizeof(profile_entry)));
}

/* Libraries make a communicator at every call, talk in it and free it. */
static void test_memory_of_passing_communicators(void **state)
{
    size_t after = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        profile_add(COMM(1 + i % 7), i % 50, 8, 1);
        profile_add_window((MPI_Win)COMM(1 + i % 7), i % 50, 8, 0);
        profile_forget_comm(COMM(1 + i % 7));
        profile_forget_win((MPI_Win)COMM(1 + i % 7));
        if (i == 1000)
            after = held;
    }
    assert_int_equal(held, after);
    assert_int_equal(groups, 1);
}

static void init_request(int request, int rank, uint64_t bytes)
{
    profile_capture();
    profile_add(MPI_COMM_WORLD, rank, bytes, 1);
    profile_keep((MPI_Request)request);
}

static void test_persistent(void **state)
{
    const int two[] = {1, 3};
    size_t before;

    (void)state;
    profile_add(MPI_COMM_WORLD, 0, 1, 1);
    init_request(1, 1, 10);
    before = held;
    for (int i = 2; i < 5000; i++)
        init_request(i, i % 5, 10);
    profile_startall(2, (profile_array){two, 0, 1});
    for (int i = 4999; i >= 2; i--)
        profile_forget_request((MPI_Request)i);
    profile_start((MPI_Request)1);
    profile_start((MPI_Request)3); /* no more */
    init_request(1, 1, 70);        /* freed where nobody saw it */
    profile_start((MPI_Request)1);
    assert_true(held >= before && held <= before + (1 << 20)); /* the tables' room stays */
    assert_int_equal(bytes_to(1), 90);
    assert_int_equal(bytes_to(3), 10);
}

static void *send_slowly(void *request)
{
    profile_add(SLOW, 1, 1, 1);
    /* All this comes after the end. */
    profile_add(MPI_COMM_WORLD, 3, 1000, 1);
    profile_add_window((MPI_Win)COMM(5), 3, 1000, 1);
    init_request(9, 3, 1000);
    profile_start((MPI_Request)(intptr_t)request);
    profile_forget_request((MPI_Request)(intptr_t)request);
    profile_forget_comm(COMM(4));
    return NULL;
}

/* A thread that is inside MPI at MPI_Finalize holds nobody up, and finds all that it was at. */
static void test_end_beside_a_thread(void **state)
{
    pthread_t thread;
    profile_part none = {0};
    size_t before;
    int others;

    (void)state;
    end_all();
    assert_int_equal(profile_begin(1), 0);
    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    profile_add(MPI_COMM_WORLD, 3, 5, 1);
    profile_add(COMM(4), 0, 5, 1);
    init_request(2, 3, 10);
    before = held;
    assert_int_equal(pthread_create(&thread, NULL, send_slowly, (void *)2), 0);
    sem_wait(&inside);
    assert_int_equal(profile_records(record, 1, &none), -1);
    end_all();
    assert_true(held >= before);
    others = groups;
    sem_post(&go_on);
    pthread_join(thread, NULL);
    assert_int_equal(groups, others + 1); /* COMM(77)'s; and no group was freed or made since */
    assert_int_equal(bytes_to(3), 5);
}

/* ---- Phases ------------------------------------------------------------------------------ */

static const char place[200]; /* where collectives are called */

/* One of `bytes` is called at place i, and then `after` goes to rank 3. */
static void pass(MPI_Comm comm, int i, uint64_t bytes, uint64_t after)
{
    profile_border(comm, &place[i], (MPI_Count)bytes, MPI_BYTE);
    profile_add(comm, 2, bytes, 1);
    profile_border_end();
    profile_add(MPI_COMM_WORLD, 3, after, 1);
}

static void test_phases(void **state)
{
    (void)state;
    profile_add(MPI_COMM_WORLD, 3, 1, 1);
    pass(MPI_COMM_WORLD, 0, 7, 20);
    for (int i = 0; i < 3; i++) {
        pass(MPI_COMM_WORLD, 1, 7, 300);
        pass(MPI_COMM_WORLD, 0, i < 2 ? 5 : 7, 500); /* another size, but none that counts */
    }
    pass(MPI_COMM_WORLD, 0, 500, 600); /* such a one */
    pass(COMM(0), 0, 7, 700);          /* of the same processes, after another one */
    pass(COMM(0), 1, 7, 300);
    pass(COMM(3), 1, 7, 8000); /* of others: no border */
    assert_int_equal(bytes_in(3, 0), 1);
    assert_int_equal(bytes_in(2, 1), 7);
    assert_int_equal(bytes_in(3, 2), 20);
    assert_int_equal(bytes_in(2, 3), 4 * 7);
    assert_int_equal(bytes_in(3, 4), 4 * 300 + 8000);
    assert_int_equal(bytes_in(5, 4), 7);
    assert_int_equal(bytes_in(2, 5), 17);
    assert_int_equal(bytes_in(3, 6), 1500);
    assert_int_equal(bytes_in(2, 7), 500);
    assert_int_equal(bytes_in(3, 8), 600);
    assert_int_equal(bytes_in(3, 10), 700);
    assert_int_not_equal(passed, 0);
}

/* Of next to nothing, there is no phase: it is with what has none. */
static void test_small_phases(void **state)
{
    (void)state;
    profile_add(MPI_COMM_WORLD, 3, 1, 1);
    pass(MPI_COMM_WORLD, 0, 2, 4096000);
    pass(MPI_COMM_WORLD, 1, 999, 1100);
    assert_int_equal(bytes_in(3, 0), 1);
    assert_int_equal(bytes_in(2, 0), 1001);
    assert_int_equal(bytes_in(3, 2), 4096000);
    assert_int_equal(bytes_in(3, 4), 1100);
}

/* Persistent requests count in the phase in which they are started. */
static void test_phase_of_persistent(void **state)
{
    (void)state;
    init_request(1, 6, 10);
    pass(MPI_COMM_WORLD, 0, 0, 1);
    profile_start((MPI_Request)1);
    pass(MPI_COMM_WORLD, 1, 0, 1);
    profile_start((MPI_Request)1);
    profile_start((MPI_Request)1);
    assert_int_equal(bytes_in(6, 2), 10);
    assert_int_equal(bytes_in(6, 4), 20);
}

/* Wherever a program was loaded, the same borders in the same order are the same. */
static uint64_t passed_by(int base, const char *order)
{
    end_all();
    profile_begin(0);
    for (; *order; order++)
        pass(MPI_COMM_WORLD, base + *order - 'a', 0, 1);
    bytes_in(0, 0);
    return passed;
}

static void test_order(void **state)
{
    (void)state;
    assert_int_equal(passed_by(0, ""), 0);
    assert_int_equal(passed_by(0, "abcabc"), passed_by(50, "abcabc"));
    assert_int_equal(passed_by(0, "abcabc"), passed_by(0, "dxydxy"));
    assert_int_not_equal(passed_by(0, "abcabc"), passed_by(0, "abcacb"));
    assert_int_not_equal(passed_by(0, "abcabc"), passed_by(0, "abcab"));
    assert_int_not_equal(passed_by(0, "abab"), passed_by(0, "aaaa"));
}

/* After many places that are passed once, those of an iteration have phases; all of the traffic is
 * in some. */
static void test_many_places(void **state)
{
    uint64_t sum = 0, most = 0;
    profile_part part;

    (void)state;
    for (int i = 0; i < 150; i++)
        pass(MPI_COMM_WORLD, i, 0, 1);
    for (int k = 0; k < 10; k++)
        for (int i = 150; i < 160; i++)
            pass(MPI_COMM_WORLD, i, 0, 1000); /* after the last one that never comes again, once */
    for (int i = 160; i < 190; i++)
        pass(MPI_COMM_WORLD, i, 0, 1);
    part = take(sizeof record / sizeof *record);
    for (size_t i = 0; i < part.count; i++) {
        sum += record[i].bytes_out;
        most += record[i].bytes_out == 10000;
        assert_true(record[i].phase < PROFILE_PHASES);
        if (i)
            assert_true(record[i - 1].partner < record[i].partner ||
                        record[i - 1].phase < record[i].phase);
    }
    assert_int_equal(sum, 150 + 100 * 1000 + 30);
    assert_int_equal(most, 9);
}

/* Where there is no room for the phases, the partners are there whole; without room for these, the
 * part is not. */
static void test_no_room(void **state)
{
    profile_part part;

    (void)state;
    for (int i = 0; i < 9; i++)
        pass(MPI_COMM_WORLD, i % 3, 50, 100);
    profile_add_window((MPI_Win)MPI_COMM_WORLD, 3, 0, 7);
    assert_int_equal(reserved, 8);
    assert_int_equal(profile_rows(), reserved);
    part = take(reserved);
    assert_int_equal(part.count, reserved);
    assert_int_not_equal(part.passed, 0);
    part = take(reserved - 1);
    assert_int_equal(part.count, 2);
    assert_int_equal(part.passed, 0);
    assert_int_equal(part.whole, 1);
    assert_int_equal(record[0].messages_out, 9);
    assert_int_equal(record[1].bytes_out, 900);
    assert_int_equal(record[1].bytes_in, 7);
    part = take(1);
    assert_int_equal(part.count, 1);
    assert_int_equal(part.whole, 0);
}

/* A loop of more places than there are phases for, for ever: memory does not grow, nothing is lost.
 */
static void test_memory_of_places(void **state)
{
    size_t after = 0;
    uint64_t sum = 0;

    (void)state;
    for (int k = 0; k < 1000; k++) {
        for (int i = 0; i < 200; i++)
            pass(MPI_COMM_WORLD, i, 0, 1);
        if (k == 10)
            after = held;
    }
    assert_true(held <= after);
    for (uint32_t k = 0; k < PROFILE_PHASES; k++)
        sum += bytes_in(3, k);
    assert_int_equal(sum, 200000);
}

/* Each in a place of its own, by the size: names come to an end. */
static void test_endless_places(void **state)
{
    size_t before;

    (void)state;
    for (uintptr_t i = 0; i < 10000; i++)
        profile_border(MPI_COMM_WORLD, (const void *)(i + 1), 0, MPI_BYTE);
    before = held;
    for (uintptr_t i = 10000; i < 100000; i++)
        profile_border(MPI_COMM_WORLD, (const void *)(i + 1), 0, MPI_BYTE);
    assert_int_equal(held, before);
    profile_add(MPI_COMM_WORLD, 3, 5, 1);
    assert_int_equal(bytes_to(3), 5);
    assert_int_not_equal(passed, 0);
}

static void *pass_once(void *unused)
{
    (void)unused;
    pass(MPI_COMM_WORLD, 1, 0, 30);
    return NULL;
}

/* Which of two threads comes first, nobody knows: there are no phases. */
static void test_borders_of_threads(void **state)
{
    pthread_t thread;

    (void)state;
    end_all();
    assert_int_equal(profile_begin(1), 0);
    pass(MPI_COMM_WORLD, 0, 0, 5);
    assert_int_equal(pthread_create(&thread, NULL, pass_once, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(bytes_to(3), 35);
    assert_int_equal(passed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ranks, begin, end),
        cmocka_unit_test_setup_teardown(test_handle_used_again, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_is_of_partners, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_of_passing_communicators, begin, end),
        cmocka_unit_test_setup_teardown(test_persistent, begin, end),
        cmocka_unit_test_setup_teardown(test_end_beside_a_thread, begin, end),
        cmocka_unit_test_setup_teardown(test_phases, begin, end),
        cmocka_unit_test_setup_teardown(test_small_phases, begin, end),
        cmocka_unit_test_setup_teardown(test_phase_of_persistent, begin, end),
        cmocka_unit_test_setup_teardown(test_order, begin, end),
        cmocka_unit_test_setup_teardown(test_many_places, begin, end),
        cmocka_unit_test_setup_teardown(test_no_room, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_of_places, begin, end),
        cmocka_unit_test_setup_teardown(test_endless_places, begin, end),
        cmocka_unit_test_setup_teardown(test_borders_of_threads, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
