/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of profiles: names, runs, what stays and what goes, and what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plugin/store/store.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/stores.h"

static void test_names(void **state)
{
    char *words[] = {"a b", NULL}, *split[] = {"a", "b", NULL};
    store_entry one, two;

    (void)state;
    store_entry_name(&one, "/x/solver", 1, words, NULL, 16);
    store_entry_name(&two, "/y/solver", 1, words, NULL, 16);
    assert_string_equal(one.key, two.key); /* the same build, somewhere else */
    assert_string_equal(one.program, "solver");
    store_entry_name(&two, "/x/solver", 1, split, NULL, 16);
    assert_string_not_equal(one.key, two.key);
    assert_string_equal(two.words, "a b");
    store_entry_name(&two, "/x/solver", 2, words, NULL, 16);
    assert_string_not_equal(one.key, two.key);
    store_entry_name(&two, "/x/solver", 1, words, NULL, 17);
    assert_string_not_equal(one.key, two.key);
    assert_true(one.family == two.family);
    store_entry_name(&one, "/x/solver", 1, words, "case", 16);
    store_entry_name(&two, "/x/solver", 1, split, "case", 16);
    assert_string_equal(one.key, two.key);
    assert_string_equal(one.words, "key case");
    store_entry_name(&one, "/x/sol\nver", 1, words, "a\nb", 16);
    assert_string_equal(one.program, "sol?ver");
    assert_string_equal(one.words, "key a?b");
}

/* Keys that users' stores have (tests/data/compat/0.1.0): another rule would lose every profile. */
static void test_names_are_for_ever(void **state)
{
    char first[] = "4x4", second[] = "--iterations", third[] = "5";
    char *words[] = {first, second, third, NULL};
    store_entry entry;

    (void)state;
    store_entry_name(&entry, "/x/halo.mpich", 0x39c4d9659ef6e5c8, words, NULL, 16);
    assert_string_equal(entry.key, "465d44cee236ac16");
    store_entry_name(&entry, "halo.openmpi", 0xbd974f76e5896100, words, NULL, 16);
    assert_string_equal(entry.key, "d7dba70153a08254");
}

static void test_a_run_is_kept(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8), read = entry;
    char path[STORE_PATH];

    (void)state;
    assert_int_equal(store_entry_read(&store, &read), 0);
    assert_int_equal(run(&store, &entry, 200), 1);
    assert_int_equal(store_entry_read(&store, &read), 1);
    assert_true(read.has_graph && !read.has_before && read.made > 0);
    assert_int_equal(read.profiles, 1);
    assert_int_equal(read.ranks, 8);
    assert_string_equal(read.program, "solver");
    assert_int_equal(run(&store, &entry, 300), 1);
    store_entry_read(&store, &read);
    assert_true(read.has_graph && read.has_before);
    assert_int_equal(read.profiles, 2);
    snprintf(path, sizeof path, "%s/run", store.root);
    assert_int_equal(count_names(path), 0);
    store_graph_path(&store, read.key, 0, path);
    assert_true(read.bytes > 500);
    assert_int_equal(store_remove(&store, read.key), 1);
    assert_int_equal(store_remove(&store, read.key), 0);
    assert_int_equal(access(path, F_OK), -1);
}

/* Its srun was killed: the folder alone says whose profile it is. */
static void test_a_run_is_folded_by_another_launch(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8), read = entry, folded;
    char *whole = begin(&store, &entry), *empty = begin(&store, &entry),
         *cut = begin(&store, &entry), *own = begin(&store, &entry);
    topomap_error err;

    (void)state;
    write_profile(whole, 200, 200);
    write_profile(cut, 100, 200);
    assert_int_equal(store_fold_some(&store, 0, &err), 0);
    assert_int_equal(store_fold_some(&store, 100, &err), 1);
    assert_int_equal(store_entry_read(&store, &read), 1);
    assert_true(read.has_graph);
    assert_int_equal(read.profiles, 1);
    assert_int_equal(read.tries, 0);
    assert_string_equal(read.program, "solver");
    assert_string_equal(read.words, "x");
    assert_true(read.id == 17 && read.family == entry.family && read.ranks == 8);
    /* Those that may still be going on stay; the one that is gone is nobody's try. */
    assert_int_equal(access(whole, F_OK), -1);
    assert_int_equal(access(empty, F_OK) | access(cut, F_OK) | access(own, F_OK), 0);
    assert_int_equal(store_run_fold(&store, whole, &folded, &err), 0);
    assert_string_equal(folded.key, "");
    assert_int_equal(store_run_end(&store, whole, &entry, &err), 1);
    write_profile(own, 300, 300);
    assert_int_equal(store_run_fold(&store, own, &folded, &err), 1);
    assert_string_equal(folded.key, entry.key);
    assert_int_equal(folded.profiles, 2);
    assert_int_equal(store_run_fold(&store, empty, &folded, &err), 0);
    assert_message(err.text, "profile");
    assert_int_equal(folded.tries, 1);
    assert_int_equal(store_run_fold(&store, cut, &folded, &err), 0);
    assert_int_equal(folded.tries, 2);
    free(whole);
    free(empty);
    free(cut);
    free(own);
}

