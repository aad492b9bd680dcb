/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

topomap_graph *graph_good(const char *what, const char *format)
{
    topomap_graph *graph = NULL;
    topomap_error err;

    if (topomap_graph_read(what, format, &graph, &err))
        fail_msg("%s", err.text);
    graph_sound(graph);
    return graph;
}

void graph_bad(const char *what, const char *format, enum topomap_code code, const char *part)
{
    topomap_graph *graph = (topomap_graph *)1;
    topomap_error err = {TOPOMAP_OK, ""};

    if (!topomap_graph_read(what, format, &graph, &err))
        fail_msg("%s was accepted; expected: %s", what, part);
    assert_ptr_equal(graph, (topomap_graph *)1);
    if (err.code != code || !message_has(err.text, part))
        fail_msg("code %d, text: %s\nexpected code %d with: %s", err.code, err.text, code, part);
}

uint64_t graph_arc(const topomap_graph *graph, uint32_t from, uint32_t to)
{
    for (uint64_t i = graph->offset[from]; i < graph->offset[from + 1]; i++)
        if (graph->target[i] == to)
            return graph->bytes[i];
    return UINT64_MAX;
}

void graph_sound(const topomap_graph *graph)
{
    uint64_t bytes = 0, messages = 0, pairs = 0;

    assert_true(graph->ranks >= 1);
    assert_int_equal(graph->offset[0], 0);
    assert_int_equal(graph->offset[graph->ranks], graph->arcs);
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            uint32_t v = graph->target[i];

            assert_true(v < graph->ranks && v != u);
            if (i > graph->offset[u])
                assert_true(v > graph->target[i - 1]);
            bytes += graph->bytes[i];
            messages += topomap_graph_arc_messages(graph, i);
            pairs += u < v || (graph->arcs < 10000 && graph_arc(graph, v, u) == UINT64_MAX);
        }
    assert_int_equal(graph->total_bytes, bytes);
    assert_int_equal(graph->total_messages, messages);
    if (graph->arcs < 10000)
        assert_int_equal(graph->pairs, pairs);
}

void graph_same(const topomap_graph *a, const topomap_graph *b, int messages, int load)
{
    assert_int_equal(a->ranks, b->ranks);
    assert_int_equal(a->arcs, b->arcs);
    assert_int_equal(a->pairs, b->pairs);
    assert_memory_equal(a->offset, b->offset, (a->ranks + 1) * sizeof *a->offset);
    if (a->arcs) {
        assert_memory_equal(a->target, b->target, a->arcs * sizeof *a->target);
        assert_memory_equal(a->bytes, b->bytes, a->arcs * sizeof *a->bytes);
    }
    if (messages) {
        assert_int_equal(topomap_graph_has_messages(a), topomap_graph_has_messages(b));
        for (uint64_t i = 0; i < a->arcs; i++)
            assert_int_equal(topomap_graph_arc_messages(a, i), topomap_graph_arc_messages(b, i));
    }
    if (load) {
        assert_int_equal(!a->load, !b->load);
        if (a->load)
            assert_memory_equal(a->load, b->load, a->ranks * sizeof *a->load);
    }
}

const char *graph_instance(const char *name)
{
    static char path[4096];
    const char *source = getenv("TOPOMAP_SOURCE");

    snprintf(path, sizeof path, "%s/../shared/bench/instances/%s", source ? source : ".", name);
    if (access(path, R_OK))
        skip();
    return path;
}

topomap_graph *graph_random(uint32_t ranks, size_t arcs, int messages, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs list = {.has_messages = messages};
    topomap_graph *graph = NULL;
    topomap_error err;

    for (size_t i = 0; i < arcs; i++) {
        uint32_t from = topomap_random_below(&random, ranks);
        uint32_t to = topomap_random_below(&random, ranks);
        uint64_t bytes = topomap_random_below(&random, 7) * UINT64_C(1234567890123);

        assert_int_equal(topomap_arcs_add(&list, from, to, bytes, i, &err), 0);
    }
    if (topomap_arcs_take(&list, ranks, &graph, &err))
        fail_msg("%s", err.text);
    graph_sound(graph);
    return graph;
}

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

void graph_same_all(const topomap_graph *a, const topomap_graph *b)
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
        graph_same_all(a->phase[i], b->phase[i]);
}

static const char names[] = "zero\0one\"1\"\0two\\\0thr\xc3\xa9"
                            "e\0\t4";

topomap_graph *graph_full(int messages)
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

const char *graph_file(const char *suffix, const char *text)
{
    char name[64];

    snprintf(name, sizeof name, "file.%s", suffix);
    return scratch_text(name, text);
}

void graph_bad_file(const char *suffix, const char *text, const char *part)
{
    graph_bad(graph_file(suffix, text), NULL, TOPOMAP_EINPUT, part);
}

void graph_known_all(const struct graph_known *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        topomap_graph *graph = graph_good(known[i].pattern, NULL);

        print_message("# %s\n", known[i].pattern);
        assert_int_equal(topomap_graph_ranks(graph), known[i].ranks);
        assert_int_equal(topomap_graph_edges(graph), known[i].edges);
        assert_int_equal(topomap_graph_bytes(graph), known[i].bytes);
        topomap_graph_free(graph);
    }
}
