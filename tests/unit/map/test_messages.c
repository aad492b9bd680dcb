/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages count beside bytes: by hand, in every J that a mapping tells, and never beyond what sums
 * have room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "graph/graph.h"
#include "tests/unit/map/maps.h"

/* 0 and 1 exchange 100 bytes in one message; 0 and 2, 1 and 3 fifty messages of nothing. */
static topomap_graph *empty_messages(int counts)
{
    static const uint32_t from[] = {0, 0, 3}, to[] = {1, 2, 1};
    static const uint64_t bytes[] = {100, 0, 0}, messages[] = {1, 50, 50};
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(
        topomap_graph_new(4, 3, from, to, bytes, counts ? messages : NULL, &graph, &err), 0);
    return graph;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    topomap_mapping *mapping;
    topomap_error err;

    options.size = sizeof options;
    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

/* Two nodes of two slots. By bytes 0 and 1 stay together: 100. With ten bytes a message it costs
 * 110 + 10 * (500 + 500), and with 0 beside 2 and 1 beside 3, 500 + 500 + 10 * 110. */
static void by_hand(void **state)
{
    topomap_machine *m = map_machine("tree:2:2@1:10");
    topomap_graph *graph = empty_messages(1), *silent = empty_messages(0);
    topomap_mapping *mapping = mapped(graph, m, (topomap_map_options){0});

    (void)state;
    assert_true(mapping->J == 100 && mapping->J_before == 100 && mapping->message_bytes == 0);
    topomap_mapping_free(mapping);
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        static const uint32_t crossed[] = {0, 2, 1, 3};
        const topomap_layout layout = {"crossed", crossed};

        mapping = mapped(
            graph, m,
            (topomap_map_options){
                .message_bytes = 10, .contiguous = contiguous, .layout = &layout, .layouts = 1});
        assert_true(mapping->message_bytes == 10 && mapping->J_before == 10110);
        assert_true(mapping->J == (contiguous ? 10110 : 2100));
        assert_true(mapping->candidate[0].J == 10110);
        assert_true(contiguous || (strcmp(mapping->candidate[1].name, "crossed") == 0 &&
                                   mapping->candidate[1].J == 2100));
        assert_true(contiguous || mapping->slot_of_rank[0] / 2 == mapping->slot_of_rank[2] / 2);
        topomap_mapping_free(mapping);
    }
    mapping = mapped(silent, m, (topomap_map_options){.message_bytes = 10});
    assert_true(mapping->J == 100 && mapping->message_bytes == 0);
    topomap_mapping_free(mapping);
    topomap_graph_free(silent);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void whole_bytes_within_bounds(void **state)
{
    static const uint32_t from[] = {0, 1}, to[] = {1, 0};
    static const uint64_t bytes[] = {TOPOMAP_GRAPH_SUM / 2, 0}, messages[] = {3, 5},
                          none[] = {0, 0};
    topomap_graph *graph = empty_messages(1), *heavy, *without;
    topomap_weights weights;
    topomap_error err;

    (void)state;
    assert_true(topomap_message_bytes(graph, 0.125) == 1);
    assert_true(topomap_message_bytes(graph, 12499.6) == 12500);
    assert_true(topomap_message_bytes(graph, 0) == 0 && topomap_message_bytes(graph, -1) == 0);
    assert_true(topomap_message_bytes(graph, NAN) == 0);
    assert_int_equal(topomap_graph_new(2, 2, from, to, bytes, messages, &heavy, &err), 0);
    assert_int_equal(topomap_graph_new(2, 2, from, to, bytes, none, &without, &err), 0);
    assert_true(topomap_message_bytes(without, 10) == 0);
    assert_true(topomap_message_bytes(heavy, INFINITY) == (TOPOMAP_GRAPH_SUM / 2 - 1) / 8);
    assert_int_equal(
        topomap_weights_of_messages(heavy, 2, topomap_message_bytes(heavy, 1e300), &weights, &err),
        0);
    assert_true(weights.total < TOPOMAP_GRAPH_SUM && weights.weight[0] == weights.total);
    topomap_weights_clear(&weights);
    topomap_graph_free(without);
    topomap_graph_free(heavy);
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(whole_bytes_within_bounds),
    };

    return cmocka_run_group_tests_name("map messages", tests, NULL, NULL);
}
