/* SPDX-License-Identifier: BSD-3-Clause */
/* Making graphs of arcs and of graphs; what single formats have of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

/* Counts of messages that do not fit in 32 bits, alone or added up. */
static void test_wide_messages(void **state)
{
    static const uint32_t from[] = {1, 0, 0, 1}, to[] = {0, 1, 1, 2};
    static const uint64_t bytes[] = {1, 1, 1, 1};
    static const uint64_t messages[][4] = {{1, UINT64_C(1) << 33, 3, 4},
                                           {1, UINT32_MAX, UINT32_MAX, 4}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        topomap_graph *graph = NULL;

        assert_int_equal(topomap_graph_new(3, 4, from, to, bytes, messages[i], &graph, NULL), 0);
        graph_sound(graph);
        assert_int_equal(graph->message_width, 8);
        assert_int_equal(topomap_graph_arc_messages(graph, 0), messages[i][1] + messages[i][2]);
        assert_int_equal(topomap_graph_arc_messages(graph, 1), 1);
        assert_int_equal(topomap_graph_arc_messages(graph, 2), 4);
        topomap_graph_free(graph);
    }
}

/* Counts take 2, 4 or 8 bytes at rest, by the largest; files too. */
static void test_narrow_messages(void **state)
{
    static const uint32_t from[] = {0, 1, 1}, to[] = {1, 0, 2};
    static const uint64_t bytes[] = {1, 2, 3},
                          most[] = {UINT16_MAX, UINT16_MAX + 1, UINT64_C(1) << 32};
    const char *path = scratch_path("narrow.tmg");

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t messages[] = {7, most[i], 0};
        topomap_graph *graph = NULL, *again = NULL;

        assert_int_equal(topomap_graph_new(3, 3, from, to, bytes, messages, &graph, NULL), 0);
        assert_int_equal(topomap_graph_write(graph, path, "tmg", NULL), 0);
        assert_int_equal(topomap_graph_read(path, "tmg", &again, NULL), 0);
        for (int g = 0; g < 2; g++) {
            const topomap_graph *one = g ? again : graph;

            assert_int_equal(one->message_width, 2 << i);
            for (int k = 0; k < 3; k++)
                assert_int_equal(topomap_graph_arc_messages(one, (uint64_t)k), messages[k]);
            graph_sound(one);
        }
        topomap_graph_free(graph);
        topomap_graph_free(again);
    }
}

struct arc {
    uint32_t from, to;
    uint64_t bytes, messages;
};

