/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a rank leaves what it saw: files by hand, whatever has their names, and memory of which the
 * kernel may have none. No MPI is started. */
#define _GNU_SOURCE /* syscall */
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

static int fd, pages = -1; /* that the system still has; -1: any number */

/* Where the system has no page for the old mask, it says so. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!set && pages >= 0 && !pages--)
        return ++pages, EFAULT;
    return (int)syscall(SYS_rt_sigprocmask, how, set, old, sizeof(uint64_t)) ? errno : 0;
}

static struct topomap_part_memory head_of(void)
{
    struct topomap_part_memory head;

    assert_true(topomap_part_memory_is(fd, &head));
    return head;
}

static struct topomap_part_slot slot_of(uint32_t number)
{
    struct topomap_part_memory head = head_of();
    struct topomap_part_slot slot;

    assert_int_equal(pread(fd, &slot, sizeof slot, (off_t)(head.first + number * head.stride)),
                     sizeof slot);
    return slot;
}

static long blocks(void)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    return (long)status.st_blocks;
}

static void lend(uint32_t tasks, uint32_t ranks)
{
    struct topomap_part_memory like = {.run = 7};
    char number[16];

    fd = topomap_part_memory_new();
    assert_true(fd >= 3);
    snprintf(like.folder, sizeof like.folder, "%s", here);
    assert_int_equal(topomap_part_memory_fill(fd, tasks, ranks, &like), 0);
    snprintf(number, sizeof number, "%d", fd);
    setenv(PROFILE_MEMORY, number, 1);
}

/* Runs a rank in a process of its own, for which the system has \p pages_there pages. The rank has
 * \p rows rows when it ends, perhaps more than fit into its memory. What it has open then is not
 * what it has needs. */
static int rank_with(int pages_there, size_t rows)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        profile_part part = {.whole = 1};
        profile_record *row;
        size_t room;

        pages = pages_there;
        if (!profile_memory_find() || !profile_memory_begin(1, RANKS))
            _exit(1);
        profile_memory_reserve(rows);
        close(fd);
        fd = open("/dev/null", O_RDWR);
        row = profile_memory_rows(&room);
        part.record = row;
        part.count = rows < room ? rows : room;
        part.whole = rows <= room;
        for (size_t i = 0; i < part.count; i++)
            row[i] = (profile_record){.partner = (uint32_t)i};
        profile_memory_leave(&part);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What a rank costs: a page when it begins, and more with its rows. Of that, the system may have
 * none. */
static void no_memory(void **state)
{
    enum { BLOCK = 512, ROWS = 4000 };
    long page = sysconf(_SC_PAGESIZE), before;

    (void)state;
    lend(4, ROWS);
    before = blocks();
    assert_int_equal(rank_with(0, 1), 1);
    assert_int_equal(blocks(), before);
    assert_int_equal(slot_of(0).state, TOPOMAP_PART_EMPTY);
    assert_int_equal(rank_with(1, 1), 0);
    assert_int_equal(blocks() - before, page / BLOCK);
    assert_int_equal(slot_of(1).state, TOPOMAP_PART_FILLED);
    assert_int_equal(slot_of(1).rank, 1);
    assert_int_equal(rank_with(1, ROWS), 0);
    assert_int_equal(slot_of(2).state, TOPOMAP_PART_PARTIAL);
    assert_true(slot_of(2).rows >= 1);
    before = blocks();
    assert_int_equal(rank_with(-1, ROWS), 0);
    assert_int_equal(slot_of(3).state, TOPOMAP_PART_FILLED);
    assert_int_equal(slot_of(3).rows, ROWS);
    assert_true((blocks() - before) * BLOCK >= (long)(ROWS * sizeof(profile_record)));
    assert_true((blocks() - before) * BLOCK <=
                (long)(ROWS * sizeof(profile_record)) / 4 * 5 + 2 * page);
    assert_int_equal(head_of().used, 4);
    close(fd);
}

/* More ranks than slots. */
static void no_slot(void **state)
{
    struct topomap_part_memory head;

    (void)state;
    lend(64, RANKS);
    head = head_of();
    for (uint32_t i = 0; i <= head.slots; i++)
        assert_int_equal(rank_with(-1, 1), i == head.slots);
    assert_int_equal(head_of().used, head.slots + 1);
    close(fd);
}

/* What is forked is another process. */
static void this_process(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    assert_false(profile_process_is());
    assert_int_equal(profile_process_take(), 0);
    assert_true(profile_process_is());
    pid = fork();
    if (pid == 0)
        _exit(profile_process_is());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(profile_process_is());
}

/* Whoever started this process closed it: an ancestor has it. */
static void closed_for_the_child(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    lend(4, RANKS);
    pid = fork();
    if (pid == 0) {
        close(fd);
        alarm(SECONDS);
        pid = fork();
        if (pid)
            _exit(waitpid(pid, &status, 0) != pid || status != 0);
        if (!profile_memory_find())
            _exit(1);
        profile_memory_note(12);
        _exit(!profile_memory_begin(0, RANKS));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(head_of().used, 1);
    assert_int_equal(head_of().mpi, 12);
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
        cmocka_unit_test_setup(no_slot, fresh),
        cmocka_unit_test_setup(this_process, fresh),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
