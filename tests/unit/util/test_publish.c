/* SPDX-License-Identifier: BSD-3-Clause */
/* util/output.h: files appear whole, with the right owner and mode, or not at all; with a file
 * system that makes files without names, and with one that does not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/output.h"

static int names_only; /* as on a file system without O_TMPFILE */

/* Ours, before libc's. */
int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    va_start(rest, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (names_only && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static int put(const char *path, const char *text, topomap_error *err)
{
    topomap_publish *publish;

    if (topomap_publish_begin(path, &publish, err))
        return -1;
    assert_int_equal(write(topomap_publish_fd(publish), text, strlen(text)), strlen(text));
    return topomap_publish_commit(publish, 0, err);
}

static void holds(const char *path, const char *text, mode_t mode)
{
    struct stat about;
    size_t size;
    char *got = scratch_slurp(path, &size);

    assert_non_null(got);
    assert_string_equal(got, text);
    free(got);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, mode);
}

static void whole_or_not_at_all(void **state)
{
    const mode_t mask = umask(027);

    (void)state;
    for (names_only = 0; names_only < 2; names_only++) {
        const char *folder = scratch_folder(names_only ? "named" : "nameless", 0755), *path;
        topomap_publish *publish;
        topomap_error err;

        path = scratch_path(names_only ? "named/file" : "nameless/file");
        assert_int_equal(put(path, "one", &err), 0);
        holds(path, "one", 0640);
        assert_int_equal(chmod(path, 0604), 0);
        assert_int_equal(topomap_publish_begin(path, &publish, &err), 0);
        assert_int_equal(write(topomap_publish_fd(publish), "two", 3), 3);
        holds(path, "one", 0604);
        assert_int_equal(scratch_entries(folder), 1 + names_only);
        topomap_publish_abandon(publish);
        holds(path, "one", 0604);
        assert_int_equal(put(path, "two", &err), 0);
        holds(path, "two", 0604);
        assert_int_equal(chmod(path, 06755), 0); /* what was set-user-ID is another file now */
        assert_int_equal(put(path, "three", &err), 0);
        holds(path, "three", 0755);
        assert_int_equal(scratch_entries(folder), 1);
    }
    names_only = 0;
    umask(mask);
}

static void tells_who_was_first(void **state)
{
    (void)state;
    for (names_only = 0; names_only < 2; names_only++) {
        const char *path = scratch_path(names_only ? "first.b" : "first.a");
        topomap_publish *publish, *other;
        topomap_error err;

        assert_int_equal(topomap_publish_begin(path, &publish, &err), 0);
        assert_int_equal(topomap_publish_begin(path, &other, &err), 0);
        assert_false(topomap_publish_overtaken(publish));
        assert_int_equal(topomap_publish_commit(other, 1, &err), 0);
        assert_true(topomap_publish_overtaken(publish));
        assert_int_equal(topomap_publish_commit(publish, 1, &err), -1);
        assert_message(err.text, "File exists");
        assert_int_equal(topomap_publish_begin(path, &publish, &err), 0);
        assert_false(topomap_publish_overtaken(publish));
        assert_int_equal(put(path, "x", &err), 0);
        assert_true(topomap_publish_overtaken(publish));
        assert_int_equal(topomap_publish_commit(publish, 1, &err),
                         0); /* there was one to replace */
        assert_int_equal(unlink(path), 0);
    }
    names_only = 0;
}

/* The name of what is being made was given to another file: it is not put in place. */
static void another_file_under_its_name(void **state)
{
    const char *folder = scratch_folder("swap", 0755), *path = scratch_path("swap/file");
    topomap_publish *publish;
    topomap_error err;
    char found[4096] = "", itself[64];

    (void)state;
    names_only = 1;
    assert_int_equal(topomap_publish_begin(path, &publish, &err), 0);
    snprintf(itself, sizeof itself, "/proc/self/fd/%d", topomap_publish_fd(publish));
    assert_true(readlink(itself, found, sizeof found - 1) > 0);
    assert_non_null(strstr(found, TOPOMAP_PUBLISH_ENDING));
    assert_int_equal(unlink(found), 0);
    close(open(found, O_WRONLY | O_CREAT | O_EXCL, 0666));
    assert_int_equal(topomap_publish_commit(publish, 0, &err), -1);
    names_only = 0;
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(found, F_OK), 0); /* not ours to remove */
    assert_int_equal(scratch_entries(folder), 1);
}

/* Another user's folder: its links are not followed, as a file's name or on the path to it, whoever
 * made them; and that user's link is not followed in this one's folder. */
