/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts that the nodes of a run have left, and who makes a profile of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/formats/parts.h"
#include "plugin/store/run.h"
#include "plugin/store/store.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

static store fresh(void)
{
    static int number;
    topomap_error err;
    char name[20];
    store made;

    snprintf(name, sizeof name, "store%d", number++);
    assert_int_equal(mkdir(scratch_path(name), 0700), 0);
    setenv("XDG_CACHE_HOME", scratch_path(name), 1);
    assert_int_equal(store_open(NULL, &made, &err), 0);
    return made;
}

static store_entry named(const char *word, uint32_t ranks)
{
    char *words[] = {(char *)word, NULL};
    store_entry entry;

    store_entry_name(&entry, "/opt/solver", 17, words, NULL, ranks);
    return entry;
}

static char *begin(const store *store, const store_entry *entry)
{
    topomap_error err;
    char *made;

    assert_int_equal(store_run_begin(store, 5, 0, entry, NULL, &made, &err), 0);
    return made;
}

/* Of one rank, which has sent 100 bytes to the next one. */
static void leave(const char *folder, uint32_t rank, uint32_t ranks)
{
    topomap_part_row row = {.partner = (rank + 1) % ranks, .bytes_out = 100, .messages_out = 1};
    struct topomap_part_header header = {.ranks = ranks, .run = 5, .count = 1, .program = "solver"};
    struct topomap_part_rank table = {.rank = rank,
                                      .flags = TOPOMAP_PART_WHOLE,
                                      .rows = 1,
                                      .checksum = topomap_part_checksum(&row, 1)};
    char path[STORE_PATH];
    FILE *out;

    topomap_part_seal(&header, &table);
    snprintf(path, sizeof path, "%s/" TOPOMAP_PART_NAME "%u", folder, rank);
    out = fopen(path, "w");
    assert_non_null(out);
    fwrite(&header, sizeof header, 1, out);
    fwrite(&table, sizeof table, 1, out);
    fwrite(&row, sizeof row, 1, out);
    assert_int_equal(fclose(out), 0);
}

static void leave_all(const char *folder, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        leave(folder, rank, ranks);
}

static int join(const char *folder, int soon, topomap_error *why)
{
    int run = open(folder, O_RDONLY | O_DIRECTORY), status;

    status = store_join(run, soon, why);
    close(run);
    return status;
}

static void is_stored(const store *store, const store_entry *entry)
{
    store_entry read = *entry;
    char path[STORE_PATH];
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(store_entry_read(store, &read), 1);
    assert_true(read.has_graph);
    assert_int_equal(read.profiles, 1);
    store_graph_path(store, read.key, 0, path);
    assert_int_equal(topomap_graph_read(path, "tmg", &graph, &err), 0);
    assert_int_equal(topomap_graph_ranks(graph), entry->ranks);
    topomap_graph_free(graph);
}

static void test_at_the_end_of_a_step(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 4);
    char *made = begin(&store, &entry);
    topomap_error err;

    (void)state;
    leave_all(made, 4);
    assert_int_equal(store_run_end(&store, made, &entry, &err), 1);
    assert_int_equal(access(made, F_OK), -1);
    is_stored(&store, &entry);
    free(made);
}

/* Its srun was killed. One that lacks a rank may still be going on. */
static void test_by_another_launch(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 4), half = named("y", 4);
    char *whole = begin(&store, &entry), *going = begin(&store, &half);
    topomap_error err;

    (void)state;
    leave_all(whole, 4);
    leave(going, 0, 4);
    leave(going, 2, 4);
    assert_int_equal(store_fold_some(&store, 10, &err), 1);
    is_stored(&store, &entry);
    assert_int_equal(access(whole, F_OK), -1);
    assert_int_equal(access(going, F_OK), 0);
    assert_int_equal(store_run_end(&store, going, &half, &err), 0);
    assert_message(err.text, "profile|rank 1|4");
    assert_int_equal(half.tries, 1);
    assert_false(half.has_graph);
    free(whole);
    free(going);
}

/* A launch does not wait until very many are read: the end of another step does it. */
static void test_many_parts(void **state)
{
    enum { MANY = 300 };
    store store = fresh();
    store_entry entry = named("x", MANY), other = named("y", 4);
    char *many = begin(&store, &entry), *own = begin(&store, &other);
    topomap_error err;

    (void)state;
    leave_all(many, MANY);
    assert_int_equal(store_fold_some(&store, 10, &err), 0);
    assert_int_equal(join(many, 1, &err), -1);
    assert_message(err.text, "parts");
    leave_all(own, 4);
    assert_int_equal(store_run_end(&store, own, &other, &err), 1);
    is_stored(&store, &entry);
    is_stored(&store, &other);
    free(many);
    free(own);
}