static int by_ends(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Many arcs in any order, a third of them out of one rank, against qsort. */
static void test_many_arcs(void **state)
{
    enum { RANKS = 70000, ARCS = 60000 };
    struct arc *arc = calloc(ARCS, sizeof *arc);
    topomap_random random = {5};
    topomap_arcs arcs = {.has_messages = 1};
    topomap_graph *graph = NULL;
    uint64_t at = 0;

    (void)state;
    for (size_t i = 0; i < ARCS; i++) {
        arc[i].from = i % 3 ? topomap_random_below(&random, RANKS) : 69000;
        arc[i].to = i % 7 ? topomap_random_below(&random, RANKS) : i % 2;
        arc[i].bytes = i;
        arc[i].messages = i * 3;
        assert_int_equal(topomap_arcs_add(&arcs, arc[i].from, arc[i].to, i, i * 3, NULL), 0);
    }
    assert_int_equal(topomap_arcs_take(&arcs, RANKS, &graph, NULL), 0);
    qsort(arc, ARCS, sizeof *arc, by_ends);
    for (size_t i = 0, next; i < ARCS; i = next) {
        uint64_t bytes = 0, messages = 0;

        for (next = i; next < ARCS && !by_ends(&arc[i], &arc[next]); next++) {
            bytes += arc[next].bytes;
            messages += arc[next].messages;
        }
        if (arc[i].from == arc[i].to)
            continue;
        assert_true(graph->offset[arc[i].from] <= at && at < graph->offset[arc[i].from + 1]);
        assert_int_equal(graph->target[at], arc[i].to);
        assert_int_equal(graph->bytes[at], bytes);
        assert_int_equal(topomap_graph_arc_messages(graph, at++), messages);
    }
    assert_int_equal(graph->arcs, at);
    topomap_graph_free(graph);
    free(arc);
}

/* ---- Formats ------------------------------------------------------------------------------- */

static void test_metis_parts(void **state)
{
    static const char text[] = "3 2 111 3\n9 5 1 2 2 7\n8 6 2 1 1 7 3 9\n7 7 3 0 2 9\n";
    topomap_graph *graph = graph_good(scratch_text("m.graph", text), NULL);
    char *back;

    (void)state;
    assert_int_equal(graph->loads, 3);
    assert_int_equal(graph->load_more[3], 1);
    assert_int_equal(graph->size[2], 7);
    assert_int_equal(topomap_graph_write(graph, scratch_path("m2.graph"), NULL, NULL), 0);
    back = scratch_slurp(scratch_path("m2.graph"), NULL);
    assert_string_equal(back, text);
    free(back);
    topomap_graph_free(graph);
    graph_bad(scratch_text("m.graph", "2 1 100\n9223372036854775807 2\n1 1\n"), NULL,
              TOPOMAP_EINPUT, "vertex");
}

static void test_scotch(void **state)
{
    /* Base 1, labels, both weights, a vertex over two lines. */
    topomap_graph *graph = graph_good(
        scratch_text("s.grf", "0\n3 4\n1 111\n30 5 1\n9 10\n10 6 2 9 30 8 20 20 7 1 8 10\n"), NULL);

    (void)state;
    assert_int_equal(graph->arcs, 4);
    assert_int_equal(graph_arc(graph, 0, 1), 5);
    assert_int_equal(graph_arc(graph, 2, 1), 4);
    assert_int_equal(graph->load[1], 6);
    assert_string_equal(topomap_graph_name(graph, 0), "30");
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("s", "0\n2 2\n1 000\n1 2\n1 1\n"), NULL);
    assert_int_equal(topomap_graph_bytes(graph), 1);
    topomap_graph_free(graph);
}

static void test_scotch_bad(void **state)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"1\n3 4\n0 000\n", "version 1"},
        {"0\n0 4\n0 000\n", "0 vertices"},
        {"0\n3 4\n2 000\n", "base 2"},
        {"0\n3 4\n0 200\n", "digits 200"},
        {"0\n2 900000\n0 000\n1 1\n1 0\n", "900000"},
        {"0\n2 2\n0 000\n1 1\n", "degree"},
        {"0\n2 2\n0 000\n1 2\n1 0\n", "s.grf:4: vertex 0 lists vertex 2"},
        {"0\n2 2\n0 000\n1 0\n1 0\n", "vertex 0 lists vertex 0"},
        {"0\n2 2\n0 000\n2 1 1\n1 0\n", "2"},
        {"0\n2 4\n0 000\n2 1 1\n2 0 0\n", "vertex 0 lists vertex 1 twice"},
        {"0\n2 4\n0 000\n1 1\n1 0\n", "says 4 arcs"},
        {"0\n2 2\n0 010\n1 5 1\n1 6 0\n", "6|5"},
        {"0\n2 1\n0 000\n1 1\n0\n", "s.grf:4:"},
        {"0\n2 2\n0 100\n7 1 8\n7 1 7\n", "7"},
        {"0\n2 2\n0 100\n7 1 9\n8 1 7\n", "unknown label, 9"},
        {"0\n2 2\n0 000\n1 1\n1 0\n5\n", "something follows"},
        {"0\n2 2\n0 000\n1 x\n1 0\n", "s.grf:4:|`x`"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        graph_bad(scratch_text("s.grf", bad[i].text), "scotch", TOPOMAP_EINPUT, bad[i].part);
}

