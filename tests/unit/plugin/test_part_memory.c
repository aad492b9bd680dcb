/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory in which ranks leave what they saw, and `topomap-node collect`, which makes a part of
 * it, whatever is in it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/formats/parts.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

enum { TASKS = 2, RANKS = 2 };

/* Memory for two ranks, whose part goes into a new folder of the test's. */
static int fresh(char **folder)
{
    static int number;
    struct topomap_part_memory like = {.run = 5, .node = 3};
    char name[40];
    int fd;

    snprintf(name, sizeof name, "run%d", number++);
    assert_int_equal(mkdir(scratch_path(name), 0700), 0);
    snprintf(like.folder, sizeof like.folder, "%s", scratch_path(name));
    fd = topomap_part_memory_new();
    assert_true(fd >= 3);
    assert_int_equal(topomap_part_memory_fill(fd, TASKS, RANKS, &like), 0);
    if (folder)
        *folder = strdup(like.folder);
    return fd;
}

static struct topomap_part_memory *map(int fd)
{
    struct topomap_part_memory *head =
        mmap(NULL, sizeof *head, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    assert_true(head != MAP_FAILED);
    return head;
}

/* As a rank does it: one message to the other one. */
static void leave(int fd, uint32_t rank, uint32_t ranks, uint32_t state)
{
    topomap_part_row row = {
        .partner = 1 - rank % 2, .phase = rank, .bytes_out = 10 + rank, .messages_out = 1};
    struct topomap_part_slot slot = {.state = state,
                                     .rank = rank,
                                     .ranks = ranks,
                                     .rows = 1,
                                     .passed = 6,
                                     .wall_ns = 200 + rank,
                                     .mpi_ns = 20 + rank,
                                     .checksum = topomap_part_checksum(&row, 1),
                                     .program = "program"};
    struct topomap_part_memory *head = map(fd);
    off_t at = (off_t)(head->first + head->used++ * head->stride);

    assert_int_equal(pwrite(fd, &slot, sizeof slot, at), sizeof slot);
    assert_int_equal(pwrite(fd, &row, sizeof row, at + (off_t)sizeof slot), sizeof row);
    munmap(head, sizeof *head);
}

/* Runs the helper. \return its exit status */
static int collect(int fd)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        dup2(fd, 0);
        dup2(1, 3);
        execl(NODE_HELPER, "topomap-node", "collect", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static topomap_part_summary summary_of(const char *folder)
{
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    topomap_part_summary sums;

    assert_int_equal(topomap_parts_summary_open(opened, folder, &sums, NULL), 0);
    close(opened);
    return sums;
}

static void refused(const char *folder, const char *why)
{
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(topomap_parts_read(folder, &graph, &err), -1);
    if (!message_has(err.text, why))
        fail_msg("%s\nhas no: %s", err.text, why);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    struct topomap_part_memory head;
    int fd = fresh(NULL);

    (void)state;
    assert_true(topomap_part_memory_is(fd, &head));
    assert_true(head.slots >= TASKS);
    assert_int_equal(head.used, 0);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 1 << 30), -1);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
    assert_false(topomap_part_memory_is(fd, &head));
}

/* One task a node may start a worker for each of its GPUs, and each of them talks to all of all
 * nodes. */
static void test_memory_of_workers(void **state)
{
    enum { NODES = 1000, GPUS = 8 };
    struct topomap_part_memory like = {.folder = "/"}, head;
    int fd = topomap_part_memory_new();

    (void)state;
    assert_int_equal(topomap_part_memory_fill(fd, 1, NODES, &like), 0);
    assert_true(topomap_part_memory_is(fd, &head));
    assert_true(head.slots >= GPUS);
    assert_true((head.stride - sizeof(struct topomap_part_slot)) / sizeof(topomap_part_row) >=
                (size_t)NODES * GPUS);
    assert_int_equal(head.ranks, NODES);
    close(fd);
}

