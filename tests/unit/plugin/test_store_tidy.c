/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store lets go of: under clocks that jump, and of ten times as much as may stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "tests/unit/plugin/fake_clock.h"
#include "tests/unit/plugin/stores.h"
#include "util/clock.h"

static void pass_runs(const store *store, const char *run, int64_t seconds)
{
    const struct timespec when = {.tv_sec = topomap_clock_date() - seconds},
                          times[2] = {when, when};
    char path[STORE_PATH + 16];

    snprintf(path, sizeof path, "%s/entry", run);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    snprintf(path, sizeof path, "%s/run", store->root);
    fake_clock_pass(path, seconds, "");
}

/* A run that does not come about. */
static void drop(char *run)
{
    char path[STORE_PATH + 16];

    snprintf(path, sizeof path, "%s/entry", run);
    assert_int_equal(unlink(path) | rmdir(run), 0);
    free(run);
}

/* Whatever the clock says, a step that runs loses no folder, and a profile that is used stays; what
 * is really old goes. */
static void test_clocks_that_jump(void **state)
{
    static const int jumps[] = {30, 60, -30, -60, 60, -60};
    enum { DAY = 86400 };
    store store = fresh();
    store_entry entry = named("x", 8), other = named("y", 8);
    topomap_error err;
    char *live;

    (void)state;
    assert_int_equal(run(&store, &other, 200), 1);
    live = begin(&store, &entry);
    for (size_t i = 0; i < 60; i++) {
        char *its;

        fake_clock_set((int64_t)jumps[i / 10] * DAY);
        its = begin(&store, &entry);
        assert_int_equal(store_fold_some(&store, 100, &err), 0);
        assert_int_equal(access(its, F_OK), 0);
        drop(its);
        assert_int_equal(run(&store, &other, 200), 1);
    }
    fake_clock_set(0);
    store_fold_some(&store, 100, &err);
    assert_int_equal(access(live, F_OK), 0);
    assert_int_equal(store_entry_read(&store, &other), 1);
    assert_int_equal(other.profiles, 61);
    write_profile(live, 200, 200);
    assert_int_equal(store_run_end(&store, live, &entry, &err), 1);
    free(live);
    live = begin(&store, &entry);
    store_fold_some(&store, 100, &err);
    pass_runs(&store, live, 59 * DAY);
    store_fold_some(&store, 100, &err);
    assert_int_equal(access(live, F_OK), 0);
    pass_runs(&store, live, 61 * DAY);
    store_fold_some(&store, 100, &err);
    assert_int_equal(access(live, F_OK), -1);
    free(live);
}

/* What a launch uses while its computer's clock is behind was used now, not then. */
static void test_used_under_a_wrong_clock(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8);
    topomap_error err;

    (void)state;
    assert_int_equal(run(&store, &entry, 200), 1);
    fake_clock_set(-60 * 86400);
    fake_clock_stamped();
    assert_int_equal(store_entry_write(&store, &entry, &err), 0);
    assert_true(fake_clock_stamped());
    fake_clock_set(0);
    assert_int_equal(store_entry_read(&store, &entry), 1);
    assert_true(entry.used > topomap_clock_date() - 86400);
}

/* What a launch remembers of a program, on a computer and a file system whose clocks have jumped.
 */
static void remember_at(const store *store, uint64_t key, int64_t seconds)
{
    const struct timespec when = {.tv_sec = topomap_clock_date() + seconds},
                          times[2] = {when, when};
    char path[STORE_PATH + 40];

    fake_clock_set(seconds);
    fake_clock_stamped();
    assert_int_equal(store_program_cache_write(store, key, "contents 1\n"), 0);
    snprintf(path, sizeof path, "%s/programs/%016llx", store->root, (unsigned long long)key);
    if (seconds > 0 || !fake_clock_stamped())
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    fake_clock_set(0);
}

/* As many as are remembered, and many more, written yesterday or before: whatever the clock said
 * when an answer was written, it stays while older ones go. */
static void test_programs_under_clocks_that_jump(void **state)
{
    static const int jumps[] = {30, 60, -30, -60, 60, -60};
    enum { DAY = 86400, OLD = 1000, NEW = 100000 };
    store store = fresh();
    char text[STORE_PROGRAM_CACHE];
    uint64_t key = OLD;

    (void)state;
    /* Over more than an hour: what goes is chosen by age, and that counts in quarters of an hour.
     */
    for (int i = 0; i < STORE_PROGRAMS_CACHED; i++)
        remember_at(&store, key++, -DAY - 10 * i);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        remember_at(&store, NEW + i, (int64_t)jumps[i] * DAY);
        for (int k = 0; k < 40; k++)
            remember_at(&store, key++, 0);
        for (size_t k = 0; k <= i; k++)
            assert_int_equal(store_program_cache_read(&store, NEW + k, text), 1);
    }
}

/* ---- Much of it -------------------------------------------------------------------------- */

/* An entry that earlier launches have left. */
static void leave(const store *store, unsigned i, int64_t age)
{
    const struct timespec when = {.tv_sec = topomap_clock_date() - age}, times[2] = {when, when};
    char path[STORE_PATH + 32];
    FILE *out;

    snprintf(path, sizeof path, "%s/profiles/%016x.tmg", store->root, i);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%1000s", "");
    fclose(out);
    snprintf(path, sizeof path, "%s/profiles/%016x.meta", store->root, i);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs("ranks 8\n", out);
    fclose(out);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* How often this process has read so far. */
static unsigned long long read_calls(void)
{
    unsigned long long bytes, calls = 0;
    FILE *in = fopen("/proc/self/io", "r");

    assert_non_null(in);
    assert_int_equal(fscanf(in, "rchar: %llu wchar: %llu syscr: %llu", &bytes, &bytes, &calls), 3);
    fclose(in);
    return calls;
}

/* Ten times as many as may stay: those used last stay in the end. */
static void test_many(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8), *list;
    store_kin kin;
    unsigned long long reads;
    topomap_error err;
    size_t count;

    (void)state;
    assert_int_equal(run(&store, &entry, 200), 1);
    /* All are older than the entry, whichever second that is of. */
    for (unsigned i = 0; i < 10000; i++)
        leave(&store, i, (int64_t)(i + 1) * 60);
    reads = read_calls();
    store_kin_find(&store, &entry, &kin);
    assert_false(kin.has_size || kin.has_alike);
    assert_true(read_calls() - reads < 600);
    for (unsigned i = 0; i < 170; i++)
        assert_int_equal(run(&store, &entry, 200), 1);
    assert_int_equal(store_list(&store, &list, &count, &err), 0);
    assert_true(count <= STORE_ENTRIES && count > 700);
    assert_string_equal(list[0].key, entry.key);
    assert_string_equal(list[1].key, "0000000000000000");
    assert_string_equal(list[600].key, "0000000000000257");
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks_that_jump),
        cmocka_unit_test(test_used_under_a_wrong_clock),
        cmocka_unit_test(test_programs_under_clocks_that_jump),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, stores_setup, stores_teardown);
}
