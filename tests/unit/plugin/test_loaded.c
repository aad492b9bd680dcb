/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that name no MPI: what their runs have loaded, and what is known of it at the next
 * launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/formats/parts.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/stores.h"

enum { RANKS = 2, NONE = 0 };

static store_entry script(void)
{
    char *words[] = {(char *)"run.py", NULL};
    store_entry entry;

    store_entry_name(&entry, "/usr/bin/python3", 17, words, NULL, RANKS);
    return entry;
}

static uint64_t key_of(const store_entry *entry)
{
    return store_loaded_key(entry->family, "/usr/bin/python3");
}

/* A node's part: of no rank, or of all. */
static void leave(const char *run, uint32_t mpi, uint32_t status, uint32_t count)
{
    topomap_part_row row[RANKS];
    struct topomap_part_rank table[RANKS];
    struct topomap_part_header header = {
        .ranks = RANKS, .run = 5, .count = count, .mpi = mpi, .status = status};
    char path[STORE_PATH];
    FILE *out;

    for (uint32_t i = 0; i < RANKS; i++) {
        row[i] = (topomap_part_row){.partner = RANKS - 1 - i, .bytes_out = 100, .messages_out = 1};
        table[i] = (struct topomap_part_rank){.rank = i,
                                              .flags = TOPOMAP_PART_WHOLE,
                                              .rows = 1,
                                              .checksum = topomap_part_checksum(&row[i], 1)};
    }
    topomap_part_seal(&header, table);
    snprintf(path, sizeof path, "%s/" TOPOMAP_PART_NAME "0", run);
    out = fopen(path, "w");
    assert_non_null(out);
    fwrite(&header, sizeof header, 1, out);
    fwrite(table, sizeof *table, count, out);
    fwrite(row, sizeof *row, count, out);
    assert_int_equal(fclose(out), 0);
}

enum { NO_PART = -1 };

/* A run that has the profiler of \p mpi. \p found < 0: no node has left anything */
static enum store_left run_with(const store *store, enum store_mpi mpi, int found, uint32_t status,
                                uint32_t count, topomap_error *why)
{
    store_entry entry = script();
    store_plan plan = {.purpose = STORE_PROFILES, .mpi = mpi, .loaded = key_of(&entry)};
    enum store_left left;
    char *run;

    assert_int_equal(store_run_begin(store, 5, 0, &entry, &plan, &run, why), 0);
    if (found >= 0)
        leave(run, (uint32_t)found, status, count);
    left = store_run_fold(store, run, &entry, why);
    free(run);
    return left;
}

static enum store_loaded known(const store *store, enum store_mpi *mpi)
{
    store_entry entry = script();

    return store_loaded_read(store, key_of(&entry), mpi);
}

static int read_entry(const store *store, store_entry *entry)
{
    *entry = script();
    return store_entry_read(store, entry);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(store_loaded_number(40), STORE_MPI_OPENMPI);
    assert_int_equal(store_loaded_number(12), STORE_MPI_MPICH);
    assert_int_equal(store_loaded_number(1), STORE_MPI_ABI);
    assert_int_equal(store_loaded_number(2), STORE_MPI_NCCL);
    assert_int_equal(store_loaded_number(0), STORE_MPI_NONE);
    assert_int_equal(store_loaded_number(20), STORE_MPI_NONE);
}

/* The guess was wrong: no try is lost, and the next launch knows; it was right: a profile. */
static void test_guesses(void **state)
{
    enum store_mpi mpi = STORE_MPI_NONE;
    store found = fresh();
    store_entry entry;
    topomap_error why;

    (void)state;
    assert_int_equal(known(&found, &mpi), STORE_LOADED_UNKNOWN);
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 12, 0, NONE, &why), STORE_LEFT_NOTHING);
    assert_message(why.text, "MPI|mpich");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(mpi, STORE_MPI_MPICH);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.mpi, STORE_MPI_MPICH);
    assert_int_equal(entry.tries, 0);
    assert_string_equal(entry.last, why.text);
    assert_int_equal(run_with(&found, STORE_MPI_MPICH, 12, 0, RANKS, &why), STORE_LEFT_PROFILE);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_true(entry.has_graph);
    assert_string_equal(entry.last, "");
    /* Another environment: what it loads now is what counts. */
    assert_int_equal(run_with(&found, STORE_MPI_MPICH, 40, 0, NONE, &why), STORE_LEFT_NOTHING);
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(mpi, STORE_MPI_OPENMPI);
    /* It has been known to load one: a run without one is a run that left nothing. */
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, NO_PART, 0, NONE, &why),
                     STORE_LEFT_NOTHING);
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.tries, 1);
}