static void test_other_descriptors(void **state)
{
    struct topomap_part_memory head;
    int fd = fresh(NULL), file, unsealed, broken;

    (void)state;
    assert_int_equal(pread(fd, &head, sizeof head, 0), sizeof head);
    file = open(scratch_write("file", &head, sizeof head), O_RDWR);
    assert_false(topomap_part_memory_is(file, &head));
    unsealed = memfd_create("unsealed", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(unsealed, 1 << 20), 0);
    assert_int_equal(pwrite(unsealed, &head, sizeof head, 0), sizeof head);
    assert_false(topomap_part_memory_is(unsealed, &head));
    assert_false(topomap_part_memory_is(-1, &head));
    /* The head is anybody's: more slots than there is room for, a version of tomorrow. */
    for (int i = 0; i < 4; i++) {
        struct topomap_part_memory *there;

        broken = fresh(NULL);
        there = map(broken);
        if (i == 0)
            there->slots = UINT32_MAX;
        else if (i == 1)
            there->stride = UINT64_MAX / 65536 * 65536;
        else if (i == 2)
            there->stride = 0;
        else
            there->version++;
        munmap(there, sizeof *there);
        assert_false(topomap_part_memory_is(broken, &head));
        close(broken);
    }
    close(file);
    close(unsealed);
    close(fd);
}

/* The caller has a limit on file sizes: that is no signal, and no memory. */
static void test_limit(void **state)
{
    struct topomap_part_memory like = {.folder = "/"};
    struct topomap_part_memory head;
    struct rlimit before, none;
    int fd = topomap_part_memory_new(), low;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &none);
    assert_int_equal(topomap_part_memory_fill(fd, TASKS, RANKS, &like), -1);
    /* Room for all partners of a rank, if not for their phases. */
    none.rlim_cur = (rlim_t)2 * TASKS * 65536 * 8;
    setrlimit(RLIMIT_FSIZE, &none);
    low = topomap_part_memory_new();
    assert_int_equal(topomap_part_memory_fill(low, TASKS, 65536 * 4 / 40, &like), 0);
    assert_int_equal(topomap_part_memory_fill(fd, TASKS, 65536 * 8 / 40, &like), -1);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_true(topomap_part_memory_is(low, &head));
    assert_true(head.stride >= 65536 * 4 && head.stride <= 65536 * 5);
    close(low);
    assert_int_equal(topomap_part_memory_fill(fd, 0, RANKS, &like), -1);
    assert_int_equal(topomap_part_memory_fill(fd, TASKS, 0, &like), -1);
    assert_int_equal(topomap_part_memory_fill(fd, UINT32_MAX / 2, UINT32_MAX, &like), -1);
    close(fd);
}

static void test_collect(void **state)
{
    topomap_graph *graph;
    topomap_error err;
    char *folder;
    int fd = fresh(&folder);

    (void)state;
    leave(fd, 1, RANKS, TOPOMAP_PART_FILLED);
    leave(fd, 0, RANKS, TOPOMAP_PART_FILLED);
    assert_int_equal(collect(fd), 0);
    assert_int_equal(topomap_parts_read(folder, &graph, &err), 0);
    assert_int_equal(topomap_graph_ranks(graph), RANKS);
    assert_int_equal(graph->total_bytes, 21);
    assert_int_equal(graph->phases, 2);
    assert_string_equal(graph->source, "MPI profile of program");
    topomap_graph_free(graph);
    assert_int_equal(summary_of(folder).wall_ns, 201);
    assert_int_equal(summary_of(folder).mpi_ns, 20);
    assert_int_equal(summary_of(folder).status, 0);
    close(fd);
    free(folder);
}

