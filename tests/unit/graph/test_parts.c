/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a profiled run: what makes a graph, and what must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/formats/parts.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/hash64.h"

enum { RANKS = 5, ROOM = 4096 };

/* What each rank of a run saw: the next one, and by one-sided reads the one behind it. */
static topomap_part_row rows_of(uint32_t rank, int second)
{
    if (second)
        return (topomap_part_row){(rank + 2) % RANKS, 0, 0, 0, rank + 1, 1};
    return (topomap_part_row){(rank + 1) % RANKS, 0, 100 * rank, 3, 0, 0};
}

static struct part {
    struct topomap_part_header header;
    struct topomap_part_rank table[RANKS];
    topomap_part_row row[2 * RANKS];
    unsigned char bytes[ROOM];
} part;

/* The part of some ranks, in part.bytes; \p flag is theirs. */
static size_t make(const uint32_t *rank, uint32_t count, uint32_t flag)
{
    size_t rows = 0;

    memset(&part, 0, sizeof part);
    part.header =
        (struct topomap_part_header){.ranks = RANKS, .run = 9, .count = count, .program = "ring"};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = rank[i] == 4 ? 0 : 2; /* the last rank is silent */

        for (uint32_t k = 0; k < own; k++)
            part.row[rows + k] = rows_of(rank[i], (int)k);
        part.table[i] =
            (struct topomap_part_rank){.rank = rank[i],
                                       .flags = flag,
                                       .rows = own,
                                       .checksum = topomap_part_checksum(part.row + rows, own)};
        rows += own;
    }
    topomap_part_seal(&part.header, part.table);
    assert_true(part.header.size <= ROOM);
    memcpy(part.bytes, &part.header, sizeof part.header);
    memcpy(part.bytes + sizeof part.header, part.table, count * sizeof *part.table);
    memcpy(part.bytes + sizeof part.header + count * sizeof *part.table, part.row,
           rows * sizeof *part.row);
    assert_int_equal(part.header.size,
                     sizeof part.header + count * sizeof *part.table + rows * sizeof *part.row);
    return part.header.size;
}

static void put(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_write(path, bytes, size);
}

/* A new folder of the test's, by its name there. */
static const char *fresh(void)
{
    static char name[40];
    static int number;

    snprintf(name, sizeof name, "run%d", number++);
    assert_int_equal(mkdir(scratch_path(name), 0700), 0);
    return name;
}

static const uint32_t odd[] = {1, 3}, even[] = {0, 2, 4}, all[] = {0, 1, 2, 3, 4};

static const char *two_parts(void)
{
    const char *folder = fresh();

    put(folder, "part.7", part.bytes, make(even, 3, TOPOMAP_PART_WHOLE));
    put(folder, "part.12", part.bytes, make(odd, 2, TOPOMAP_PART_WHOLE));
    return folder;
}

static void drop(const char *folder, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(scratch_path(path)), 0);
}

static void refused(const char *folder, const char *why)
{
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(topomap_parts_read(scratch_path(folder), &graph, &err), -1);
    if (!message_has(err.text, why))
        fail_msg("%s\nhas no: %s", err.text, why);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_graph(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 3, 2, 3, 4, 0}, to[] = {1, 2, 3, 4, 0, 1, 2, 3};
    static const uint64_t bytes[] = {0, 100, 200, 300, 1, 2, 3, 4},
                          messages[] = {3, 3, 3, 3, 1, 1, 1, 1};
    topomap_graph *graph, *wanted;

    (void)state;
    assert_int_equal(topomap_graph_new(RANKS, 8, from, to, bytes, messages, &wanted, NULL), 0);
    assert_int_equal(topomap_parts_read(scratch_path(two_parts()), &graph, NULL), 0);
    graph_same(graph, wanted, 1, 0);
    graph_sound(graph);
    assert_string_equal(graph->source, "MPI profile of ring");
    topomap_graph_free(graph);
    topomap_graph_free(wanted);
}