static void links_of_others(void)
{
    static const char *const bad[] = {"home/link",
                                      "home/inside/file",
                                      "home/outside/file",
                                      "home/inside/../link",
                                      "route/link",
                                      "home/theirs/../link",
                                      "planted"};
    const char *victim = scratch_text("victim", "root's");
    topomap_error err;

    scratch_folder("home", 0755);
    scratch_folder("home/theirs", 0755);
    assert_int_equal(symlink(victim, scratch_path("home/link")), 0);
    assert_int_equal(symlink("theirs", scratch_path("home/inside")), 0);
    assert_int_equal(symlink("../open", scratch_path("home/outside")), 0);
    assert_int_equal(symlink("home", scratch_path("route")), 0); /* root's, and leads there */
    assert_int_equal(symlink(victim, scratch_path("planted")), 0);
    assert_int_equal(lchown(scratch_path("planted"), 65534, 65534), 0);
    assert_int_equal(chown(scratch_path("home"), 65534, 65534), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(put(scratch_path(bad[i]), "evil", &err), -1);
        assert_int_equal(err.code, TOPOMAP_ESYSTEM);
        assert_message(err.text, "link|65534|realpath");
    }
    holds(scratch_path("victim"), "root's", 0644);
    /* Files without links on their path are made there. */
    assert_int_equal(put(scratch_path("route/theirs/file"), "good", &err), 0);
    holds(scratch_path("home/theirs/file"), "good", 0644);
    assert_int_equal(chown(scratch_path("home"), 0, 0), 0);
    assert_int_equal(put(scratch_path("home/inside/file"), "mine", &err), 0);
    holds(scratch_path("home/theirs/file"), "mine", 0644);
}

static void folders_and_links(void **state)
{
    const char *folder = scratch_folder("open", 0777), *path = scratch_path("open/file");
    topomap_error err;
    struct stat about;

    (void)state;
    assert_int_equal(put(path, "x", &err), -1);
    assert_int_equal(err.code, TOPOMAP_ESYSTEM);
    assert_message(err.text, "chmod o-w");
    assert_int_equal(scratch_entries(folder), 0);
    scratch_folder("open", 01777);
    assert_int_equal(put(path, "x", &err), 0);
    /* Links lead on, dangling ones too; round and round is an error. */
    assert_int_equal(symlink("open/file", scratch_path("there")), 0);
    assert_int_equal(symlink("made", scratch_path("open/dangling")), 0);
    assert_int_equal(symlink("loop", scratch_path("loop")), 0);
    assert_int_equal(put(scratch_path("there"), "y", &err), 0);
    holds(path, "y", 0644);
    assert_int_equal(lstat(scratch_path("there"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(put(scratch_path("open/dangling"), "z", &err), 0);
    holds(scratch_path("open/made"), "z", 0644);
    assert_int_equal(put(scratch_path("loop"), "x", &err), -1);
    assert_int_equal(put(folder, "x", &err), -1);
    assert_int_equal(put(scratch_path("open/"), "x", &err), -1);
    assert_int_equal(put(scratch_path("nowhere/x"), "x", &err), -1);
    assert_int_equal(put("", "x", &err), -1);
    if (geteuid() != 0)
        skip();
    /* What another user has put there is not followed, taken or changed. */
    assert_int_equal(lchown(scratch_path("open/dangling"), 65534, 65534), 0);
    assert_int_equal(put(scratch_path("open/dangling"), "evil", &err), -1);
    assert_message(err.text, "user");
    holds(scratch_path("open/made"), "z", 0644);
    assert_int_equal(lchown(path, 65534, 65534), 0);
    assert_int_equal(put(path, "evil", &err), -1);
    links_of_others();
    /* In a folder that is not everybody's, owner and mode stay. */
    scratch_folder("open", 0755);
    assert_int_equal(put(path, "w", &err), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_uid, 65534);
    assert_int_equal(about.st_gid, 65534);
}

static void long_names(void **state)
{
    char name[256];
    topomap_error err;

    (void)state;
    memset(name, 'n', 255);
    name[255] = '\0';
    for (names_only = 0; names_only < 2; names_only++) {
        assert_int_equal(put(scratch_path(name), "x", &err), 0);
        holds(scratch_path(name), "x", 0644);
    }
    names_only = 0;
}

/* /dev/stdout is standard output itself, with its place in the file. */
static void own_descriptors(void **state)
{
    const char *path = scratch_text("stream", "before ");
    int fd = open(path, O_WRONLY | O_APPEND);
    char itself[64];
    topomap_output *output;
    topomap_error err;

    (void)state;
    snprintf(itself, sizeof itself, "/dev/fd/%d", fd);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(topomap_output_open(itself, &output, &err), 0);
        fputs("after ", topomap_output_file(output));
        assert_int_equal(topomap_output_commit(output, &err), 0);
    }
    holds(path, "before after after ", 0644);
    close(fd);
    assert_int_equal(topomap_output_open("/dev/full", &output, &err), 0);
    fputs("x", topomap_output_file(output));
    assert_int_equal(topomap_output_commit(output, &err), -1);
}

static int drop(const char *path, const struct stat *about, int what, struct FTW *at)
{
    (void)about;
    (void)what;
    return at->level ? remove(path) : 0;
}

/* scratch_teardown() knows no folders. */
static int clear(void **state)
{
    nftw(scratch_path("."), drop, 8, FTW_DEPTH | FTW_PHYS);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not_at_all),
        cmocka_unit_test(tells_who_was_first),
        cmocka_unit_test(another_file_under_its_name),
        cmocka_unit_test(folders_and_links),
        cmocka_unit_test(long_names),
        cmocka_unit_test(own_descriptors),
    };

    umask(022);
    return cmocka_run_group_tests(tests, scratch_setup, clear);
}