/* Get is the other one's sending; collectives count once; the diagonal is nothing. */
static void test_monitoring(void **state)
{
    static const char text[] =
        "# POINT TO POINT\nE\t0\t1\t5000 bytes\t2 msgs sent\t0,1\n"
        "I\t0\t1\t30 bytes\t3 msgs sent\nE\t1\t1\t9 bytes\t1 msgs sent\n"
        "# OSC\nS\t1\t0\t7 bytes\t1 msgs sent\nR\t1\t0\t11 bytes\t1 msgs sent\n"
        "# COLLECTIVES\nC\t0\t1\t30 bytes\t3 msgs sent\n"
        "D\tMPI_COMM_WORLD\tprocs: 0,1,2\nA2O\t0\t30 bytes\t3 msgs sent\n";
    topomap_graph *graph = graph_good(scratch_text("p.prof", text), NULL);
    topomap_error err;

    (void)state;
    assert_int_equal(graph->ranks, 3);
    assert_int_equal(graph_arc(graph, 0, 1), 5041);
    assert_int_equal(graph_arc(graph, 1, 0), 7);
    assert_int_equal(graph->total_messages, 7);
    assert_message(topomap_graph_note(graph), "2|3");
    topomap_graph_free(graph);
    for (int i = 0; i < 3; i++) {
        static const char *const options[] = {"tags=E", "tags=x", "min-bytes=8"};
        static const uint64_t bytes[] = {5000, 0, 5041};
        const char *option[] = {options[i], NULL};

        graph = NULL;
        assert_int_equal(
            topomap_graph_read_options(scratch_path("p.prof"), NULL, option, &graph, &err),
            bytes[i] ? 0 : -1);
        if (graph)
            assert_int_equal(topomap_graph_bytes(graph), bytes[i]);
        else
            assert_int_equal(err.code, TOPOMAP_EUSAGE);
        topomap_graph_free(graph);
    }
    graph_bad(scratch_text("p.prof", "E\t0\t1\t5 bytes\tx msgs sent\n"), NULL, TOPOMAP_EINPUT,
              "p.prof:1:|messages");
    graph_bad(scratch_text("p.prof", "E\t0\t1\t5 byte\t1 msgs sent\n"), "ompi-monitoring",
              TOPOMAP_EINPUT, "`bytes` must follow");
    graph_bad(scratch_text("p.prof", "E\t0\t4294967296\t5 bytes\t1 msgs sent\n"), NULL,
              TOPOMAP_EINPUT, "p.prof:1: rank 4294967296");
    graph_bad(scratch_text("p.prof", "E\t0\t99999999\t5 bytes\t1 msgs sent\n"), NULL,
              TOPOMAP_EINPUT, "rank");
    graph_bad(scratch_text("p.prof", "# POINT TO POINT\nhello\n"), NULL, TOPOMAP_EINPUT,
              "p.prof:2:");
}

static void test_treematch(void **state)
{
    topomap_graph *graph =
        graph_good(scratch_text("any", "9 1.5e3 0 \n7 0 0.4 \n0 2 1 \n"), "treematch");

    (void)state;
    assert_int_equal(graph->arcs, 3);
    assert_int_equal(graph_arc(graph, 0, 1), 1500);
    topomap_graph_free(graph);
    /* A small one is recognised by its diagonal and the blanks at its lines' ends. */
    graph = graph_good(scratch_text("any", "0 5 6 \n5 0 7 \n6 7 0 \n"), NULL);
    assert_int_equal(topomap_graph_bytes(graph), 36);
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("any", "0 1 6\n1 2 7\n2 0 8\n"), NULL);
    assert_int_equal(topomap_graph_bytes(graph), 21); /* three edges */
    topomap_graph_free(graph);
    graph_bad(scratch_text("a.mat", "0 1\n1\n"), NULL, TOPOMAP_EINPUT, "");
    graph_bad(scratch_text("a.mat", "0 1\n1 0 2\n"), "treematch", TOPOMAP_EINPUT,
              "a.mat:2: more than 2 numbers");
    graph_bad(scratch_text("a.mat", "0 1\n1 0\n1 0\n"), "treematch", TOPOMAP_EINPUT, "square");
    graph_bad(scratch_text("a.mat", "0 1\n-1 0\n"), "treematch", TOPOMAP_EINPUT, "negative");
    graph_bad(scratch_text("a.mat", "0 9223372036854775807\n5 0\n"), "treematch", TOPOMAP_EINPUT,
              "2^63");
}

/* Rows 1-2, 3-4, 5-6 of a matrix on three ranks: rank 0 needs x3 and x4 of rank 1 and x5 of rank
 * 2; rank 1 needs x1 and x6; rank 2 needs x1 and x2. */
