/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a profiled run: which become phases of its graph, and that the graph is their sum. */
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
#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

enum { RANKS = 8, ROWS = 1024 };

/* What rank 0, 1, ... saw, each one's rows in a phase and all of them. */
static struct {
    topomap_part_row row[RANKS][ROWS];
    uint32_t rows[RANKS];
    uint64_t passed[RANKS];
} run;

static void fresh(void)
{
    memset(&run, 0, sizeof run);
    for (uint32_t r = 0; r < RANKS; r++)
        run.passed[r] = 77;
}

static void send(uint32_t phase, uint32_t from, uint32_t to, uint64_t bytes)
{
    assert_true(run.rows[from] < ROWS);
    run.row[from][run.rows[from]++] = (topomap_part_row){to, phase, bytes, 1, 0, 0};
}

/* Each rank to that so many further on. */
static void shift(uint32_t phase, uint32_t by, uint64_t bytes)
{
    for (uint32_t r = 0; r < RANKS; r++)
        send(phase, r, (r + by) % RANKS, bytes);
}

static void leave(const char *folder, uint32_t rank)
{
    struct topomap_part_header header = {.ranks = RANKS, .count = 1, .program = "program"};
    struct topomap_part_rank table = {.rank = rank,
                                      .flags = TOPOMAP_PART_WHOLE,
                                      .rows = run.rows[rank],
                                      .passed = run.passed[rank],
                                      .checksum =
                                          topomap_part_checksum(run.row[rank], run.rows[rank])};
    char path[40];
    static char bytes[sizeof header + sizeof table + sizeof run.row[0]];

    topomap_part_seal(&header, &table);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, &table, sizeof table);
    memcpy(bytes + sizeof header + sizeof table, run.row[rank], table.rows * sizeof run.row[0][0]);
    snprintf(path, sizeof path, "%s/part.%u", folder, rank);
    scratch_write(path, bytes, header.size);
}

static const char *leave_all(void)
{
    static int number;
    static char folder[20];

    snprintf(folder, sizeof folder, "run%d", number++);
    assert_int_equal(mkdir(scratch_path(folder), 0700), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        leave(folder, r);
    return scratch_path(folder);
}

/* The graph, which is what it is without phases, and the sum of those that it has. */
static topomap_graph *read(uint32_t phases)
{
    topomap_graph *graph, *other, *sum;
    uint64_t passed = run.passed[3];

    assert_int_equal(topomap_parts_read(leave_all(), &graph, NULL), 0);
    assert_int_equal(graph->phases, phases);
    graph_sound(graph);
    run.passed[3] = 0;
    assert_int_equal(topomap_parts_read(leave_all(), &other, NULL), 0);
    run.passed[3] = passed;
    assert_int_equal(other->phases, 0);
    graph_same(graph, other, 1, 0);
    topomap_graph_free(other);
    for (uint32_t i = 0; i < phases; i++)
        assert_true(graph->phase[i]->barrier);
    for (uint32_t i = 0; i < phases; i++)
        graph_sound(graph->phase[i]);
    if (phases) {
        assert_int_equal(
            topomap_graph_merge((const topomap_graph *const *)graph->phase, phases, &sum, NULL), 0);
        graph_same(graph, sum, 1, 0);
        topomap_graph_free(sum);
    }
    return graph;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_two(void **state)
{
    topomap_graph *graph;

    (void)state;
    fresh();
    shift(4, 1, 100);
    shift(9, 4, 300);
    graph = read(2);
    for (uint32_t r = 0; r < RANKS; r++) { /* the larger first */
        assert_int_equal(graph_arc(graph->phase[0], r, (r + 4) % RANKS), 300);
        assert_int_equal(graph_arc(graph->phase[1], r, (r + 1) % RANKS), 100);
    }
    assert_int_equal(graph->phase[0]->arcs, RANKS);
    assert_int_equal(graph->phase[1]->arcs, RANKS);
    topomap_graph_free(graph);
}

static void test_ranks_that_disagree(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < RANKS; r++)
        for (int what = 0; what < 2; what++) {
            fresh();
            shift(4, 1, 100);
            shift(9, 4, 300);
            run.passed[r] = what ? 78 : 0;
            topomap_graph_free(read(0));
        }
}

/* One-sided reads are in their phase, too. */
static void test_reads(void **state)
{
    topomap_graph *graph;

    (void)state;
    fresh();
    shift(0, 1, 100);
    for (uint32_t r = 0; r < RANKS; r++)
        run.row[r][run.rows[r]++] = (topomap_part_row){
            .partner = (r + 2) % RANKS, .phase = 1, .bytes_in = 50, .messages_in = 1};
    graph = read(2);
    assert_int_equal(graph_arc(graph->phase[1], 2, 0), 50);
    topomap_graph_free(graph);
}

/* Nine tenths of the same ways are alike, and less is not. */
static void test_alike(void **state)
{
    topomap_graph *graph;

    (void)state;
    fresh();
    shift(1, 1, 1000);
    shift(1, 2, 1000);
    shift(2, 1, 550);
    shift(2, 2, 450);
    topomap_graph_free(read(0));
    shift(3, 1, 350);
    shift(3, 2, 650);
    graph = read(2);
    assert_int_equal(graph_arc(graph->phase[0], 0, 1), 1550);
    assert_int_equal(graph_arc(graph->phase[1], 0, 1), 350);
    topomap_graph_free(graph);
}

/* Few bytes are nothing, unless they are one rank's. */
static void test_small(void **state)
{
    topomap_graph *graph;

    (void)state;
    fresh();
    shift(1, 1, 100000);
    shift(2, 4, 900);
    shift(3, 3, 0);
    topomap_graph_free(read(0));
    send(4, 5, 0, 3000);
    graph = read(2);
    assert_int_equal(graph->phase[1]->total_bytes, 3000);
    topomap_graph_free(graph);
    fresh();
    shift(1, 1, 0);
    shift(2, 2, 0);
    topomap_graph_free(read(0));
}

/* The smallest of what is small is with what it is like, not with the largest. */
static void test_small_and_alike(void **state)
{
    topomap_graph *graph;

    (void)state;
    fresh();
    shift(1, 1, 100000);
    shift(2, 4, 50000);
    shift(3, 4, 1);
    graph = read(2);
    assert_int_equal(graph_arc(graph->phase[1], 0, 4), 50001);
    topomap_graph_free(graph);
}

/* More than a graph has: the largest of them are its phases. More rows than ranks are none too
 * many. */
static void test_many(void **state)
{
    enum { PAIRS = RANKS * (RANKS - 1) };
    topomap_graph *graph;
    uint64_t last = UINT64_MAX;

    (void)state;
    fresh();
    for (uint32_t k = 0; k < PAIRS; k++)
        send(k, k % RANKS, (k + 1 + k / RANKS) % RANKS, 1000 + k);
    graph = read(8);
    for (uint32_t i = 1; i < 8; i++) {
        assert_true(graph->phase[i]->total_bytes <= last);
        last = graph->phase[i]->total_bytes;
    }
    assert_int_equal(last, 1000 + PAIRS - 8);
    topomap_graph_free(graph);
}

static void test_no_phase(void **state)
{
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    fresh();
    send(TOPOMAP_PART_PHASES, 0, 1, 1);
    assert_int_equal(topomap_parts_read(leave_all(), &graph, &err), -1);
    assert_message(err.text, "phase");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),   cmocka_unit_test(test_ranks_that_disagree),
        cmocka_unit_test(test_reads), cmocka_unit_test(test_alike),
        cmocka_unit_test(test_small), cmocka_unit_test(test_small_and_alike),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_no_phase),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
