/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which every node keeps consecutive ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "tests/unit/map/maps.h"
#include "util/random.h"

/* Two racks, nodes of any size, some of them empty. */
static topomap_machine *uneven(const uint32_t *size, uint32_t nodes)
{
    topomap_machine *m;
    topomap_error err;
    uint32_t group[64];

    assert_int_equal(topomap_machine_frame(nodes, size, NULL, &m, &err), 0);
    for (uint32_t s = 0; s < m->slots; s++)
        group[s] = m->node_of[s] * 32 + (s - m->slot_first[m->node_of[s]]) / 2;
    for (uint32_t s = 0, id = 0, last = UINT32_MAX; s < m->slots; s++) {
        id += last != UINT32_MAX && group[s] != last;
        last = group[s];
        group[s] = id;
    }
    assert_int_equal(topomap_machine_add_inner(m, "l3", 1, group, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 2, m->node_of, &err), 0);
    for (uint32_t i = 0; i < nodes; i++)
        group[i] = i % 2;
    assert_int_equal(topomap_machine_add_outer(m, "rack", 10, 2, group, &err), 0);
    memset(group, 0, sizeof group);
    assert_int_equal(topomap_machine_add_outer(m, "all", 30, 4, group, &err), 0);
    assert_int_equal(topomap_machine_finish(m, &err), 0);
    return m;
}