static void test_halo(void **state)
{
    static const char text[] = "%%MatrixMarket matrix coordinate complex general\n6 6 12\n"
                               "1 1 1 0\n1 3 -2 1\n1 4 1e40 0\n2 3 1 0\n2 5 7 0\n3 1 1 0\n4 6 1 0\n"
                               "4 3 1 0\n5 1 3 0\n5 2 1 0\n6 1 1 0\n6 6 1 0\n";
    static const char *const rows[] = {"rows-per-rank=2", NULL},
                             *const wide[] = {"value-bytes=100", "rows-per-rank=2", NULL},
                             *const twice[] = {"parts=2", "rows-per-rank=2", NULL},
                             *const none[] = {"value-bytes=4", NULL},
                             *const metis[] = {"parts=3", NULL};
    const char *path = scratch_text("h.mtx", text), *file[] = {NULL, NULL};
    topomap_graph *graph = NULL;
    char option[400];
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_read_options(path, NULL, rows, &graph, &err), 0);
    assert_int_equal(graph->ranks, 3);
    assert_int_equal(graph->arcs, 5);
    assert_int_equal(graph_arc(graph, 1, 0), 16);
    assert_int_equal(graph_arc(graph, 2, 0), 8);
    assert_int_equal(graph_arc(graph, 0, 1), 8);
    assert_int_equal(graph_arc(graph, 2, 1), 8);
    assert_int_equal(graph_arc(graph, 0, 2), 16);
    assert_int_equal(graph->total_messages, 5);
    topomap_graph_free(graph);
    assert_int_equal(topomap_graph_read_options(path, NULL, wide, &graph, &err), 0);
    assert_int_equal(topomap_graph_bytes(graph), 700);
    topomap_graph_free(graph);
    snprintf(option, sizeof option, "partition=%s", scratch_text("p", "0\n0\n1\n1\n2\n2\n"));
    file[0] = option;
    assert_int_equal(topomap_graph_read_options(path, NULL, file, &graph, &err), 0);
    assert_int_equal(topomap_graph_bytes(graph), 56);
    topomap_graph_free(graph);
    assert_int_equal(topomap_graph_read_options(path, NULL, metis, &graph, &err), 0);
    assert_int_equal(graph->ranks, 3);
    assert_true(topomap_graph_bytes(graph) <= 56);
    topomap_graph_free(graph);
    assert_int_equal(topomap_graph_read_options(path, NULL, twice, &graph, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_graph_read_options(path, NULL, none, &graph, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    scratch_text("p", "0\n0\n1\n1\n2\n");
    assert_int_equal(topomap_graph_read_options(path, NULL, file, &graph, &err), -1);
    assert_message(err.text, "5|6");
    scratch_text("p", "0\n0\n1\n1\n2\n6\n");
    assert_int_equal(topomap_graph_read_options(path, NULL, file, &graph, &err), -1);
    assert_message(err.text, "p:6: rank 6");
}

/* A stencil matrix by lines of the grid: each rank exchanges a line with either neighbour. */
static void test_halo_stencil(void **state)
{
    static const char *const rows[] = {"rows-per-rank=10", NULL};
    topomap_graph *grid = graph_good("stencil2d:5:10x8", NULL), *halo = NULL;
    const char *path = scratch_path("grid.mtx");
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_write(grid, path, NULL, NULL), 0);
    assert_int_equal(topomap_graph_read_options(path, NULL, rows, &halo, &err), 0);
    assert_int_equal(halo->ranks, 8);
    assert_int_equal(topomap_graph_edges(halo), 7);
    for (uint32_t r = 0; r < 7; r++) {
        assert_int_equal(graph_arc(halo, r, r + 1), 80);
        assert_int_equal(graph_arc(halo, r + 1, r), 80);
    }
    topomap_graph_free(halo);
    topomap_graph_free(grid);
}

static void test_names(void **state)
{
    topomap_graph *graph = graph_good(
        scratch_text("n.csv", "# by name\n\"b 1\",a,5\na,c,6\n# ranks 4\nc,\"b 1\",7\n7,c,1\n"),
        NULL);

    (void)state;
    assert_int_equal(graph->ranks, 4);
    assert_int_equal(graph_arc(graph, 0, 1), 5);
    assert_int_equal(graph_arc(graph, 2, 0), 7);
    assert_string_equal(topomap_graph_name(graph, 0), "b 1");
    assert_string_equal(topomap_graph_name(graph, 3), "7");
    assert_int_equal(topomap_graph_write(graph, scratch_path("n2.csv"), NULL, NULL), 0);
    topomap_graph_free(graph);
    graph = graph_good(scratch_path("n2.csv"), NULL);
    assert_string_equal(topomap_graph_name(graph, 0), "b 1");
    assert_string_equal(topomap_graph_name(graph, 2), "c");
    assert_int_equal(graph_arc(graph, 1, 2), 6);
    topomap_graph_free(graph);
    graph_bad(scratch_text("n.csv", "# name 0 x\n# name 1 x\n0,1,5\n"), NULL, TOPOMAP_EINPUT,
              "n.csv:2:|`x`");
    graph_bad(scratch_text("n.csv", "a,b,5\na,b,c,5\n"), "edges", TOPOMAP_EINPUT, "n.csv:2: ");
}

static void test_json_parts_bad(void **state)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"\"load\":[1]", "\"load\": 1 entries for 2 ranks"},
        {"\"load\":[[1,2],[3]]", "load"},
        {"\"load\":[9223372036854775807,1]", "2^63"},
        {"\"sizes\":[1,2,3]", "\"sizes\": 3 entries"},
        {"\"names\":[\"a\"]", "\"names\": 1 entries"},
        {"\"names\":[1,2]", "text"},
        {"\"coordinates\":[[1],[1e999]]", "finite"},
        {"\"coordinates\":[[1,2],[3]]", "coordinates"},
        {"\"phases\":[{\"arcs\":[[0,1,6]]}]", "phases"},
        {"\"phases\":[{\"arcs\":[[0,1,5]],\"arcs\":[]}]", "arcs"},
        {"\"phases\":[{\"arcs\":[[0,9,5]]}]", "rank"},
        {"\"source\":\"\\ud800x\"", "pair"},
        {"\"source\":\"\\u0000\"", "text"},
        {"\"source\":\"a\nb\"", "text"},
        {"\"x\":nil", "`nil`"},
        {"\"x\":[1,]", "a value"},
        {"\"x\":1}}", "something follows"},
    };
    char text[300];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "{\"ranks\":2,\"arcs\":[[0,1,5]],%s}", bad[i].text);
        graph_bad(scratch_text("b.json", text), NULL, TOPOMAP_EINPUT, bad[i].part);
    }
    memset(text, '[', sizeof text);
    memcpy(text, "{\"x\":", 5);
    graph_bad(scratch_write("b.json", text, sizeof text), NULL, TOPOMAP_EINPUT, "100 levels");
    /* Keys in any order, and what others wrote. */
    topomap_graph_free(graph_good(
        scratch_text("g.json", "{\"x\":{\"y\":[null,-1.5e3,\"\\u00e4\\ud83d\\ude00\"]},"
                               "\"arcs\":[[1,0,3]],\"ranks\":2,\"names\":[\"\\\"\",\"b\"]}"),
        NULL));
}