/* However the ranks were divided, the file is the same, byte for byte; a folder is a graph. */
static void test_division(void **state)
{
    char *file[2];
    size_t size[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *folder = i ? fresh() : two_parts(), *path = scratch_path(i ? "b.tmg" : "a.tmg");
        topomap_graph *graph;

        if (i)
            put(folder, "part.0", part.bytes, make(all, RANKS, TOPOMAP_PART_WHOLE));
        graph = graph_good(scratch_path(folder), NULL);
        assert_int_equal(topomap_graph_write(graph, path, "tmg", NULL), 0);
        topomap_graph_free(graph);
        file[i] = scratch_slurp(path, &size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(file[0], file[1], size[0]);
    free(file[0]);
    free(file[1]);
}

static void test_other_files(void **state)
{
    static const char *const names[] = {"part.",    "part.07",         "part.1x",
                                        "part.3.5", "part.4294967296", "profile.tmg"};
    const char *folder = two_parts();
    topomap_graph *graph;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(folder, names[i], "no part", 7);
    assert_int_equal(topomap_parts_read(scratch_path(folder), &graph, NULL), 0);
    topomap_graph_free(graph);
}

/* Whose time is over before the first file is told so, and what is there stays as it is. */
static void test_no_time(void **state)
{
    const char *folder = two_parts();
    int opened = open(scratch_path(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_true(opened >= 0);
    assert_int_equal(topomap_parts_read_open(opened, "run", -1, &graph, &err), -1);
    assert_message(err.text, "run:|0|2 parts");
    assert_int_equal(topomap_parts_read_open(opened, "run", 60, &graph, &err), 0);
    topomap_graph_free(graph);
    close(opened);
}

static void test_incomplete(void **state)
{
    const char *folder = fresh();

    (void)state;
    refused("nowhere", "No such file");
    refused(folder, "parts");
    put(folder, "part.0", part.bytes, make(even, 3, TOPOMAP_PART_WHOLE));
    refused(folder, "rank 1|5|3");
    put(folder, "part.1", part.bytes, make(all, 4, TOPOMAP_PART_WHOLE));
    refused(folder, "rank 0|part.0|part.1");
    drop(folder, "part.0");
    put(folder, "part.0", part.bytes, make(all, 0, 0));
    refused(folder, "rank 4|5");
    put(folder, "part.0", part.bytes, make(all + 4, 1, 0));
    refused(folder, "rank 4|MPI_Finalize");
}

/* Checksums hold; what the parts say does not fit. */
static void test_misfits(void **state)
{
    struct topomap_part_header *header = (struct topomap_part_header *)part.bytes;
    struct topomap_part_rank *table = (struct topomap_part_rank *)(header + 1);
    const char *folder = two_parts();
    size_t size = make(odd, 2, TOPOMAP_PART_WHOLE);

    (void)state;
    header->ranks = RANKS + 1;
    topomap_part_seal(header, table);
    put(folder, "part.12", part.bytes, size);
    refused(folder, "part.12:|6|5");
    header->ranks = RANKS;
    header->run++;
    topomap_part_seal(header, table);
    put(folder, "part.12", part.bytes, size);
    refused(folder, "part.12:|run");
    header->run--;
    header->count = 1000;
    put(folder, "part.12", part.bytes, size);
    refused(folder, "header");
    make(odd, 2, TOPOMAP_PART_WHOLE);
    table[1].rank = 1;
    topomap_part_seal(header, table);
    put(folder, "part.12", part.bytes, size);
    refused(folder, "ascend");
    make(odd, 2, TOPOMAP_PART_WHOLE);
    table[0].rows = 1;
    topomap_part_seal(header, table);
    put(folder, "part.12", part.bytes, header->size);
    refused(folder, "checksum|rank 1");
    header->size = size;
    put(folder, "part.12", part.bytes, size);
    refused(folder, "checksum");
}

/* Every byte changed, and every length. */
static void test_damaged(void **state)
{
    const char *folder = two_parts();
    size_t size = make(odd, 2, TOPOMAP_PART_WHOLE);

    (void)state;
    for (size_t at = 0; at < size; at++) {
        part.bytes[at] ^= (unsigned char)(1 << at % 8);
        put(folder, "part.12", part.bytes, size);
        refused(folder, "part.12: ");
        part.bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    for (size_t cut = 0; cut < size; cut++) {
        put(folder, "part.12", part.bytes, cut);
        refused(folder, "part.12: ");
    }
    part.bytes[size] = 0;
    put(folder, "part.12", part.bytes, size + 1);
    refused(folder, "follows");
}

/* A header that promises much is refused before anything is made of it. */
static void test_promises(void **state)
{
    const char *folder = fresh();
    struct topomap_part_header *header = (struct topomap_part_header *)part.bytes;
    struct topomap_part_rank *table = (struct topomap_part_rank *)(header + 1);
    size_t size = make(odd, 2, TOPOMAP_PART_WHOLE);

    (void)state;
    header->ranks = UINT32_C(1) << 31;
    topomap_part_seal(header, table);
    put(folder, "part.0", part.bytes, size);
    refused(folder, "rank 0|2147483648");
    make(odd, 2, TOPOMAP_PART_WHOLE);
    table[1].rows = UINT64_MAX / sizeof(topomap_part_row);
    topomap_part_seal(header, table);
    header->size = size;
    put(folder, "part.0", part.bytes, size);
    refused(folder, "checksum");
}

static void test_no_files(void **state)
{
    const char *folder = two_parts();
    char path[100];

    (void)state;
    drop(folder, "part.12");
    snprintf(path, sizeof path, "%s/part.12", folder);
    assert_int_equal(mkfifo(scratch_path(path), 0600), 0);
    refused(folder, "regular");
    drop(folder, "part.12");
    assert_int_equal(symlink("part.7", scratch_path(path)), 0);
    refused(folder, "part.12:");
}

/* ---- The summary --------------------------------------------------------------------------- */

static int summary_of(const char *folder, topomap_part_summary *sums, topomap_error *err)
{
    int opened = open(scratch_path(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;

    assert_true(opened >= 0);
    status = topomap_parts_summary_open(opened, "run", sums, err);
    close(opened);
    return status;
}

/* Some ranks' part, with times (rank i: 10 + i of 100 + i), or without, and a status. */
static void put_timed(const char *folder, const char *name, const uint32_t *rank, uint32_t count,
                      int timed, uint32_t status, uint64_t status_ns)
{
    size_t size = make(rank, count, TOPOMAP_PART_WHOLE);

    for (uint32_t i = 0; timed && i < count; i++) {
        part.table[i].wall_ns = 100 + rank[i];
        part.table[i].mpi_ns = 10 + rank[i];
    }
    part.header.status = status;
    part.header.status_ns = status_ns;
    topomap_part_seal(&part.header, part.table);
    memcpy(part.bytes, &part.header, sizeof part.header);
    memcpy(part.bytes + sizeof part.header, part.table, count * sizeof *part.table);
    put(folder, name, part.bytes, size);
}

static void test_summary(void **state)
{
    const char *folder = fresh();
    topomap_part_summary sums;
    topomap_graph *graph;

    (void)state;
    put_timed(folder, "part.1", odd, 2, 1, 0, 0);
    put_timed(folder, "part.2", even, 3, 1, 0, 0);
    assert_int_equal(summary_of(folder, &sums, NULL), 0);
    assert_int_equal(topomap_parts_read(scratch_path(folder), &graph, NULL), 0);
    assert_int_equal(sums.ranks, RANKS);
    assert_int_equal(sums.whole, RANKS);
    assert_int_equal(sums.nodes, 2);
    assert_true(sums.has_time);
    assert_int_equal(sums.wall_ns, 104);
    assert_int_equal(sums.mpi_ns, 12);
    assert_int_equal(sums.bytes, graph->total_bytes);
    assert_int_equal(sums.messages, 4 * (3 + 1));
    assert_int_equal(sums.status, 0);
    topomap_graph_free(graph);
    /* One rank without a time, and nobody knows the run's. */
    put_timed(folder, "part.1", odd, 2, 0, 0, 0);
    assert_int_equal(summary_of(folder, &sums, NULL), 0);
    assert_false(sums.has_time);
    assert_int_equal(sums.wall_ns, 0);
    assert_int_equal(sums.mpi_ns, 0);
}

/* What ranks that failed have left tells how; of several nodes the one that failed first. */
static void test_failed(void **state)
{
    const char *folder = fresh();
    topomap_part_summary sums;
    topomap_error err;
    char text[80];

    (void)state;
    assert_int_equal(summary_of(folder, &sums, &err), -1);
    assert_message(err.text, "without parts");
    put_timed(folder, "part.0", even, 3, 1, 9, 2000);
    put_timed(folder, "part.1", odd, 0, 1, 3 << 8, 1000);
    put_timed(folder, "part.2", odd, 0, 1, 15, 1500);
    assert_int_equal(summary_of(folder, &sums, NULL), 0);
    assert_int_equal(sums.whole, 3);
    assert_int_equal(sums.nodes, 3);
    assert_int_equal(sums.status, 3 << 8);
    assert_int_equal(sums.status_part, 1);
    assert_true(sums.has_time);
    assert_string_equal(topomap_part_status_text(sums.status, text, sizeof text), "exit status 3");
    assert_string_equal(topomap_part_status_text(9 | 128, text, sizeof text), "signal 9");
    refused(folder, "3 ranks|part.1|status 3");
    put_timed(folder, "part.1", odd, 0, 1, 0, 0);
    put_timed(folder, "part.2", odd, 0, 1, 0, 0);
    put_timed(folder, "part.0", even, 0, 1, 9, 1);
    assert_int_equal(summary_of(folder, &sums, NULL), 0);
    assert_int_equal(sums.ranks, RANKS);
    assert_false(sums.has_time);
    put(folder, "part.1", part.bytes, 100);
    assert_int_equal(summary_of(folder, &sums, &err), -1);
}

/* What version 1 wrote, byte by byte: 32 bytes a rank in the table; the header's last numbers had
 * no meaning. */
static void test_version_1(void **state)
{
    const char *folder = two_parts();
    size_t size = make(odd, 2, TOPOMAP_PART_WHOLE), row = 32;
    struct topomap_part_header *header = (struct topomap_part_header *)part.bytes;
    unsigned char *table = part.bytes + sizeof *header;
    topomap_part_summary sums;
    topomap_graph *graph;

    (void)state;
    memmove(table + row, table + sizeof *part.table, row);
    memmove(table + 2 * row, table + 2 * sizeof *part.table, 4 * sizeof *part.row);
    header->version = 1;
    header->status = 77;
    header->size = size -= 2 * (sizeof *part.table - row);
    header->checksum = 0;
    header->checksum = topomap_hash64_two(header, sizeof *header, table, 2 * row);
    put(folder, "part.12", part.bytes, size);
    assert_int_equal(topomap_parts_read(scratch_path(folder), &graph, NULL), 0);
    assert_int_equal(graph->total_bytes, 100 * (0 + 1 + 2 + 3) + 1 + 2 + 3 + 4);
    topomap_graph_free(graph);
    assert_int_equal(summary_of(folder, &sums, NULL), 0);
    assert_int_equal(sums.whole, RANKS);
    assert_false(sums.has_time);
    assert_int_equal(sums.status, 0);
    header->version = TOPOMAP_PART_VERSION + 1;
    put(folder, "part.12", part.bytes, size);
    refused(folder, "3|1|2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),       cmocka_unit_test(test_division),
        cmocka_unit_test(test_other_files), cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_misfits),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_promises),    cmocka_unit_test(test_no_files),
        cmocka_unit_test(test_no_time),     cmocka_unit_test(test_summary),
        cmocka_unit_test(test_failed),      cmocka_unit_test(test_version_1),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