static topomap_graph *random_graph(uint32_t ranks, uint32_t arcs, uint64_t seed)
{
    topomap_random random = {.state = seed};
    topomap_arcs list = {0};
    topomap_graph *graph;
    topomap_error err;

    for (uint32_t i = 0; i < arcs; i++) {
        uint32_t from = topomap_random_below(&random, ranks);
        uint32_t to = topomap_random_below(&random, ranks);

        if (from != to)
            assert_int_equal(topomap_arcs_add(&list, from, to, 1 + i % 97, 0, &err), 0);
    }
    assert_int_equal(topomap_arcs_take(&list, ranks, &graph, &err), 0);
    return graph;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               const uint32_t *start, int inter_only)
{
    topomap_map_options options = {.size = sizeof options,
                                   .effort = TOPOMAP_DEFAULT,
                                   .seed = 7,
                                   .contiguous = 1,
                                   .inter_only = inter_only,
                                   .start = start,
                                   .start_name = "given"};
    topomap_mapping *mapping = NULL;
    topomap_error err;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

/* A permutation of the slots, and each node's tasks follow one another. */
static void assert_contiguous(const topomap_mapping *mapping, const topomap_machine *m)
{
    uint8_t used[64] = {0}, seen[64] = {0};
    uint32_t last = UINT32_MAX;

    for (uint32_t v = 0; v < m->slots; v++) {
        uint32_t slot = mapping->slot_of_rank[v];

        assert_true(slot < m->slots && !used[slot]);
        used[slot] = 1;
        if (m->node_of[slot] != last) {
            last = m->node_of[slot];
            assert_false(seen[last]);
            seen[last] = 1;
        }
    }
}

static void check(const topomap_machine *m, uint64_t seed)
{
    static const uint32_t degrees[] = {0, 1, 4, 30};

    for (size_t d = 0; d < 4; d++) {
        uint32_t ranks = d % 2 ? m->slots : m->slots - m->slots / 3;
        topomap_graph *graph = random_graph(ranks, ranks * degrees[d], seed + d);
        uint32_t block[64];

        for (uint32_t v = 0; v < m->slots; v++)
            block[v] = v;
        for (int inter_only = 0; inter_only < 2; inter_only++) {
            topomap_mapping *one = mapped(graph, m, NULL, inter_only);
            topomap_mapping *two = mapped(graph, m, NULL, inter_only);

            assert_contiguous(one, m);
            assert_memory_equal(one->slot_of_rank, two->slot_of_rank, m->slots * sizeof(uint32_t));
            assert_true(one->J <= map_J(graph, m, block));
            assert_true(one->J == map_J(graph, m, one->slot_of_rank));
            topomap_mapping_free(one);
            topomap_mapping_free(two);
        }
        topomap_graph_free(graph);
    }
}

static void every_machine(void **state)
{
    static const char *const specs[] = {
        "tree:4:3:2@1:10:100", "tree:7",
        "torus:4x3*2@1:10",    "mesh:5x5",
        "mesh:3x4*2@1:10",     "fattree:k=4,levels=3*2@1:10",
        "percs:supernodes=1",  "tree:2:4:6@1:10:40,node=2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        topomap_machine *m = map_machine(specs[i]);

        if (m->slots <= 64)
            check(m, 100 * i);
        topomap_machine_free(m);
    }
}

static void nodes_of_any_size(void **state)
{
    static const uint32_t sizes[][8] = {{4, 4, 4, 4, 4, 4, 4, 3},
                                        {1, 2, 3, 4, 5, 6, 7, 8},
                                        {0, 3, 0, 3, 3, 0, 2, 1},
                                        {0, 0, 5, 0, 0, 0, 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        topomap_machine *m = uneven(sizes[i], 8);

        check(m, 1000 * i);
        topomap_machine_free(m);
    }
}

/* Three nodes of two slots on a line. Blocks 0 and 2 talk most: they come side by side, and J falls
 * from 100*20 + 10 + 10 to 100*10 + 10 + 20. Without the condition ranks 1 and 5 would share a
 * node. */
static void by_hand(void **state)
{
    topomap_machine *m = map_machine("mesh:3*2@0:10");
    topomap_arcs list = {0};
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    topomap_arcs_add(&list, 1, 5, 100, 0, &err);
    topomap_arcs_add(&list, 1, 2, 1, 0, &err);
    topomap_arcs_add(&list, 3, 4, 1, 0, &err);
    assert_int_equal(topomap_arcs_take(&list, 6, &graph, &err), 0);
    mapping = mapped(graph, m, NULL, 0);
    assert_string_equal(mapping->candidate[0].name, "given");
    assert_true(mapping->candidate[0].J == 2020);
    assert_true(mapping->J == 1030);
    assert_contiguous(mapping, m);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void a_cyclic_baseline_is_no_candidate(void **state)
{
    topomap_machine *m = map_machine("mesh:4*4@1:10");
    topomap_graph *graph = random_graph(16, 60, 5);
    topomap_mapping *mapping;
    uint32_t cyclic[16];

    (void)state;
    for (uint32_t v = 0; v < 16; v++)
        cyclic[v] = v % 4 * 4 + v / 4;
    mapping = mapped(graph, m, cyclic, 0);
    for (size_t i = 0; i < mapping->candidates; i++)
        assert_string_not_equal(mapping->candidate[i].name, "given");
    assert_contiguous(mapping, m);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* All orders of five nodes, inside a node all slots being alike. */
static void the_best_order_is_found(void **state)
{
    topomap_machine *m = map_machine("mesh:5*3@0:10");

    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        topomap_graph *graph = random_graph(15, 60, seed);
        topomap_mapping *mapping = mapped(graph, m, NULL, 0);
        double best = mapping->J;

        for (uint32_t code = 0; code < 3125; code++) {
            uint32_t slot_of[15], used = 0, rest = code;

            for (uint32_t b = 0; b < 5; b++, rest /= 5) {
                used |= 1u << rest % 5;
                for (uint32_t k = 0; k < 3; k++)
                    slot_of[b * 3 + k] = rest % 5 * 3 + k;
            }
            if (used == 31 && map_J(graph, m, slot_of) < best)
                best = map_J(graph, m, slot_of);
        }
        assert_true(mapping->J == best);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
    }
    topomap_machine_free(m);
}

/* By the most loaded link, on machines that have links. */
static void congestion_is_the_objective(void **state)
{
    static const char *const specs[] = {"fattree:k=4,levels=2*3@1:10", "torus:4x4*3@1:10",
                                        "dragonfly:p=1,a=4,h=1*2"};
    int better = 0;

    (void)state;
    for (uint64_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        topomap_machine *m = map_machine(specs[i]);
        topomap_graph *graph = random_graph(m->slots, 4 * m->slots, i);
        topomap_map_options options = {.size = sizeof options,
                                       .effort = TOPOMAP_DEFAULT,
                                       .contiguous = 1,
                                       .objective = TOPOMAP_OBJECTIVE_CONGESTION};
        topomap_mapping *mapping = NULL;
        topomap_congestion before, after;
        topomap_error err;
        uint32_t block[64];

        for (uint32_t v = 0; v < m->slots; v++)
            block[v] = v;
        if (topomap_map(graph, m, &options, &mapping, &err))
            fail_msg("%s: %s", specs[i], err.text);
        assert_contiguous(mapping, m);
        assert_non_null(mapping->congestion_model);
        assert_int_equal(topomap_congestion_evaluate(graph, m, mapping->slot_of_rank,
                                                     mapping->congestion_model, &after, &err),
                         0);
        assert_int_equal(
            topomap_congestion_evaluate(graph, m, block, mapping->congestion_model, &before, &err),
            0);
        assert_float_equal(after.max, mapping->congestion, 1e-6 * after.max);
        assert_true(after.max <= before.max * (1 + 1e-9));
        for (size_t k = 0; k < mapping->candidates; k++)
            assert_true(after.max <= mapping->candidate[k].congestion * (1 + 1e-9));
        better += after.max < before.max;
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
    assert_true(better > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine),
        cmocka_unit_test(nodes_of_any_size),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_cyclic_baseline_is_no_candidate),
        cmocka_unit_test(the_best_order_is_found),
        cmocka_unit_test(congestion_is_the_objective),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
