/* SPDX-License-Identifier: BSD-3-Clause */
/* cycles: cyclic exchanges find what exchanges of two have left, and never make J worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "tests/unit/map/maps.h"

static topomap_error err;

/* By hand, on three nodes of two slots, {0 1} {2 3} {4 5}: 0 and 3, 2 and 5, 4 and 1 belong
 * together. From 0: 3 goes to slot 1 and the 1 there to slot 3; next to its partner 4 is slot 5,
 * whose 5 comes to slot 3, beside 2: one chain, and all are together. */
static void test_three_round(void **state)
{
    static const uint32_t from[] = {0, 2, 4}, to[] = {3, 5, 1};
    static const uint64_t bytes[] = {7, 7, 7};
    topomap_machine *m = map_machine("tree:2:3@1:10");
    topomap_graph *graph;

    (void)state;
    assert_int_equal(topomap_graph_new(6, 3, from, to, bytes, NULL, &graph, &err), 0);
    assert_true(map_cost(graph, m, "identity") == 3 * 7 * 10);
    assert_true(map_cost(graph, m, "identity+cycles") == 3 * 7 * 1);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Where swaps of all pairs have ended, cycles go on; never up. */
static void test_after_pairs(void **state)
{
    static const char *const machines[] = {"tree:3:4@1:10", "tree:4:4:4@1:10:100", "torus:4x4x4",
                                           "torus:3x3x3*4@1:10", "mesh:12x5"};
    int better = 0;

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            topomap_machine *m = map_machine(machines[i]);
            uint32_t n = topomap_machine_slots(m);
            topomap_graph *graph = map_graph(n, 3 * n, 100, seed);
            double pairs = map_cost(graph, m, "random+n2");
            double cycles = map_cost(graph, m, "random+n2+cycles");

            assert_true(cycles <= pairs);
            better += cycles < pairs;
            topomap_graph_free(graph);
            topomap_machine_free(m);
        }
    assert_true(better >= 15);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_round),
        cmocka_unit_test(test_after_pairs),
    };

    return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
