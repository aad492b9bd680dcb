/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap's own files, and everything that a graph may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/formats/tmg.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/scratch.h"
#include "util/hash64.h"

static void test_everything(void **state)
{
    static const char *const formats[] = {"tmg", "json"};

    (void)state;
    for (int messages = 0; messages < 2; messages++)
        for (int i = 0; i < 2; i++) {
            topomap_graph *graph = graph_full(messages), *back;
            const char *path = scratch_path("everything");
            uint32_t dimensions;

            assert_int_equal(topomap_graph_write(graph, path, formats[i], NULL), 0);
            back = graph_good(path, NULL);
            graph_same_all(back, graph);
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

/* Arrays without elements are where the file ends. */
static void test_no_arcs(void **state)
{
    topomap_graph *graph =
        graph_good(scratch_write("silent", "{\"ranks\": 5, \"arcs\": []}", 24), NULL);
    topomap_graph *back;

    (void)state;
    assert_int_equal(topomap_graph_write(graph, scratch_path("silent.tmg"), NULL, NULL), 0);
    back = graph_good(scratch_path("silent.tmg"), NULL);
    graph_same_all(back, graph);
    topomap_graph_free(graph);
    topomap_graph_free(back);
}

/* tmg is byte for byte the same whatever the graph has come through. */
static void test_tmg_is_canonical(void **state)
{
    topomap_graph *graph = graph_full(1), *back;
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
    topomap_graph *graph = graph_full(1), *back;
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
            graph_same_all(back, graph);
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
        topomap_hash64_add(&hash, &header, sizeof header);
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
    topomap_hash64_add(&hash, text, 32);
    assert_true(topomap_hash64_end(&hash, text + 32, sizeof text - 33) ==
                topomap_hash64_all(text, sizeof text - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),       cmocka_unit_test(test_no_arcs),
        cmocka_unit_test(test_tmg_is_canonical), cmocka_unit_test(test_tmg_damaged),
        cmocka_unit_test(test_tmg_layout),       cmocka_unit_test(test_tmg_newer),
        cmocka_unit_test(test_hash64),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
