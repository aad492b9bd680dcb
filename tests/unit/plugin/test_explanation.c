/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --topomap-explain=FILE: whole or not at all, nobody else's, and never waited for. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/planner/launch/launch.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

enum { OTHER = 12345, LONG = 200000, WRITERS = 6, ROUNDS = 40 };

static int put(const char *path, const char *text, topomap_error *err)
{
    return planner_explanation_write(path, text, strlen(text), INFINITY, err);
}

static void assert_refused(const char *path, const char *why)
{
    topomap_error err;

    assert_int_equal(put(path, "new", &err), -1);
    if (!message_has(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static void assert_has(const char *path, const char *text)
{
    char *found = scratch_slurp(path, NULL);

    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
}

static void a_file(void **state)
{
    const char *path = scratch_path("file");
    mode_t before = umask(027);
    struct stat found;
    topomap_error err;

    (void)state;
    assert_int_equal(put(path, "before: 9\n", &err), 0);
    assert_has(path, "before: 9\n");
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    /* One that was there keeps its mode; a shorter text has nothing of the longer behind it. */
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(put(path, "new\n", &err), 0);
    assert_has(path, "new\n");
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0604);
    umask(before);
    assert_refused("/nonexist/file", "No such file or directory");
    assert_refused(scratch_path(""), "is a directory");
}

/* The user's own link is followed, and stays. */
static void own_link(void **state)
{
    const char *path = scratch_path("link"), *to = scratch_text("to", "old");
    struct stat found;
    topomap_error err;

    (void)state;
    assert_int_equal(symlink("to", path), 0);
    assert_int_equal(put(path, "new", &err), 0);
    assert_has(to, "new");
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
}

static void folders_of_all(void **state)
{
    const char *folder = scratch_folder("all", 0777);
    const char *victim = scratch_text("victim", "victim"), *path = scratch_path("all/why");
    topomap_error err;

    (void)state;
    assert_refused(path, "folder");
    assert_int_equal(scratch_entries(folder), 0);
    scratch_folder("all", 01777);
    assert_int_equal(put(path, "own", &err), 0);
    assert_int_equal(unlink(path), 0);
    if (geteuid() != 0)
        return;

    assert_int_equal(symlink(victim, path), 0);
    assert_int_equal(lchown(path, OTHER, OTHER), 0);
    assert_refused(path, "(uid 12345)");
    assert_has(victim, "victim");
    assert_int_equal(unlink(path), 0);

    scratch_text("all/why", "theirs");
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chown(path, OTHER, OTHER), 0);
    assert_refused(path, "another user's");
    assert_has(path, "theirs");
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(chown(path, OTHER, OTHER), 0);
    assert_refused(path, "another user's");
    assert_int_equal(unlink(path), 0);
}

/* What was there stays where there is no room for the new text. */
static void no_room(void **state)
{
    const char *folder = scratch_folder("room", 0700), *path = scratch_text("room/why", "old");
    struct rlimit before, limit;
    topomap_error err;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(put(path, "a new one", &err), -1);
    assert_int_equal(put(scratch_path("room/none"), "a new one", &err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_message(err.text, strerror(EFBIG));
    assert_has(path, "old");
    assert_int_equal(scratch_entries(folder), 1);
    assert_refused("/dev/full", "/dev/full: No space left on device");
}

/* ---- What is no file ---------------------------------------------------------------------- */

static void no_files(void **state)
{
    const char *path = scratch_path("fifo");
    char *text = calloc(1, LONG + 1), got[8];
    topomap_error err;
    int reader;

    (void)state;
    assert_int_equal(put("/dev/null", "new", &err), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, strerror(ENXIO)); /* nobody reads, and nobody is waited for */
    reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(put(path, "new", &err), 0);
    assert_int_equal(read(reader, got, sizeof got), 3);
    memset(text, 'x', LONG);
    assert_int_equal(put(path, text, &err), -1);
    assert_message(err.text, strerror(EAGAIN));
    close(reader);
    free(text);
}

/* The planner's descriptor of that number while \p call runs. */
static int with(int number, int fd, const char *path, const char *text, topomap_error *err)
{
    int before = fcntl(number, F_DUPFD_CLOEXEC, 10), failed;

    fflush(NULL);
    assert_int_equal(dup2(fd, number), number);
    failed = put(path, text, err);
    if (before < 0) {
        close(number);
    } else {
        dup2(before, number);
        close(before);
    }
    return failed;
}

static void own_descriptors(void **state)
{
    const char *path = scratch_text("said", "srun's\n");
    char *text = calloc(1, LONG + 1), got[8];
    int ends[2], file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    topomap_error err;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(with(2, ends[1], "/dev/stderr", "new", &err), 0);
    assert_int_equal(read(ends[0], got, sizeof got), 3);
    memset(text, 'x', LONG);
    assert_int_equal(with(2, ends[1], "/dev/stderr", text, &err), -1);
    assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(with(1, ends[1], "/dev/fd/0", "new", &err), -1);
    /* The reply is no place for it. */
    assert_int_equal(with(3, ends[1], "/dev/fd/3", "new", &err), -1);
    assert_message(err.text, "srun");
    /* What srun has said is not cut. */
    assert_int_equal(with(2, file, "/dev/stderr", "new\n", &err), 0);
    assert_has(path, "srun's\nnew\n");
    close(file);
    close(ends[0]);
    close(ends[1]);
    free(text);
}

/* ---- Several at once ---------------------------------------------------------------------- */

static _Noreturn void write_often(const char *path, char letter)
{
    size_t size = LONG - (size_t)(letter - 'a') * 1000;
    char *text = malloc(size);
    topomap_error err;

    if (!text)
        _exit(1);
    memset(text, letter, size);
    for (int i = 0; i < ROUNDS; i++)
        if (planner_explanation_write(path, text, size, INFINITY, &err))
            _exit(1);
    _exit(0);
}

static void assert_whole(const char *path)
{
    size_t size;
    char *text = scratch_slurp(path, &size);

    if (!text) /* not yet */
        return;
    assert_int_equal(size, LONG - (size_t)(*text - 'a') * 1000);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(text[i], *text);
    free(text);
}

static void several_at_once(void **state)
{
    const char *folder = scratch_folder("several", 0700), *path = scratch_path("several/why");
    pid_t writers[WRITERS];
    int status;

    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (!writers[i])
            write_often(path, (char)('a' + i));
        assert_true(writers[i] > 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_whole(path);
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    assert_whole(path);
    assert_int_equal(scratch_entries(folder), 1);
}

/* ---- A slow file system ------------------------------------------------------------------- */

/* What srun ends in the middle would leave half a file. */
static void no_time(void **state)
{
    const char *folder = scratch_folder("slow", 0700), *path = scratch_path("slow/why");
    const double late = topomap_clock_wall() - 1;
    topomap_error err;

    (void)state;
    assert_int_equal(planner_explanation_write(path, "new", 3, late, &err), -1);
    assert_message(err.text, "slow");
    assert_int_equal(scratch_entries(folder), 0);
    assert_int_equal(put(path, "old", &err), 0);
    assert_int_equal(planner_explanation_write(path, "new", 3, late, &err), -1);
    assert_has(path, "old");
    assert_int_equal(planner_explanation_write(path, "new", 3, late + 60, &err), 0);
    assert_has(path, "new");
    assert_int_equal(scratch_entries(folder), 1);
}

/* ---- A launch ----------------------------------------------------------------------------- */

/* A file that cannot be written is a line to the user, and nothing else. */
static void a_launch(void **state)
{
    planner_facts facts = {.explain = 1, .explain_own = 1, .reason = "one task has one place"};
    size_t size;
    char *reply;

    (void)state;
    facts.explain_file = scratch_path("reason");
    reply = planner_launch(&facts, NULL, NULL, &size);
    assert_non_null(reply);
    assert_null(strstr(reply, "tell line"));
    assert_has(facts.explain_file, "topomap: one task has one place\n");
    free(reply);

    scratch_folder("open", 0777);
    facts.explain_file = scratch_path("open/why");
    reply = planner_launch(&facts, NULL, NULL, &size);
    assert_non_null(reply);
    assert_non_null(strstr(reply, "status left\ntell line --topomap-explain: "));
    assert_non_null(strstr(reply, "folder"));
    free(reply);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file),          cmocka_unit_test(own_link),
        cmocka_unit_test(folders_of_all),  cmocka_unit_test(no_room),
        cmocka_unit_test(no_files),        cmocka_unit_test(own_descriptors),
        cmocka_unit_test(several_at_once), cmocka_unit_test(no_time),
        cmocka_unit_test(a_launch),
    };

    signal(SIGXFSZ, SIG_IGN); /* as the planner has it */
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