/* One without any MPI is left alone from then on, and the store has no entry of it. */
static void test_none(void **state)
{
    enum store_mpi mpi = STORE_MPI_MPICH;
    store found = fresh();
    store_entry entry;
    topomap_error why;

    (void)state;
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, NO_PART, 0, NONE, &why),
                     STORE_LEFT_NOTHING);
    assert_message(why.text, "MPI");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_NOTHING);
    assert_int_equal(read_entry(&found, &entry), 0);
    found = fresh();
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 20, 0, NONE, &why), STORE_LEFT_NOTHING);
    assert_message(why.text, "MPI");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_NOTHING);
    /* It was asked to try again. */
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 40, 0, RANKS, &why), STORE_LEFT_PROFILE);
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(mpi, STORE_MPI_OPENMPI);
}

/* What `topomap run` leaves in a run of which no rank has left anything. */
static void test_nobody_looked(void **state)
{
    enum store_mpi mpi = STORE_MPI_NONE;
    store found = fresh();
    store_entry entry;
    topomap_error why;

    (void)state;
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 0, 0, NONE, &why), STORE_LEFT_NOTHING);
    assert_message(why.text, "profile");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_UNKNOWN);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.tries, 1);
}

/* One that failed may have ended before it loaded one. */
static void test_failed(void **state)
{
    enum store_mpi mpi = STORE_MPI_NONE;
    store found = fresh();
    store_entry entry;
    topomap_error why;

    (void)state;
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 0, 3 << 8, NONE, &why),
                     STORE_LEFT_NOTHING);
    assert_message(why.text, "status 3");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_UNKNOWN);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.tries, 1);
    assert_int_equal(run_with(&found, STORE_MPI_OPENMPI, 12, 3 << 8, NONE, &why),
                     STORE_LEFT_NOTHING);
    assert_message(why.text, "status 3");
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(mpi, STORE_MPI_MPICH);
}

/* A program that names its MPI, and parts of nodes whose profiler does not tell. */
static void test_others(void **state)
{
    enum store_mpi mpi = STORE_MPI_NONE;
    store found = fresh();
    store_entry entry;
    topomap_error why;

    (void)state;
    assert_int_equal(run_with(&found, STORE_MPI_NONE, 12, 0, RANKS, &why), STORE_LEFT_PROFILE);
    assert_int_equal(known(&found, &mpi), STORE_LOADED_UNKNOWN);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.mpi, STORE_MPI_NONE);
    assert_int_equal(run_with(&found, STORE_MPI_MPICH, 0, 0, RANKS, &why), STORE_LEFT_PROFILE);
    assert_int_equal(known(&found, &mpi), STORE_LOADED_MPI);
    assert_int_equal(mpi, STORE_MPI_MPICH);
}

static void test_told(void **state)
{
    store found = fresh();

    (void)state;
    assert_int_equal(store_loaded_told(&found, 17), 0);
    assert_int_equal(store_loaded_told(&found, 17), 1);
    assert_int_equal(store_loaded_told(&found, 18), 0);
}

/* A run in Slurm's layout for comparison, while another launch stops the program's placement. */
static void test_comparison_restarts_nothing(void **state)
{
    store found = fresh();
    store_entry entry;
    store_plan plan = {.purpose = STORE_COMPARES, .mpi = STORE_MPI_MPICH};
    topomap_error why;
    char *run;

    (void)state;
    assert_int_equal(run_with(&found, STORE_MPI_MPICH, 12, 0, RANKS, &why), STORE_LEFT_PROFILE);
    assert_int_equal(read_entry(&found, &entry), 1);
    memcpy(plan.against, entry.key, sizeof plan.against);
    plan.loaded = key_of(&entry);
    assert_int_equal(store_run_begin(&found, 6, 0, &entry, &plan, &run, &why), 0);
    leave(run, 12, 0, RANKS);
    entry.stopped = STORE_SLOWER;
    assert_int_equal(store_entry_write(&found, &entry, &why), 0);
    assert_int_equal(store_run_fold(&found, run, &entry, &why), STORE_LEFT_PROFILE);
    assert_int_equal(read_entry(&found, &entry), 1);
    assert_int_equal(entry.stopped, STORE_SLOWER);
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_none),    cmocka_unit_test(test_nobody_looked),
        cmocka_unit_test(test_failed),  cmocka_unit_test(test_others),
        cmocka_unit_test(test_told),    cmocka_unit_test(test_comparison_restarts_nothing),
    };

    return cmocka_run_group_tests(tests, stores_setup, stores_teardown);
}
