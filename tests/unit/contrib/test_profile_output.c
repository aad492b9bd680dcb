/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a rank leaves what it saw: files by hand, whatever has their names, and memory of which the
 * kernel may have none. No MPI is started. */
#define _GNU_SOURCE /* fallocate */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contrib/profile/profile.h"
#include "graph/formats/part_memory.h"
#include "graph/formats/parts.h"

enum { RANKS = 2, SECONDS = 20 };

static char here[] = "/tmp/topomap-profile-XXXXXX", file[64], parts[80], name[160];

/* ---- By hand ------------------------------------------------------------------------------ */

static int leave(int rank)
{
    const profile_record record = {.partner = (uint32_t)(1 - rank), .bytes_out = 10};
    const profile_part part = {
        .rank = rank, .ranks = RANKS, .whole = 1, .record = &record, .count = 1};

    return profile_file_leave(file, &part);
}

static const char *below(const char *what)
{
    snprintf(name, sizeof name, "%s/%s", parts, what);
    return name;
}

static mode_t kind_of(const char *path)
{
    struct stat found;

    return lstat(path, &found) ? 0 : found.st_mode & S_IFMT;
}

static int fresh(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s/*", here);
    snprintf(file, sizeof file, "%s/profile.tmg", here);
    snprintf(parts, sizeof parts, "%s.parts", file);
    alarm(SECONDS); /* nothing is waited for */
    return system(command);
}

static void a_profile(void **state)
{
    FILE *before = fopen(file, "w");

    (void)state;
    assert_non_null(before);
    fclose(before);
    assert_int_equal(leave(0), 0);
    profile_file_fold(file, 0, RANKS);
    assert_int_equal(kind_of(below("part.open")), S_IFREG);
    profile_file_fold(file, 0, RANKS); /* the mark may be there */
    assert_int_equal(leave(1), 0);
    profile_file_fold(file, 1, RANKS);
    assert_int_equal(kind_of(parts), 0);
    before = fopen(file, "r");
    assert_non_null(before);
    assert_int_not_equal(fgetc(before), EOF);
    fclose(before);
}

static void the_mark(void **state)
{
    char victim[64];

    (void)state;
    assert_int_equal(leave(0), 0);
    assert_int_equal(mkfifo(below("part.open"), 0600), 0);
    profile_file_fold(file, 0, RANKS);
    unlink(name);
    snprintf(victim, sizeof victim, "%s/victim", here);
    assert_int_equal(symlink(victim, name), 0);
    profile_file_fold(file, 0, RANKS);
    assert_int_equal(kind_of(victim), 0);
}

static void folders_of_others(void **state)
{
    static const mode_t modes[] = {0770, 0707, 01777};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(mkdir(parts, 0700), 0);
        assert_int_equal(chmod(parts, modes[i]), 0);
        assert_int_equal(leave(0), -1);
        assert_int_equal(rmdir(parts), 0); /* nothing is in it */
    }
}