static void test_incomplete(void **state)
{
    char *folder;
    int fd = fresh(&folder);

    (void)state;
    assert_int_equal(collect(fd), 1);
    refused(folder, "without parts");
    leave(fd, 0, RANKS, TOPOMAP_PART_FILLED);
    leave(fd, 1, RANKS, TOPOMAP_PART_EMPTY); /* it ended while it copied */
    assert_int_equal(collect(fd), 0);
    refused(folder, "rank 1|2");
    leave(fd, 1, RANKS, TOPOMAP_PART_PARTIAL);
    assert_int_equal(collect(fd), 0);
    refused(folder, "rank 1|MPI_Finalize");
    close(fd);
    free(folder);
}

/* How a task failed is left, whatever the ranks have. */
static void test_failed(void **state)
{
    char *folder;
    int fd = fresh(&folder);

    (void)state;
    topomap_part_memory_fail(fd, 9, 1234);
    assert_int_equal(collect(fd), 0);
    assert_int_equal(summary_of(folder).status, 9);
    assert_int_equal(summary_of(folder).ranks, RANKS);
    assert_int_equal(summary_of(folder).whole, 0);
    leave(fd, 1, RANKS, TOPOMAP_PART_FILLED);
    assert_int_equal(collect(fd), 0);
    assert_int_equal(summary_of(folder).status, 9);
    assert_int_equal(summary_of(folder).whole, 1);
    assert_int_equal(summary_of(folder).wall_ns, 201);
    leave(fd, 1, RANKS, TOPOMAP_PART_FILLED); /* twice: no part of one run */
    assert_int_equal(collect(fd), 0);
    assert_int_equal(summary_of(folder).status, 9);
    assert_int_equal(summary_of(folder).whole, 0);
    refused(folder, "part.3|signal 9");
    close(fd);
    free(folder);
}

/* Which MPI was initialised is left, also where its ranks have left nothing. */
static void test_mpi(void **state)
{
    struct topomap_part_memory *head;
    char *folder;
    int fd = fresh(&folder);

    (void)state;
    head = map(fd);
    head->mpi = 12;
    munmap(head, sizeof *head);
    assert_int_equal(collect(fd), 0);
    assert_int_equal(summary_of(folder).mpi, 12);
    assert_int_equal(summary_of(folder).ranks, RANKS);
    assert_int_equal(summary_of(folder).whole, 0);
    refused(folder, "rank 0|2");
    leave(fd, 0, RANKS, TOPOMAP_PART_FILLED);
    leave(fd, 1, RANKS, TOPOMAP_PART_FILLED);
    assert_int_equal(collect(fd), 0);
    assert_int_equal(summary_of(folder).mpi, 12);
    assert_int_equal(summary_of(folder).whole, RANKS);
    close(fd);
    free(folder);
}

/* What is no part of one run leaves none. */
static void test_nonsense(void **state)
{
    for (int i = 0; i < 6; i++) {
        struct topomap_part_memory *head;
        struct topomap_part_slot slot;
        char *folder;
        int fd = fresh(&folder);

        (void)state;
        leave(fd, 0, RANKS, TOPOMAP_PART_FILLED);
        head = map(fd);
        if (i == 0) {
            leave(fd, 0, RANKS, TOPOMAP_PART_FILLED);
        } else if (i == 1) {
            leave(fd, 1, RANKS + 1, TOPOMAP_PART_FILLED);
        } else if (i == 2) {
            leave(fd, RANKS, RANKS, TOPOMAP_PART_FILLED);
        } else if (i == 3) {
            head->used = UINT32_MAX;
        } else if (i == 4) {
            snprintf(head->folder, sizeof head->folder, "relative");
        } else {
            assert_int_equal(pread(fd, &slot, sizeof slot, (off_t)head->first), sizeof slot);
            slot.rows = UINT64_MAX / 2;
            assert_int_equal(pwrite(fd, &slot, sizeof slot, (off_t)head->first), sizeof slot);
        }
        munmap(head, sizeof *head);
        assert_int_equal(collect(fd), 1);
        refused(folder, "without parts");
        close(fd);
        free(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_workers),
        cmocka_unit_test(test_other_descriptors),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_collect),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_mpi),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