static void test_large_parts(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 2);
    char *made = begin(&store, &entry), path[STORE_PATH];
    topomap_error err;

    (void)state;
    leave_all(made, 2);
    snprintf(path, sizeof path, "%s/part.7", made);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(truncate(path, 100 << 20), 0);
    assert_int_equal(join(made, 1, &err), -1);
    assert_message(err.text, "parts");
    free(made);
}

/* Whoever finds the profile finds it whole, however many make it at once. */
static void test_at_once(void **state)
{
    enum { JOBS = 4, RUNS = 20, RANKS = 16 };
    store store = fresh();
    char *run[RUNS], word[16];
    topomap_error err;
    store_entry entry;
    pid_t job[JOBS];
    int folded = 0;

    (void)state;
    for (int i = 0; i < RUNS; i++) {
        snprintf(word, sizeof word, "%d", i);
        entry = named(word, RANKS);
        run[i] = begin(&store, &entry);
        leave_all(run[i], RANKS);
    }
    for (int j = 0; j < JOBS; j++) {
        job[j] = fork();
        if (!job[j])
            _exit(store_fold_some(&store, 2 * RUNS, &err));
    }
    for (int j = 0; j < JOBS; j++) {
        int status;

        waitpid(job[j], &status, 0);
        assert_true(WIFEXITED(status));
        folded += WEXITSTATUS(status);
    }
    assert_int_equal(folded, RUNS);
    for (int i = 0; i < RUNS; i++) {
        snprintf(word, sizeof word, "%d", i);
        entry = named(word, RANKS);
        is_stored(&store, &entry);
        free(run[i]);
    }
}

static void killed_after(const store *store, const char *folder, unsigned microseconds)
{
    store_entry entry;
    topomap_error err;
    pid_t job = fork();

    if (!job) {
        store_run_end(store, folder, &entry, &err);
        _exit(0);
    }
    usleep(microseconds);
    kill(job, SIGKILL);
    waitpid(job, NULL, 0);
}

/* A batch job's end kills what its last srun has left behind, wherever that is. */
static void test_killed_over_it(void **state)
{
    enum { RUNS = 300, RANKS = 16, STEP = 4 };
    store store = fresh();
    char word[16], path[STORE_PATH];
    topomap_error err;

    (void)state;
    for (unsigned i = 0; i < RUNS; i++) {
        store_entry entry, read;
        char *made;

        snprintf(word, sizeof word, "%u", i);
        read = entry = named(word, RANKS);
        made = begin(&store, &entry);
        leave_all(made, RANKS);
        killed_after(&store, made, i * STEP);
        store_fold_some(&store, 2 * RUNS, &err); /* what the killed have left beside, too */
        assert_int_equal(access(made, F_OK), -1);
        assert_int_equal(store_entry_read(&store, &read), 1);
        assert_true(read.has_graph);
        assert_int_equal(read.tries, 0);
        assert_true(read.profiles == 1 || read.profiles == 2);
        store_graph_path(&store, read.key, 0, path);
        assert_int_equal(access(path, R_OK), 0);
        free(made);
    }
}

/* Of who was killed at each point of it, and of who is still at it. */
static void test_claims(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 4), other = named("y", 4);
    char *dead = begin(&store, &entry), *alive = begin(&store, &other);
    int run = open(alive, O_RDONLY | O_DIRECTORY), mine;
    char path[STORE_PATH];
    topomap_error err;

    (void)state;
    leave_all(alive, 4);
    mine = store_claim(run);
    assert_true(mine >= 0);
    assert_int_equal(store_claim(run), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(store_fold_some(&store, 10, &err), 0);
    leave_all(dead, 4);
    {
        int killed = open(dead, O_RDONLY | O_DIRECTORY);

        close(store_claim(killed));
        close(killed);
    }
    assert_int_equal(store_fold_some(&store, 10, &err), 1);
    is_stored(&store, &entry);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(alive, F_OK), 0);

    /* All is stored, and a part of the folder is removed. */
    snprintf(path, sizeof path, "%s/run/over.5.0-abcdef", store.root);
    assert_int_equal(rename(alive, path), 0);
    close(mine);
    assert_int_equal(store_fold_some(&store, 10, &err), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(store_entry_read(&store, &other), 0);
    close(run);
    free(dead);
    free(alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_the_end_of_a_step),
        cmocka_unit_test(test_by_another_launch),
        cmocka_unit_test(test_many_parts),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_killed_over_it),
        cmocka_unit_test(test_claims),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