static void no_file(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_int_equal(leave(0), -1);
    assert_int_equal(kind_of(parts), 0);
    assert_int_equal(kind_of(file), S_IFIFO);
    unlink(file);
    assert_int_equal(symlink("/dev/null", file), 0);
    assert_int_equal(leave(0), -1);
    unlink(file);
    assert_int_equal(mkfifo(parts, 0600), 0);
    assert_int_equal(leave(0), -1);
    unlink(parts);
    /* It has come in between: the parts stay. */
    assert_int_equal(leave(0), 0);
    assert_int_equal(leave(1), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
    profile_file_fold(file, 0, RANKS);
    assert_int_equal(kind_of(file), S_IFIFO);
    assert_int_equal(kind_of(below("part.0")), S_IFREG);
}

static int lowest; /* descriptor that was read or written */

static void use(int number)
{
    if (number < lowest)
        lowest = number;
}

ssize_t read(int number, void *bytes, size_t size)
{
    use(number);
    return syscall(SYS_read, number, bytes, size);
}

ssize_t write(int number, const void *bytes, size_t size)
{
    use(number);
    return syscall(SYS_write, number, bytes, size);
}

/* A program may have closed its standard streams: no file of the profiler takes their place. */
static void standard_streams(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(leave(0), 0);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 3; i++)
            close(i);
        profile_file_begin(file, 1);
        lowest = INT32_MAX;
        if (leave(1) || lowest < 3)
            _exit(1);
        profile_file_fold(file, 0, RANKS);
        _exit(lowest < 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(kind_of(parts), 0);
}

/* ---- Below another launcher than Slurm's --------------------------------------------------- */

static int heard;

static void hear(int number)
{
    (void)number;
    heard++;
}

static void leave_in_folder(int rank)
{
    const profile_record record = {
        .partner = (uint32_t)(1 - rank), .bytes_out = 10, .messages_out = 1};
    const profile_part part = {
        .rank = rank, .ranks = RANKS, .whole = 1, .record = &record, .count = 1};

    profile_folder_leave(parts, &part);
}

/* What the program itself has started is all that it hears of and finds. */
static void in_a_folder(void **state)
{
    topomap_part_summary summary;
    topomap_graph *graph = NULL;
    int folder;

    (void)state;
    assert_int_equal(mkdir(parts, 0700), 0);
    signal(SIGCHLD, hear);
    leave_in_folder(0);
    leave_in_folder(1);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(heard, 0);
    assert_int_equal(waitpid(-1, NULL, __WALL), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(topomap_parts_read(parts, &graph, NULL), 0);
    assert_int_equal(topomap_graph_ranks(graph), RANKS);
    topomap_graph_free(graph);
    folder = open(parts, O_RDONLY | O_DIRECTORY);
    assert_int_equal(topomap_parts_summary_open(folder, parts, &summary, NULL), 0);
    assert_int_equal(summary.whole, RANKS);
    assert_int_equal(summary.messages, 2);
    close(folder);
}

static void which_mpi_alone(void **state)
{
    const profile_part part = {.ranks = 1, .mpi = 12, .mpi_alone = 1};
    topomap_part_summary summary;
    int folder;

    (void)state;
    assert_int_equal(mkdir(parts, 0700), 0);
    profile_folder_leave(parts, &part);
    folder = open(parts, O_RDONLY | O_DIRECTORY);
    assert_int_equal(topomap_parts_summary_open(folder, parts, &summary, NULL), 0);
    assert_int_equal(summary.mpi, 12);
    assert_int_equal(summary.whole, 0);
    close(folder);
}

static void no_folder(void **state)
{
    char other[64];

    (void)state;
    leave_in_folder(0);
    assert_int_equal(kind_of(parts), 0);
    snprintf(other, sizeof other, "%s/other", here);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(symlink(other, parts), 0);
    leave_in_folder(0);
    assert_int_equal(rmdir(other), 0); /* nothing is in it */
    unlink(parts);
    assert_int_equal(mkfifo(parts, 0600), 0);
    leave_in_folder(0);
}

static void no_rights(void)
{
    if (geteuid() == 0 && setuid(65534))
        _exit(2);
}

static void no_size(void)
{
    const struct rlimit limit = {100, 100};

    setrlimit(RLIMIT_FSIZE, &limit);
}

/* The rank goes on; half a part is none. */
static void a_folder_that_takes_nothing(void **state)
{
    static void (*const limits[])(void) = {no_rights, no_size};
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(chmod(here, 0711), 0);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_int_equal(mkdir(parts, limits[i] == no_rights ? 0555 : 0700), 0);
        pid = fork();
        if (pid == 0) {
            alarm(SECONDS);
            limits[i]();
            leave_in_folder(0);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_int_equal(rmdir(parts), 0); /* nothing is in it */
    }
}

/* ---- In memory ---------------------------------------------------------------------------- */

static int calls, failures, why, fd;
static off_t reserved, from;

/* In place of libc's. */
int fallocate(int fd, int mode, off_t at, off_t size)
{
    (void)fd, (void)mode;
    from = at;
    reserved = size;
    if (calls++ >= failures)
        return 0;
    errno = why;
    return -1;
}

static uint32_t state_after(int reason, int times)
{
    const profile_record record = {.partner = 1, .bytes_out = 10};
    const profile_part part = {.ranks = RANKS, .whole = 1, .record = &record, .count = 1};
    struct topomap_part_memory head;
    struct topomap_part_slot slot;

    calls = 0;
    failures = times;
    why = reason;
    assert_true(topomap_part_memory_is(fd, &head));
    profile_memory_leave(&part);
    from = (off_t)(head.first + head.used * head.stride);
    assert_int_equal(pread(fd, &slot, sizeof slot, from), sizeof slot);
    return slot.state;
}

static void no_memory(void **state)
{
    struct topomap_part_memory like = {.run = 5};
    struct stat before, after;
    char number[16];

    (void)state;
    fd = topomap_part_memory_new();
    assert_true(fd >= 3);
    snprintf(like.folder, sizeof like.folder, "%s", here);
    assert_int_equal(topomap_part_memory_fill(fd, 4, RANKS, &like), 0);
    snprintf(number, sizeof number, "%d", fd);
    setenv(PROFILE_MEMORY, number, 1);
    assert_int_equal(profile_memory_find(), 1);
    assert_int_equal(fstat(fd, &before), 0);
    assert_int_equal(state_after(ENOSPC, 1), TOPOMAP_PART_EMPTY);
    assert_int_equal(calls, 1);
    assert_int_equal(reserved, sizeof(struct topomap_part_slot) + sizeof(profile_record));
    assert_int_equal(state_after(EINTR, 1 << 20), TOPOMAP_PART_EMPTY);
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(after.st_blocks, before.st_blocks);
    /* A signal is no lack of memory. */
    assert_int_equal(state_after(EINTR, 3), TOPOMAP_PART_FILLED);
}

/* Where there is no room for all phases of all partners, the partners are there whole. In the
 * memory of the test before. */
static void no_room_for_phases(void **state)
{
    enum { PARTNERS = 3, ROWS = 4000 };
    static profile_record record[ROWS];
    profile_part part = {.ranks = RANKS, .whole = 1, .record = record, .passed = 9};
    struct topomap_part_memory head;
    struct {
        struct topomap_part_slot slot;
        profile_record row[PARTNERS];
    } left;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        record[i] = (profile_record){i / (ROWS / PARTNERS + 1), i % 50, 2, 1, 20, 3};
    for (int few = 0; few < 2; few++) {
        part.count = few ? 2 : ROWS;
        failures = 0;
        assert_true(topomap_part_memory_is(fd, &head));
        profile_memory_leave(&part);
        from = (off_t)(head.first + head.used * head.stride);
        assert_int_equal(pread(fd, &left, sizeof left, from), sizeof left);
        assert_int_equal(left.slot.state, TOPOMAP_PART_FILLED);
        assert_int_equal(left.slot.passed, few ? 9 : 0);
        assert_int_equal(left.slot.rows, few ? 2 : PARTNERS);
        assert_int_equal(left.row[1].phase, few);
        if (few)
            continue;
        assert_int_equal(left.row[0].bytes_out, 2 * (ROWS / PARTNERS + 1));
        assert_int_equal(left.row[2].partner, 2);
        assert_int_equal(left.row[2].messages_in,
                         3 * (ROWS - (PARTNERS - 1) * (ROWS / PARTNERS + 1)));
    }
    close(fd);
}

/* Whoever started this process closed it: an ancestor has it. */
static void closed_for_the_child(void **state)
{
    struct topomap_part_memory like = {.run = 7};
    struct topomap_part_memory head;
    char number[16];
    int status;
    pid_t pid;

    (void)state;
    fd = topomap_part_memory_new();
    snprintf(like.folder, sizeof like.folder, "%s", here);
    assert_int_equal(topomap_part_memory_fill(fd, 4, RANKS, &like), 0);
    snprintf(number, sizeof number, "%d", fd);
    setenv(PROFILE_MEMORY, number, 1);
    pid = fork();
    if (pid == 0) {
        const profile_record record = {.partner = 1, .bytes_out = 10};
        const profile_part part = {.ranks = RANKS, .whole = 1, .record = &record, .count = 1};

        close(fd);
        alarm(SECONDS);
        pid = fork();
        if (pid)
            _exit(waitpid(pid, &status, 0) != pid || status != 0);
        failures = 0;
        if (!profile_memory_find())
            _exit(1);
        profile_memory_note(12);
        profile_memory_leave(&part);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(topomap_part_memory_is(fd, &head));
    assert_int_equal(head.used, 1);
    assert_int_equal(head.mpi, 12);
    close(fd);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(here) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return fresh(state) || rmdir(here);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_profile, fresh),
        cmocka_unit_test_setup(the_mark, fresh),
        cmocka_unit_test_setup(folders_of_others, fresh),
        cmocka_unit_test_setup(no_file, fresh),
        cmocka_unit_test_setup(standard_streams, fresh),
        cmocka_unit_test_setup(in_a_folder, fresh),
        cmocka_unit_test_setup(which_mpi_alone, fresh),
        cmocka_unit_test_setup(no_folder, fresh),
        cmocka_unit_test_setup(a_folder_that_takes_nothing, fresh),
        cmocka_unit_test_setup(closed_for_the_child, fresh),
        cmocka_unit_test_setup(no_memory, fresh),
        cmocka_unit_test_setup(no_room_for_phases, fresh),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
