/* SPDX-License-Identifier: BSD-3-Clause */
/* The core: building from arcs, the undirected view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "util/random.h"

#define BIG ((uint64_t)1 << 60)

static void test_new(void **state)
{
    static const uint32_t from[] = {2, 0, 1, 2, 0, 1}, to[] = {1, 1, 1, 1, 3, 0};
    static const uint64_t bytes[] = {5, 7, 9, 6, 0, 1}, messages[] = {1, 2, 3, 4, 5, 6};
    topomap_graph *graph;
    topomap_error err;
    uint64_t count;

    (void)state;
    assert_int_equal(topomap_graph_new(5, 6, from, to, bytes, messages, &graph, &err), 0);
    graph_sound(graph);
    assert_int_equal(topomap_graph_ranks(graph), 5);
    assert_int_equal(graph->arcs, 4);
    assert_int_equal(topomap_graph_edges(graph), 3);
    assert_int_equal(topomap_graph_bytes(graph), 19);
    assert_int_equal(topomap_graph_messages(graph, &count), 1);
    assert_int_equal(count, 18);
    assert_int_equal(graph_arc(graph, 2, 1), 11);
    assert_int_equal(graph_arc(graph, 0, 3), 0);
    assert_null(topomap_graph_pattern(graph));
    topomap_graph_free(graph);

    assert_int_equal(topomap_graph_new(5, 6, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_graph_messages(graph, &count), 0);
    topomap_graph_free(graph);
    assert_int_equal(topomap_graph_new(1, 0, NULL, NULL, NULL, NULL, &graph, &err), 0);
    graph_sound(graph);
    topomap_graph_free(graph);
    topomap_graph_free(NULL);
}

static void test_new_refused(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 3, 4, 5, 6, 7}, to[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint64_t big[] = {BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG};
    topomap_graph *graph = NULL;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(8, 8, from, to, big, NULL, &graph, &err), -1);
    assert_message(err.text, "arc 7");
    assert_int_equal(topomap_graph_new(9, 8, from, to, big, NULL, &graph, &err), -1);
    assert_message(err.text, "2^63");
    assert_int_equal(topomap_graph_new(9, 7, from, to, big, NULL, &graph, &err), 0);
    assert_int_equal(topomap_graph_bytes(graph), 7 * BIG);
    topomap_graph_free(graph);
    graph = NULL;
    assert_int_equal(topomap_graph_new(9, 8, from, to, big, big, &graph, NULL), -1);
    assert_int_equal(topomap_graph_new(0, 0, NULL, NULL, NULL, NULL, &graph, &err), -1);
    assert_null(graph);
}

/* The same arcs in any order give the same graph. */
static void test_order(void **state)
{
    enum { RANKS = 40, ARCS = 500 };
    uint32_t from[ARCS], to[ARCS], shuffle[ARCS], from2[ARCS], to2[ARCS];
    uint64_t bytes[ARCS], messages[ARCS], bytes2[ARCS], messages2[ARCS];
    topomap_random random = {7};
    topomap_graph *a, *b;
    topomap_error err;

    (void)state;
    for (uint32_t i = 0; i < ARCS; i++) {
        from[i] = topomap_random_below(&random, RANKS);
        to[i] = topomap_random_below(&random, RANKS);
        bytes[i] = i;
        messages[i] = i % 3;
        shuffle[i] = i;
    }
    topomap_random_shuffle(&random, shuffle, ARCS);
    for (uint32_t i = 0; i < ARCS; i++) {
        from2[i] = from[shuffle[i]];
        to2[i] = to[shuffle[i]];
        bytes2[i] = bytes[shuffle[i]];
        messages2[i] = messages[shuffle[i]];
    }
    assert_int_equal(topomap_graph_new(RANKS, ARCS, from, to, bytes, messages, &a, &err), 0);
    assert_int_equal(topomap_graph_new(RANKS, ARCS, from2, to2, bytes2, messages2, &b, &err), 0);
    graph_sound(a);
    graph_same(a, b, 1, 1);
    topomap_graph_free(a);
    topomap_graph_free(b);
}

static void test_arcs(void **state)
{
    topomap_arcs arcs = {0};
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_arcs_add(&arcs, 3, 1, 8, 0, &err), 0);
    assert_int_equal(topomap_arcs_take(&arcs, 0, &graph, &err), 0);
    assert_null(arcs.from);
    assert_int_equal(topomap_graph_ranks(graph), 4);
    topomap_graph_free(graph);

    assert_int_equal(topomap_arcs_add(&arcs, 0, 4000000000, 8, 0, &err), 0);
    assert_int_equal(topomap_arcs_take(&arcs, 0, &graph, &err), -1);
    assert_message(err.text, "4000000001 ranks");
    assert_null(arcs.from);

    for (int i = 0; i < 7; i++)
        assert_int_equal(topomap_arcs_add(&arcs, 0, 1, BIG, 0, &err), 0);
    assert_int_equal(topomap_arcs_add(&arcs, 0, 1, BIG, 0, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    topomap_arcs_clear(&arcs);
}

static uint64_t or_zero(uint64_t bytes)
{
    return bytes == UINT64_MAX ? 0 : bytes;
}

static void test_weights(void **state)
{
    topomap_graph *graph = graph_random(30, 200, 0, 3);
    topomap_weights weights, pairs;
    uint64_t sum = 0, listed = 0;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_weights_new(graph, 29, &weights, &err), -1);
    assert_int_equal(topomap_weights_new(graph, 37, &weights, &err), 0);
    assert_int_equal(topomap_pairs_new(graph, &pairs, &err), 0);
    assert_int_equal(weights.vertices, 37);
    assert_int_equal(pairs.offset[30], 2 * graph->pairs);
    for (uint32_t u = 0; u < 37; u++) {
        for (uint64_t i = weights.offset[u]; i < weights.offset[u + 1]; i++) {
            uint32_t v = weights.target[i];
            uint64_t w = or_zero(graph_arc(graph, u, v)) + or_zero(graph_arc(graph, v, u));

            assert_int_equal(weights.weight[i], w);
            assert_true(w > 0);
            if (i > weights.offset[u])
                assert_true(v > weights.target[i - 1]);
            sum += w;
        }
        for (uint32_t v = 0; u < 30 && v < 30; v++)
            listed += or_zero(graph_arc(graph, u, v)) + or_zero(graph_arc(graph, v, u)) > 0;
    }
    assert_int_equal(weights.offset[37], listed);
    assert_int_equal(sum, 2 * weights.total);
    assert_int_equal(weights.total, topomap_graph_bytes(graph));
    topomap_weights_clear(&weights);
    topomap_weights_clear(&pairs);
    topomap_graph_free(graph);
}

static void counts_have_a_width(void **state)
{
    uint32_t from[] = {0, 1}, to[] = {1, 0};
    uint64_t bytes[] = {5, 6}, messages[] = {3, 70000};
    topomap_graph *graph;
    topomap_error err;
    unsigned width;
    const void *counts;

    (void)state;
    assert_int_equal(topomap_graph_new(2, 2, from, to, bytes, messages, &graph, &err), 0);
    counts = topomap_graph_counts(graph, &width);
    assert_int_equal(width, 4);
    assert_true(((const uint32_t *)counts)[0] == 3 && ((const uint32_t *)counts)[1] == 70000);
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),     cmocka_unit_test(test_new_refused),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_weights), cmocka_unit_test(counts_have_a_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