/* Many launches come upon the same runs: each is taken in once, by one of them. */
static void test_folded_once(void **state)
{
    enum { JOBS = 4, RUNS = 40 };
    store store = fresh();
    store_entry entry = named("x", 8);
    topomap_error err;
    pid_t job[JOBS];
    int folded = 0;

    (void)state;
    for (int i = 0; i < RUNS; i++) {
        char *made, word[16];

        snprintf(word, sizeof word, "%d", i);
        entry = named(word, 8);
        made = begin(&store, &entry);
        write_profile(made, 200, 200);
        free(made);
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
        char word[16];

        snprintf(word, sizeof word, "%d", i);
        entry = named(word, 8);
        assert_int_equal(store_entry_read(&store, &entry), 1);
        assert_int_equal(entry.profiles, 1);
    }
}

static void test_runs_that_leave_nothing_good(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8);
    topomap_error err;
    char *made;

    (void)state;
    assert_int_equal(run(&store, &entry, 0), 0);
    assert_int_equal(entry.tries, 1);
    assert_int_equal(store_run_begin(&store, 5, 0, &entry, NULL, &made, &err), 0);
    write_profile(made, 100, 200); /* cut */
    assert_int_equal(store_run_end(&store, made, &entry, &err), 0);
    free(made);
    assert_message(err.text, "whole");
    assert_int_equal(entry.tries, 2);
    assert_false(entry.has_graph);
    store.most = 1000;
    assert_int_equal(run(&store, &entry, 2000), 0);
    store.most = STORE_BYTES;
    assert_int_equal(store_run_begin(&store, 5, 0, &entry, NULL, &made, &err), 0);
    profile_version = 2; /* of nodes whose profiler is later */
    write_profile(made, 200, 200);
    profile_version = 1;
    assert_int_equal(store_run_end(&store, made, &entry, &err), 0);
    free(made);
    assert_message(err.text, "format 2|1");
    assert_int_equal(entry.tries, 4);
    assert_false(entry.has_graph);
    assert_int_equal(run(&store, &entry, 200), 1);
    assert_int_equal(entry.tries, 0);
}

/* Those that were not used for longest go; what was just made stays. */
static void test_bounded(void **state)
{
    store store = fresh();
    store_entry *list, entry;
    topomap_error err;
    char word[16];
    size_t count;

    (void)state;
    store.most = 10000;
    for (int i = 0; i < 6; i++) {
        char path[STORE_PATH + 32];
        struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};

        snprintf(word, sizeof word, "%u", (unsigned)i % 10);
        entry = named(word, 8);
        assert_int_equal(run(&store, &entry, 3000), 1);
        snprintf(path, sizeof path, "%s/profiles/%s.meta", store.root, entry.key);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    assert_int_equal(store_list(&store, &list, &count, &err), 0);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        snprintf(word, sizeof word, "%d", 5 - i);
        assert_string_equal(list[i].words, word);
    }
    free(list);
}

static store_kin kin_of(const store *store, const store_entry *wanted)
{
    store_kin kin;

    store_kin_find(store, wanted, &kin);
    return kin;
}

static void test_other_sizes(void **state)
{
    static const uint32_t sizes[] = {16, 64, 256, 512};
    store store = fresh();
    store_entry wanted = named("x", 128);

    (void)state;
    assert_int_equal(kin_of(&store, &wanted).has_size, 0);
    for (size_t i = 0; i < 4; i++) {
        store_entry entry = named("x", sizes[i]), other = named("y", 128);

        run(&store, &entry, 100);
        run(&store, &other, 100);
    }
    assert_int_equal(kin_of(&store, &wanted).has_size, 1);
    assert_int_equal(kin_of(&store, &wanted).size.ranks, 64);
    wanted = named("x", 8);
    assert_int_equal(kin_of(&store, &wanted).size.ranks, 16);
    wanted = named("z", 128);
    assert_int_equal(kin_of(&store, &wanted).has_size, 0);
    /* Those of another folder alone are no case of this one's. */
    wanted = named("x", 128);
    store_entry_case(&wanted, "/work", NULL);
    assert_int_equal(kin_of(&store, &wanted).has_size, 0);
}

