/* SPDX-License-Identifier: BSD-3-Clause */
/* What a placement costs: each number of topomap_cost, worked out by hand. */
#include "tests/unit/metric/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "tests/unit/messages.h"

static topomap_error err;

/* Nodes of two slots: a byte costs 1 between them, 10 to the other node of a pair, 100 beyond; the
 * latter two are 2 and 4 hops. */
static const char machine_spec[] = "tree:2:2:2@1:10:100";

/* 0-1: 1 byte one way, 2 the other; 0-2: 5; 1-3: 7. */
static topomap_graph *four_ranks(void)
{
    static const uint32_t from[] = {0, 1, 0, 3}, to[] = {1, 0, 2, 1};
    static const uint64_t bytes[] = {1, 2, 5, 7};

    return graph_of(4, 4, from, to, bytes, NULL);
}

static void every_number_of_a_cost(void **state)
{
    static const uint32_t slot_of[] = {0, 1, 2, 5};
    topomap_machine *m = parsed(machine_spec);
    topomap_graph *g = four_ranks();
    topomap_cost cost;

    (void)state;
    assert_int_equal(topomap_cost_evaluate(g, m, slot_of, &cost, &err), 0);
    assert_true(cost.J == 3 * 1 + 5 * 10 + 7 * 100);
    assert_true(cost.hop_bytes == 5 * 2 + 7 * 4);
    assert_true(cost.dilation == 38.0 / 15);
    assert_int_equal(cost.max_dilation, 4);
    assert_true(cost.load_imbalance == 0);
    assert_int_equal(cost.levels, 3);
    assert_int_equal(cost.level_bytes[0], 3);
    assert_int_equal(cost.level_bytes[1], 5);
    assert_int_equal(cost.level_bytes[2], 7);
    assert_true(cost.lower_bound > 0 && cost.lower_bound <= cost.J);
    topomap_cost_clear(&cost);
    assert_null(cost.level_bytes);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* Loads of a node's ranks by its slots: 6, 3, 3 and 0, of which the mean is 3. The heaviest is the
 * first: what comes behind it must not take its place. */
static void the_heaviest_node_against_the_mean(void **state)
{
    static const uint32_t slot_of[] = {4, 5, 2, 0};
    static const uint64_t load[] = {2, 4, 6, 12};
    topomap_machine *m = parsed(machine_spec);
    topomap_graph *g = four_ranks();
    topomap_cost cost;

    (void)state;
    g->load = malloc(sizeof load);
    assert_non_null(g->load);
    memcpy(g->load, load, sizeof load);
    assert_int_equal(topomap_cost_evaluate(g, m, slot_of, &cost, &err), 0);
    assert_true(cost.load_imbalance == 2);
    topomap_cost_clear(&cost);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

static void a_placement_that_is_none_is_refused(void **state)
{
    static const uint32_t beyond[] = {0, 1, 8, 2}, twice[] = {0, 1, 7, 1};
    topomap_machine *m = parsed(machine_spec);
    topomap_graph *g = four_ranks();
    topomap_cost cost;

    (void)state;
    assert_int_equal(topomap_cost_evaluate(g, m, beyond, &cost, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "rank 2|slot 8|0..7");
    assert_int_equal(topomap_cost_evaluate(g, m, twice, &cost, &err), -1);
    assert_message(err.text, "slot 1|3");
    topomap_graph_free(g);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_cost),
        cmocka_unit_test(the_heaviest_node_against_the_mean),
        cmocka_unit_test(a_placement_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
