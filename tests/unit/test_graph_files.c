/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that a graph may have, through the formats that carry it; what single formats have of
 * their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/tmg.h"
#include "tests/unit/graphs.h"
#include "tests/unit/scratch.h"
#include "util/hash64.h"
#include "util/random.h"

static void same_array(const void *a, const void *b, size_t size)
{
    assert_int_equal(!a, !b);
    if (a && size)
        assert_memory_equal(a, b, size);
}

static void same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

/* All of it. */
static void same_all(const topomap_graph *a, const topomap_graph *b)
{
    graph_sound(a);
    graph_same(a, b, 1, 1);
    assert_int_equal(a->loads, b->loads);
    if (a->load)
        same_array(a->load_more, b->load_more, (size_t)a->ranks * (a->loads - 1) * 8);
    same_array(a->size, b->size, (size_t)a->ranks * 8);
    assert_int_equal(a->dimensions, b->dimensions);
    same_array(a->coordinate, b->coordinate, (size_t)a->ranks * a->dimensions * 8);
    assert_int_equal(!a->name, !b->name);
    for (uint32_t r = 0; a->name && r < a->ranks; r++)
        assert_string_equal(a->name[r], b->name[r]);
    same_text(a->pattern, b->pattern);
    same_text(a->source, b->source);
    same_text(a->note, b->note);
    assert_int_equal(a->phases, b->phases);
    for (uint32_t i = 0; i < a->phases; i++)
        same_all(a->phase[i], b->phase[i]);
}

static const char names[] = "zero\0one\"1\"\0two\\\0thr\xc3\xa9"
                            "e\0\t4";

/* 5 ranks with everything; two phases. */
static topomap_graph *full_graph(int messages)
{
    topomap_graph *phase[2] = {graph_random(5, 9, messages, 1), graph_random(5, 12, messages, 2)};
    topomap_graph *graph = NULL;

    assert_int_equal(topomap_graph_merge((const topomap_graph *const *)phase, 2, &graph, NULL), 0);
    assert_int_equal(topomap_graph_set_phases(graph, phase, 2, NULL), 0);
    assert_int_equal(topomap_graph_set_names(graph, names, sizeof names, NULL), 0);
    graph->load = calloc(5, 8);
    graph->load_more = calloc(10, 8);
    graph->loads = 3;
    graph->size = calloc(5, 8);
    graph->coordinate = calloc(10, 8);
    graph->dimensions = 2;
    for (int i = 0; i < 10; i++) {
        graph->load[i / 2] = 10 + (uint64_t)i;
        graph->load_more[i] = 100 + (uint64_t)i;
        graph->size[i / 2] = (uint64_t)i << 50;
        graph->coordinate[i] = (i - 4) / 3.0 * 1e-200;
    }
    assert_int_equal(topomap_graph_set_text(&graph->pattern, NULL, "sum(%s)", "a,b"), 0);
    assert_int_equal(topomap_graph_set_text(&graph->source, NULL, "line\nline"), 0);
    assert_int_equal(topomap_graph_set_text(&graph->note, NULL, "%s", ""), 0);
    return graph;
}

static void test_everything(void **state)
{
    static const char *const formats[] = {"tmg", "json"};

    (void)state;
    for (int messages = 0; messages < 2; messages++)
        for (int i = 0; i < 2; i++) {
            topomap_graph *graph = full_graph(messages), *back;
            const char *path = scratch_path("everything");
            uint32_t dimensions;

            assert_int_equal(topomap_graph_write(graph, path, formats[i], NULL), 0);
            back = graph_good(path, NULL);
            same_all(back, graph);
            assert_string_equal(topomap_graph_name(back, 2), "two\\");
            assert_null(topomap_graph_name(back, 5));
            assert_true(topomap_graph_coordinates(back, &dimensions)[9] == graph->coordinate[9]);
            assert_int_equal(dimensions, 2);
            assert_int_equal(topomap_graph_phases(back), 2);
            assert_int_equal(topomap_graph_ranks(topomap_graph_phase(back, 1)), 5);
            assert_null(topomap_graph_phase(back, 2));
            topomap_graph_free(graph);
            topomap_graph_free(back);
        }
}