static const char mm_head[] = "%%MatrixMarket matrix ";

static topomap_graph *matrix(const char *head, const char *text)
{
    char whole[500];

    snprintf(whole, sizeof whole, "%s%s\n%s", mm_head, head, text);
    return graph_good(scratch_text("file.mtx", whole), NULL);
}

static void matrix_bad(const char *head, const char *text, const char *part)
{
    char whole[500];

    snprintf(whole, sizeof whole, "%s%s\n%s", mm_head, head, text);
    graph_bad(scratch_text("file.mtx", whole), NULL, TOPOMAP_EINPUT, part);
}

static void test_matrix_market(void **state)
{
    topomap_graph *graph = matrix("coordinate pattern general", "3 3 3\n1 2\n3 2\n2 2\n");

    (void)state;
    assert_int_equal(graph->arcs, 2);
    assert_int_equal(graph_arc(graph, 0, 1), 1);
    assert_int_equal(graph_arc(graph, 2, 1), 1);
    topomap_graph_free(graph);
    graph = matrix("coordinate real symmetric", "3 3 3\n2 1 4.5e0\n3 1 -0.0\n3 3 9\n");
    assert_int_equal(graph_arc(graph, 0, 1), 3); /* 4.5 is rounded to 5 = 3 + 2 */
    assert_int_equal(graph_arc(graph, 1, 0), 2);
    assert_int_equal(graph_arc(graph, 2, 0), 0);
    topomap_graph_free(graph);
    graph = matrix("COORDINATE Integer Skew-Symmetric", "3 3 2\n2 1 -7\n3 2 8\n");
    assert_int_equal(graph_arc(graph, 0, 1), 4);
    assert_int_equal(graph_arc(graph, 1, 0), 3);
    assert_int_equal(graph_arc(graph, 2, 1), 4);
    topomap_graph_free(graph);
    graph = matrix("array integer general", "2 2\n9\n8\n7\n6\n"); /* by columns */
    assert_int_equal(graph_arc(graph, 1, 0), 8);
    assert_int_equal(graph_arc(graph, 0, 1), 7);
    topomap_graph_free(graph);
    graph = matrix("array real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n");
    assert_int_equal(topomap_graph_bytes(graph), 10);
    assert_int_equal(graph_arc(graph, 1, 2), 3);
    topomap_graph_free(graph);
    graph = matrix("array integer skew-symmetric", "3 3\n-1\n2\n-4\n");
    assert_int_equal(topomap_graph_bytes(graph), 7);
    assert_int_equal(graph_arc(graph, 1, 2), 2);
    topomap_graph_free(graph);
}