static void put(const char *root, const char *name, const char *text)
{
    char path[STORE_PATH];
    FILE *out;

    snprintf(path, sizeof path, "%s/profiles/%s", root, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Texts that are none, graphs without one, strangers: nothing worse than an entry without names. */
static void test_damaged(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8), *list;
    topomap_error err;
    size_t count;

    (void)state;
    run(&store, &entry, 100);
    put(store.root, "0123456789abcdef.tmg", "?");
    put(store.root, "1123456789abcdef.meta", "ranks\n\n\x01\x02 \nranks 99999999999999999999\nx");
    put(store.root, "README", "not ours");
    put(store.root, "0123456789abcdeg.meta", "ranks 3\n");
    assert_int_equal(store_list(&store, &list, &count, &err), 0);
    assert_int_equal(count, 3);
    free(list);
    put(store.root, "1123456789abcdef.tmg", "?");
    put(store.root, strcat(strcpy((char[32]){0}, entry.key), ".meta"), "\xff\xfe garbage");
    assert_int_equal(store_entry_read(&store, &entry), 1);
    assert_true(entry.has_graph);
    assert_int_equal(entry.launches, 0);
    assert_int_equal(run(&store, &entry, 100), 1);
    assert_int_equal(entry.profiles, 1);
}

/* ---- Where nothing can be written -------------------------------------------------------- */

/* No file may grow: whoever has seen to SIGXFSZ gets an answer, and nothing is left beside. */
static void test_no_file_may_grow(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 8);
    char command[256];
    pid_t child;
    int status;

    (void)state;
    assert_int_equal(run(&store, &entry, 200), 1);
    child = fork();
    if (!child) {
        const struct rlimit none = {0, 0};
        topomap_error err = {0};
        char *made;

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        if (store_run_begin(&store, 5, 0, &entry, NULL, &made, &err) != -1 ||
            !message_has(err.text, "File too large"))
            _exit(1);
        if (store_entry_write(&store, &entry, &err) != -1 ||
            !message_has(err.text, "File too large"))
            _exit(2);
        store_fold_some(&store, 100, &err);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    snprintf(
        command, sizeof command,
        "cd %s/topomap && test $(find . -type f ! -name .tidy | wc -l) = 2 -a -z \"$(ls run)\"",
        folder);
    assert_int_equal(system(command), 0);
}

/* ---- Where it is ------------------------------------------------------------------------- */

/* The site's folder does not serve: the user's own place does, with the reason, and takes profiles;
 * and nothing came into `elsewhere`. */
static void is_own_place(const char *site, const char *why, const char *elsewhere)
{
    store_entry entry = named("x", 8);
    topomap_error err;
    char own[160];
    store store;

    snprintf(own, sizeof own, "%s/topomap", folder);
    assert_int_equal(store_open(site, &store, &err), 0);
    assert_string_equal(store.root, own);
    assert_false(store.is_site);
    assert_message(store.note, why);
    assert_int_equal(run(&store, &entry, 200), 1);
    assert_int_equal(store_remove(&store, entry.key), 1);
    if (elsewhere)
        assert_int_equal(rmdir(elsewhere) | mkdir(elsewhere, 0755), 0);
}

static void test_roots(void **state)
{
    char site[128], own[160], elsewhere[128];
    topomap_error err;
    store store;

    (void)state;
    fresh();
    snprintf(site, sizeof site, "%s/site", folder);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    snprintf(own, sizeof own, "%s/%u", site, (unsigned)geteuid());
    assert_int_equal(store_open("relative", &store, &err), -1);
    is_own_place(site, "No such file", NULL);
    is_own_place("/proc/self", "No such file", NULL); /* where nobody makes anything */
    assert_int_equal(mkdir(site, 0711) | mkdir(elsewhere, 0755), 0);
    assert_int_equal(store_open(site, &store, &err), 0);
    assert_string_equal(store.root, own);
    assert_true(store.is_site && !*store.note);
    chmod(own, 0770);
    is_own_place(site, "user", NULL);
    chmod(own, 0700);
    assert_int_equal(rmdir(own), 0);
    assert_int_equal(symlink(elsewhere, own), 0); /* somebody's trap */
    is_own_place(site, "user", elsewhere);
    assert_int_equal(unlink(own), 0);
    assert_int_equal(mknod(own, S_IFREG | 0600, 0), 0);
    is_own_place(site, "user", NULL);
    assert_int_equal(unlink(own), 0);
    if (!geteuid()) {
        assert_int_equal(mkdir(own, 0700) | chown(own, 65534, 65534), 0); /* who was first */
        is_own_place(site, "user", NULL);
        assert_int_equal(rmdir(own), 0);
    }
    assert_int_equal(chmod(site, 0777), 0);
    is_own_place(site, "not sticky", NULL);
    assert_int_equal(chmod(site, 01777), 0);
    assert_int_equal(store_open(site, &store, &err), 0);
    assert_true(store.is_site);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    assert_int_equal(store_open(NULL, &store, &err), 0);
    snprintf(own, sizeof own, "%s/.cache/topomap", folder);
    assert_string_equal(store.root, own);
}

/* What was opened counts, not what was there when somebody looked. */
static void test_a_root_that_is_put_elsewhere_later(void **state)
{
    char site[128], own[160], elsewhere[128], *run;
    store_entry entry = named("x", 8), *list;
    topomap_error err;
    size_t count;
    store store;

    (void)state;
    fresh();
    snprintf(site, sizeof site, "%s/site", folder);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    snprintf(own, sizeof own, "%s/%u", site, (unsigned)geteuid());
    assert_int_equal(mkdir(site, 01777) | mkdir(elsewhere, 0755), 0);
    assert_int_equal(store_open(site, &store, &err), 0);
    assert_int_equal(rmdir(own) | symlink(elsewhere, own), 0);
    assert_int_equal(store_run_begin(&store, 1, 2, &entry, NULL, &run, &err), -1);
    assert_message(err.text, "user");
    assert_int_equal(store_entry_write(&store, &entry, &err), -1);
    assert_int_equal(store_fold_some(&store, 10, &err), 0);
    assert_int_equal(rmdir(elsewhere), 0); /* nothing came into it */
    assert_int_equal(unlink(own) | mkdir(own, 0700), 0);
    assert_int_equal(store_run_begin(&store, 1, 2, &entry, NULL, &run, &err), 0);
    free(run);
    /* Nor do the folders below lead elsewhere. */
    snprintf(own, sizeof own, "%s/%u/profiles", site, (unsigned)geteuid());
    assert_int_equal(mkdir(elsewhere, 0755) | rmdir(own) | symlink(elsewhere, own), 0);
    assert_int_equal(store_entry_write(&store, &entry, &err), -1);
    assert_int_equal(store_list(&store, &list, &count, &err), 0);
    assert_int_equal(count, 0);
    free(list);
    assert_int_equal(rmdir(elsewhere), 0);
}

static void test_a_folder_that_cannot_be_written(void **state)
{
    topomap_error err;
    store_entry entry = named("x", 8);
    char *made;
    store store;

    (void)state;
    setenv("XDG_CACHE_HOME", "/proc/self", 1); /* even root makes nothing there */
    assert_int_equal(store_open(NULL, &store, &err), 0);
    assert_int_equal(store_run_begin(&store, 1, 2, &entry, NULL, &made, &err), -1);
    assert_message(err.text, "/proc/self/topomap");
    assert_int_equal(store_entry_write(&store, &entry, &err), -1);
    assert_int_equal(store_entry_read(&store, &entry), 0);
}

/* Jobs at once: each takes its own run, a graph is there at every moment, and nothing is left. */
static void test_at_once(void **state)
{
    enum { JOBS = 4, ROUNDS = 50 };
    store store = fresh();
    store_entry entry = named("x", 8), *list;
    char command[256];
    topomap_error err;
    pid_t job[JOBS];
    int missing = 0;
    size_t count;

    (void)state;
    run(&store, &entry, 100);
    for (int j = 0; j < JOBS; j++) {
        job[j] = fork();
        if (!job[j]) {
            for (int i = 0; i < ROUNDS; i++)
                if (run(&store, &entry, 100 + (size_t)j) != 1)
                    _exit(1);
            _exit(0);
        }
    }
    for (int i = 0; i < 2000; i++) {
        store_entry now = named("x", 8);

        missing += !store_entry_read(&store, &now) || !now.has_graph;
    }
    for (int j = 0; j < JOBS; j++) {
        int status;

        waitpid(job[j], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(store_list(&store, &list, &count, &err), 0);
    assert_int_equal(count, 1);
    free(list);
    snprintf(
        command, sizeof command,
        "cd %s/topomap && test $(find . -type f ! -name .tidy | wc -l) = 3 -a -z \"$(ls run)\"",
        folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_are_for_ever),
        cmocka_unit_test(test_a_run_is_kept),
        cmocka_unit_test(test_a_run_is_folded_by_another_launch),
        cmocka_unit_test(test_folded_once),
        cmocka_unit_test(test_runs_that_leave_nothing_good),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_other_sizes),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_no_file_may_grow),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_a_root_that_is_put_elsewhere_later),
        cmocka_unit_test(test_a_folder_that_cannot_be_written),
    };

    return cmocka_run_group_tests(tests, stores_setup, stores_teardown);
}