/* tmg is byte for byte the same whatever the graph has come through. */
static void test_tmg_is_canonical(void **state)
{
    topomap_graph *graph = full_graph(1), *back;
    char *first, *second;
    size_t first_size, second_size;

    (void)state;
    assert_int_equal(topomap_graph_write(graph, scratch_path("a.tmg"), NULL, NULL), 0);
    assert_int_equal(topomap_graph_write(graph, scratch_path("a.json"), NULL, NULL), 0);
    back = graph_good(scratch_path("a.json"), NULL);
    assert_int_equal(topomap_graph_write(back, scratch_path("b.tmg"), NULL, NULL), 0);
    first = scratch_slurp(scratch_path("a.tmg"), &first_size);
    second = scratch_slurp(scratch_path("b.tmg"), &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(first);
    free(second);
    topomap_graph_free(graph);
    topomap_graph_free(back);
}

/* Every byte changed: refused, or the same graph (the byte was between two sections). */
static void test_tmg_damaged(void **state)
{
    topomap_graph *graph = full_graph(1), *back;
    size_t size, refused = 0, taken = 0;
    char *bytes;

    (void)state;
    assert_int_equal(topomap_graph_write(graph, scratch_path("whole.tmg"), NULL, NULL), 0);
    bytes = scratch_slurp(scratch_path("whole.tmg"), &size);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 1 << at % 8;
        if (topomap_graph_read(scratch_write("damaged.tmg", bytes, size), "tmg", &back, NULL)) {
            refused++;
        } else {
            same_all(back, graph);
            topomap_graph_free(back);
            taken++;
        }
        bytes[at] ^= 1 << at % 8;
    }
    assert_true(refused > size / 2 && taken < size / 2);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(
            topomap_graph_read(scratch_write("cut.tmg", bytes, cut), "tmg", &back, NULL), -1);
    free(bytes);
    topomap_graph_free(graph);
}

/* The layout, as a reader of another language would take it apart. */
static void test_tmg_layout(void **state)
{
    static const uint32_t from[] = {0, 0, 2}, to[] = {1, 2, 0};
    static const uint64_t bytes[] = {7, 8, 9}, messages[] = {1, 2, UINT64_C(1) << 40};
    struct topomap_tmg_header header;
    struct topomap_tmg_section section[4];
    topomap_graph *graph = NULL;
    uint64_t offset[4];
    char *file;
    size_t size;

    (void)state;
    assert_int_equal(sizeof header, 96);
    assert_int_equal(sizeof *section, 32);
    assert_int_equal(topomap_graph_new(3, 3, from, to, bytes, messages, &graph, NULL), 0);
    assert_int_equal(topomap_graph_write(graph, scratch_path("l.tmg"), NULL, NULL), 0);
    topomap_graph_free(graph);
    file = scratch_slurp(scratch_path("l.tmg"), &size);
    memcpy(&header, file, sizeof header);
    memcpy(section, file + sizeof header, sizeof section);
    assert_memory_equal(header.magic, TOPOMAP_TMG_MAGIC, 8);
    assert_int_equal(header.version, 1);
    assert_int_equal(header.sections, 4);
    assert_int_equal(header.size, size);
    assert_int_equal(header.ranks, 3);
    assert_int_equal(header.arcs, 3);
    assert_int_equal(header.pairs, 2);
    assert_int_equal(header.bytes, 24);
    assert_int_equal(header.messages, 3 + messages[2]);
    assert_int_equal(section[0].kind, TOPOMAP_TMG_OFFSET);
    assert_int_equal(section[0].size, 32);
    memcpy(offset, file + section[0].offset, sizeof offset);
    assert_int_equal(offset[1], 2);
    assert_int_equal(offset[3], 3);
    assert_int_equal(section[3].kind, TOPOMAP_TMG_MESSAGES);
    assert_int_equal(section[3].size, 24); /* 2^40 takes 8 bytes */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(section[i].offset % 64, 0);
        assert_int_equal(section[i].checksum,
                         topomap_hash64_all(file + section[i].offset, section[i].size));
    }
    free(file);
}