static void test_matrix_market_bad(void **state)
{
    (void)state;
    matrix_bad("coordinate complex general", "1 1 0\n", "file.mtx:1: `complex`");
    matrix_bad("coordinate real hermitian", "1 1 0\n", "`hermitian`");
    matrix_bad("array pattern general", "1 1\n", "pattern");
    matrix_bad("coordinate real general", "", "sizes");
    matrix_bad("coordinate real general", "3 4 0\n", "square");
    matrix_bad("coordinate real general", "0 0 0\n", "0 rows");
    matrix_bad("coordinate real general", "3 3\n", "entries");
    matrix_bad("coordinate real general", "3 3 1 1\n1 2 1\n", "field");
    matrix_bad("coordinate real general", "3 3 2\n1 2 1\n", "1|2");
    matrix_bad("coordinate real general", "3 3 1\n1 2 1\n2 1 1\n", "file.mtx:4:");
    matrix_bad("coordinate real general", "3 3 1\n1 4 1\n", "file.mtx:3: entry (1,4)");
    matrix_bad("coordinate real general", "3 3 1\n0 1 1\n", "entry (0,1)");
    matrix_bad("coordinate real general", "3 3 1\n1 2 -1\n", "file.mtx:3:|negative");
    matrix_bad("coordinate real general", "3 3 1\n1 2 nan\n", "file.mtx:3:|value");
    matrix_bad("coordinate real general", "3 3 1\n1 2 inf\n", "file.mtx:3:|value");
    matrix_bad("coordinate real general", "3 3 1\n1 2 1e19\n", "file.mtx:3: ");
    matrix_bad("coordinate real general", "3 3 1\n1 2 1e999999999999\n", "file.mtx:3: ");
    matrix_bad("coordinate integer general", "3 3 1\n1 2 -1\n", "negative");
    matrix_bad("coordinate integer general", "3 3 1\n1 2 1.5\n", "file.mtx:3: ");
    matrix_bad("coordinate integer general", "3 3 1\n1 2\n", "value");
    matrix_bad("coordinate pattern general", "3 3 1\n1 2 1\n", "field");
}

static void json_bad(const char *text, const char *part)
{
    graph_bad(scratch_text("file.json", text), NULL, TOPOMAP_EINPUT, part);
}