/* Sections of kinds that this program does not know. */
static void test_tmg_newer(void **state)
{
    topomap_graph *graph = graph_random(6, 20, 0, 3), *back = NULL;
    struct topomap_tmg_header header;
    topomap_hash64 hash;
    size_t size, at;
    char *file;

    (void)state;
    assert_int_equal(topomap_graph_set_text(&graph->note, NULL, "old"), 0);
    assert_int_equal(topomap_graph_write(graph, scratch_path("n.tmg"), NULL, NULL), 0);
    file = scratch_slurp(scratch_path("n.tmg"), &size);
    memcpy(&header, file, sizeof header);
    at = sizeof header + (header.sections - 1) * 32; /* the note's row */
    for (int i = 0; i < 3; i++) {
        uint32_t kind = i == 2 ? TOPOMAP_TMG_NEEDED | 77 : 77;

        memcpy(file + at, &kind, sizeof kind);
        header.version = i == 1 ? 2 : 1;
        header.checksum = 0;
        topomap_hash64_begin(&hash);
        topomap_hash64_blocks(&hash, &header, sizeof header);
        header.checksum = topomap_hash64_end(&hash, file + sizeof header, header.sections * 32);
        memcpy(file, &header, sizeof header);
        if (i) {
            graph_bad(scratch_write("newer.tmg", file, size), NULL, TOPOMAP_EINPUT,
                      i == 1 ? "version 2 of the tmg format" : "newer program");
            continue;
        }
        back = graph_good(scratch_write("newer.tmg", file, size), NULL);
        graph_same(back, graph, 1, 1);
        assert_null(topomap_graph_note(back));
        topomap_graph_free(back);
    }
    free(file);
    topomap_graph_free(graph);
}

static void test_hash64(void **state)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    topomap_hash64 hash;

    (void)state;
    assert_true(topomap_hash64_all("", 0) == UINT64_C(0xef46db3751d8e999));
    assert_true(topomap_hash64_all("abc", 3) == UINT64_C(0x44bc2cf5ad770999));
    topomap_hash64_begin(&hash);
    topomap_hash64_blocks(&hash, text, 32);
    assert_true(topomap_hash64_end(&hash, text + 32, sizeof text - 33) ==
                topomap_hash64_all(text, sizeof text - 1));
}

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
        assert_non_null(graph->messages64);
        assert_int_equal(topomap_graph_arc_messages(graph, 0), messages[i][1] + messages[i][2]);
        assert_int_equal(topomap_graph_arc_messages(graph, 1), 1);
        assert_int_equal(topomap_graph_arc_messages(graph, 2), 4);
        topomap_graph_free(graph);
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
              TOPOMAP_EINPUT, "the sum of vertex sizes");
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
        {"0\n2 900000\n0 000\n1 1\n1 0\n", "do not fit"},
        {"0\n2 2\n0 000\n1 1\n", "where the vertex's degree is expected"},
        {"0\n2 2\n0 000\n1 2\n1 0\n", "s.grf:4: vertex 0 lists vertex 2"},
        {"0\n2 2\n0 000\n1 0\n1 0\n", "vertex 0 lists vertex 0"},
        {"0\n2 2\n0 000\n2 1 1\n1 0\n", "more neighbours than the 2 arcs"},
        {"0\n2 4\n0 000\n2 1 1\n2 0 0\n", "vertex 0 lists vertex 1 twice"},
        {"0\n2 4\n0 000\n1 1\n1 0\n", "says 4 arcs"},
        {"0\n2 2\n0 010\n1 5 1\n1 6 0\n", "has weight 6 here and 5"},
        {"0\n2 1\n0 000\n1 1\n0\n", "does not list"},
        {"0\n2 2\n0 100\n7 1 8\n7 1 7\n", "two vertices have the label 7"},
        {"0\n2 2\n0 100\n7 1 9\n8 1 7\n", "unknown label, 9"},
        {"0\n2 2\n0 000\n1 1\n1 0\n5\n", "something follows"},
        {"0\n2 2\n0 000\n1 x\n1 0\n", "s.grf:4: a neighbour must be a number, not `x`"},
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
    assert_non_null(strstr(topomap_graph_note(graph), "2 of 3 ranks have lines"));
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
              "p.prof:1: messages must be a number");
    graph_bad(scratch_text("p.prof", "E\t0\t1\t5 byte\t1 msgs sent\n"), "ompi-monitoring",
              TOPOMAP_EINPUT, "`bytes` must follow");
    graph_bad(scratch_text("p.prof", "E\t0\t4294967296\t5 bytes\t1 msgs sent\n"), NULL,
              TOPOMAP_EINPUT, "p.prof:1: rank 4294967296");
    graph_bad(scratch_text("p.prof", "E\t0\t99999999\t5 bytes\t1 msgs sent\n"), NULL,
              TOPOMAP_EINPUT, "is the largest rank number right?");
    graph_bad(scratch_text("p.prof", "# POINT TO POINT\nhello\n"), NULL, TOPOMAP_EINPUT,
              "p.prof:2: expected a line of");
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
    graph_bad(scratch_text("a.mat", "0 1\n1 0\n1 0\n"), "treematch", TOPOMAP_EINPUT, "not square");
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
    assert_non_null(strstr(err.text, "5 lines for the 6 rows"));
    scratch_text("p", "0\n0\n1\n1\n2\n6\n");
    assert_int_equal(topomap_graph_read_options(path, NULL, file, &graph, &err), -1);
    assert_non_null(strstr(err.text, "p:6: rank 6"));
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
              "n.csv:2: a second rank is called `x`");
    graph_bad(scratch_text("n.csv", "a,b,5\na,b,c,5\n"), "edges", TOPOMAP_EINPUT, "n.csv:2: ");
}