static void test_json_bad(void **state)
{
    (void)state;
    json_bad("{\"ranks\":2,\n\"arcs\":[[0,1,1]\n", "file.json:3: ");
    json_bad("{\"arcs\":[]}", "\"ranks\"");
    json_bad("{\"ranks\":2}", "\"arcs\"");
    json_bad("{\"ranks\":0,\"arcs\":[]}", "\"ranks\"");
    json_bad("{\"ranks\":2,\"arcs\":[[0,1,1],[0,2,1]]}", "arc 1 of \"arcs\": a rank");
    json_bad("{\"ranks\":2,\"arcs\":[[0,-1,1]]}", "arc 0");
    json_bad("{\"ranks\":2,\"arcs\":[[0,1,1.5]]}", "arc 0");
    json_bad("{\"ranks\":2,\"arcs\":[[0,1]]}", "arc 0");
    json_bad("{\"ranks\":2,\"arcs\":[[0,1,1],[0,1,1,1]]}", "arc 1");
    json_bad("{\"ranks\":2,\"arcs\":[7]}", "arc 0");
    json_bad("{\"ranks\":2,\"arcs\":[[0,1,9223372036854775807],[1,0,1]]}", "2^63");
    json_bad("{\"ranks\":2,\"arcs\":[],\"load\":[1]}", "\"load\"");
    json_bad("{\"ranks\":2,\"ranks\":3,\"arcs\":[]}", "file.json:1: ");
}

/* ---- Graphs of graphs ---------------------------------------------------------------------- */

static void test_permute(void **state)
{
    static const uint32_t order[] = {3, 0, 4, 1, 2}, back[] = {1, 3, 4, 0, 2};
    topomap_graph *graph = graph_full(1), *permuted = NULL, *again = NULL;

    (void)state;
    assert_int_equal(topomap_graph_permute(graph, order, &permuted, NULL), 0);
    graph_sound(permuted);
    for (uint32_t u = 0; u < 5; u++) {
        for (uint32_t v = 0; v < 5; v++)
            assert_int_equal(graph_arc(graph, u, v), graph_arc(permuted, order[u], order[v]));
        assert_int_equal(graph->load[u], permuted->load[order[u]]);
        assert_string_equal(graph->name[u], permuted->name[order[u]]);
    }
    assert_null(permuted->pattern);
    assert_int_equal(topomap_graph_permute(permuted, back, &again, NULL), 0);
    assert_int_equal(topomap_graph_set_text(&again->pattern, NULL, "%s", graph->pattern), 0);
    graph_same_all(again, graph);
    topomap_graph_free(graph);
    topomap_graph_free(permuted);
    topomap_graph_free(again);
}

static void test_scale(void **state)
{
    topomap_graph *graph = graph_full(0), *scaled = NULL;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_scale(graph, 0.5, &scaled, NULL), 0);
    graph_sound(scaled);
    assert_int_equal(scaled->arcs, graph->arcs);
    for (uint64_t i = 0; i < graph->arcs; i++)
        assert_int_equal(scaled->bytes[i], (graph->bytes[i] + 1) / 2);
    assert_int_equal(scaled->phases, 2);
    topomap_graph_free(scaled);
    assert_int_equal(topomap_graph_scale(graph, 1e9, &scaled, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_int_equal(topomap_graph_scale(graph, -1, &scaled, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    topomap_graph_free(graph);
}

static void test_merge(void **state)
{
    topomap_graph *part[] = {graph_good("ring:4", NULL), graph_random(9, 30, 1, 4)}, *sum = NULL;

    (void)state;
    assert_int_equal(topomap_graph_merge((const topomap_graph *const *)part, 2, &sum, NULL), 0);
    graph_sound(sum);
    assert_int_equal(sum->ranks, 9);
    assert_int_equal(topomap_graph_has_messages(sum), 0);
    assert_int_equal(sum->total_bytes, part[0]->total_bytes + part[1]->total_bytes);
    topomap_graph_free(sum);
    assert_int_equal(topomap_graph_merge((const topomap_graph *const *)part, 0, &sum, NULL), -1);
    topomap_graph_free(part[0]);
    topomap_graph_free(part[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_market),   cmocka_unit_test(test_matrix_market_bad),
        cmocka_unit_test(test_json_bad),        cmocka_unit_test(test_wide_messages),
        cmocka_unit_test(test_narrow_messages), cmocka_unit_test(test_many_arcs),
        cmocka_unit_test(test_metis_parts),     cmocka_unit_test(test_scotch),
        cmocka_unit_test(test_scotch_bad),      cmocka_unit_test(test_monitoring),
        cmocka_unit_test(test_treematch),       cmocka_unit_test(test_halo),
        cmocka_unit_test(test_halo_stencil),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_json_parts_bad),  cmocka_unit_test(test_permute),
        cmocka_unit_test(test_scale),           cmocka_unit_test(test_merge),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