static void test_json_parts_bad(void **state)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"\"load\":[1]", "\"load\": 1 entries for 2 ranks"},
        {"\"load\":[[1,2],[3]]", "as many for each rank"},
        {"\"load\":[9223372036854775807,1]", "2^63"},
        {"\"sizes\":[1,2,3]", "\"sizes\": 3 entries"},
        {"\"names\":[\"a\"]", "\"names\": 1 entries"},
        {"\"names\":[1,2]", "expected a text"},
        {"\"coordinates\":[[1],[1e999]]", "finite"},
        {"\"coordinates\":[[1,2],[3]]", "as many for each rank"},
        {"\"phases\":[{\"arcs\":[[0,1,6]]}]", "not the sum of the phases"},
        {"\"phases\":[{\"arcs\":[[0,1,5]],\"arcs\":[]}]", "there twice"},
        {"\"phases\":[{\"arcs\":[[0,9,5]]}]", "a rank is not below"},
        {"\"source\":\"\\ud800x\"", "second half of a pair"},
        {"\"source\":\"\\u0000\"", "in a text"},
        {"\"source\":\"a\nb\"", "text to end"},
        {"\"x\":nil", "`nil` is no value"},
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

/* ---- Graphs of graphs ---------------------------------------------------------------------- */

static void test_permute(void **state)
{
    static const uint32_t order[] = {3, 0, 4, 1, 2}, back[] = {1, 3, 4, 0, 2};
    topomap_graph *graph = full_graph(1), *permuted = NULL, *again = NULL;

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
    same_all(again, graph);
    topomap_graph_free(graph);
    topomap_graph_free(permuted);
    topomap_graph_free(again);
}

static void test_scale(void **state)
{
    topomap_graph *graph = full_graph(0), *scaled = NULL;
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
        cmocka_unit_test(test_everything),     cmocka_unit_test(test_tmg_is_canonical),
        cmocka_unit_test(test_tmg_damaged),    cmocka_unit_test(test_tmg_layout),
        cmocka_unit_test(test_tmg_newer),      cmocka_unit_test(test_hash64),
        cmocka_unit_test(test_wide_messages),  cmocka_unit_test(test_many_arcs),
        cmocka_unit_test(test_metis_parts),    cmocka_unit_test(test_scotch),
        cmocka_unit_test(test_scotch_bad),     cmocka_unit_test(test_monitoring),
        cmocka_unit_test(test_treematch),      cmocka_unit_test(test_halo),
        cmocka_unit_test(test_halo_stencil),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_json_parts_bad), cmocka_unit_test(test_permute),
        cmocka_unit_test(test_scale),          cmocka_unit_test(test_merge),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
