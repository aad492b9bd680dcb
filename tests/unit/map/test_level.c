/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of unequal load: the limit by hand, nodes within it, and J under it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "map/refine/refine.h"
#include "tests/unit/map/maps.h"
#include "util/random.h"

/* Gives a graph loads; it was made by the test. */
static topomap_graph *loaded(topomap_graph *graph, uint64_t most, uint64_t seed)
{
    topomap_random random = {seed};

    graph->load = malloc((graph->ranks + 1) * sizeof *graph->load);
    graph->loads = 1;
    for (uint32_t r = 0; r < graph->ranks; r++)
        graph->load[r] = 1 + topomap_random_next(&random) % most;
    return graph;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    uint32_t n = topomap_machine_slots(m);
    uint8_t *used = calloc(n, 1);
    topomap_mapping *mapping;
    topomap_error err;

    if (topomap_map(graph, m, &options, &mapping, &err))
        fail_msg("%s", err.text);
    for (uint32_t v = 0; v < n; v++)
        assert_int_equal(used[mapping->slot_of_rank[v]]++, 0);
    free(used);
    return mapping;
}

static double imbalance(const topomap_graph *graph, const topomap_machine *m,
                        const uint32_t *slot_of)
{
    topomap_cost cost;
    topomap_error err;
    double value;

    assert_int_equal(topomap_cost_evaluate(graph, m, slot_of, &cost, &err), 0);
    value = cost.load_imbalance;
    topomap_cost_clear(&cost);
    return value;
}

/* Two nodes of three slots. Loads 7 6 5 4 3 2 are dealt out as 7 | 6, then 5 to the second (11), 4
 * and 3 to the first (11, 14: it has three slots), 2 to the second: 14 | 13. The graph is two
 * triangles, 0 1 2 (load 18) and 3 4 5 (load 9), of 10 bytes an edge, joined by edges 0-5 and 1-4
 * of 1 byte. The mean is 13.5. Loads aside, each triangle gets a node: J = 60 + 20. Within 5 % of
 * 14 (14.7), two ranks have to change places: four edges of 10 bytes are cut then. */
static topomap_graph *two_triangles(void)
{
    static const uint32_t from[] = {0, 1, 2, 3, 4, 5, 0, 1}, to[] = {1, 2, 0, 4, 5, 3, 5, 4};
    static const uint64_t bytes[] = {10, 10, 10, 10, 10, 10, 1, 1};
    static const uint64_t load[] = {7, 6, 5, 4, 3, 2};
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(topomap_graph_new(6, 8, from, to, bytes, NULL, &graph, &err), 0);
    loaded(graph, 1, 1);
    memcpy(graph->load, load, sizeof load);
    return graph;
}

static void limit_by_hand(void **state)
{
    static const uint32_t dealt[] = {0, 1, 1, 0, 0, 1};
    topomap_machine *m = map_machine("tree:3:2@1:10");
    topomap_graph *graph = two_triangles();
    topomap_problem problem = {.graph = graph, .machine = m, .ranks = 6, .load = graph->load};
    topomap_level level;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_level_open(&problem, 0.05, &level, &err), 1);
    assert_memory_equal(level.dealt, dealt, sizeof dealt);
    assert_true(fabs(level.limit - 1.05 * 14 / 3) < 1e-12);
    topomap_level_close(&level);
    problem.load = NULL;
    assert_int_equal(topomap_level_open(&problem, 0.05, &level, &err), 0);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* All placements of six ranks on two nodes, by which three are on the first. */
static double best_within(const topomap_graph *graph, const topomap_machine *m, double most)
{
    double best = INFINITY;

    for (uint32_t set = 0; set < 64; set++) {
        uint32_t slot_of[6], first = 0, second = 3, load = 0;
        topomap_cost cost;
        topomap_error err;

        if (__builtin_popcount(set) != 3)
            continue;
        for (uint32_t r = 0; r < 6; r++) {
            load += set >> r & 1 ? (uint32_t)graph->load[r] : 0;
            slot_of[r] = set >> r & 1 ? first++ : second++;
        }
        if (load > most || 27 - load > most)
            continue;
        assert_int_equal(topomap_cost_evaluate(graph, m, slot_of, &cost, &err), 0);
        best = fmin(best, cost.J);
        topomap_cost_clear(&cost);
    }
    return best;
}

static void small_one_reaches_the_optimum(void **state)
{
    topomap_machine *m = map_machine("tree:3:2@1:10");
    topomap_graph *graph = two_triangles();

    (void)state;
    for (int effort = TOPOMAP_FAST; effort <= TOPOMAP_STRONG; effort++) {
        topomap_map_options options = {
            .size = sizeof options, .effort = (enum topomap_effort)effort, .balance = 0.05};
        topomap_mapping *mapping = mapped(graph, m, options);

        assert_true(mapping->J == best_within(graph, m, 14.7));
        assert_true(imbalance(graph, m, mapping->slot_of_rank) <= 14 / 13.5 + 1e-9);
        topomap_mapping_free(mapping);
        options.balance = 0.3; /* 18.2: each triangle on its node */
        mapping = mapped(graph, m, options);
        assert_true(mapping->J == 60 + 20);
        topomap_mapping_free(mapping);
        options.balance = 0;
        mapping = mapped(graph, m, options);
        assert_true(mapping->J == 60 + 20);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void check(topomap_graph *graph, const topomap_machine *m, topomap_map_options options)
{
    topomap_problem problem = {
        .graph = graph, .machine = m, .ranks = graph->ranks, .load = graph->load};
    double *node = calloc(topomap_machine_nodes(m), sizeof *node), most;
    topomap_mapping *mapping = mapped(graph, m, options), *again = mapped(graph, m, options);
    topomap_level level = {0};
    topomap_error err;

    assert_memory_equal(mapping->slot_of_rank, again->slot_of_rank,
                        topomap_machine_slots(m) * sizeof *again->slot_of_rank);
    if (topomap_level_open(&problem, 0.05, &level, &err) == 1) {
        most = topomap_problem_most_load(&problem, mapping->slot_of_rank, node);
        assert_true(most <= level.limit * (1 + 1e-8));
    }
    topomap_level_close(&level);
    free(node);
    topomap_mapping_free(mapping);
    topomap_mapping_free(again);
}

/* On all kinds of machines, with more slots than ranks, one slot a node, one node; loads of 0 to
 * 2^50, one rank of all the load, nobody talking; by congestion and between nodes only. */
static void nodes_stay_within(void **state)
{
    static const char *const specs[] = {"tree:4:8@1:10", "torus:4x4*2@1:10", "mesh:6x6",
                                        "fattree:k=4,levels=2*4", "tree:40@1"};

    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        topomap_machine *m = map_machine(specs[s]);

        for (int g = 0; g < 4; g++) {
            topomap_graph *graph =
                loaded(map_graph(30, g == 3 ? 0 : 120, 1000, 4), g ? 100 : 1ULL << 50, 5);

            if (g == 2) {
                memset(graph->load, 0, graph->ranks * sizeof *graph->load);
                graph->load[7] = 99;
            }
            for (int how = 0; how < 3; how++)
                check(graph, m,
                      (topomap_map_options){.size = sizeof(topomap_map_options),
                                            .effort = how == 1 ? TOPOMAP_DEFAULT : TOPOMAP_FAST,
                                            .inter_only = how == 2,
                                            .threads = 2,
                                            .balance = 0.05,
                                            .objective = s == 1 && how == 1
                                                             ? TOPOMAP_OBJECTIVE_CONGESTION
                                                             : TOPOMAP_OBJECTIVE_J});
            topomap_graph_free(graph);
        }
        topomap_machine_free(m);
    }
}

/* Where the baseline is within the limit, nothing with a higher J wins. */
static void level_baseline_is_not_lost(void **state)
{
    topomap_machine *m = map_machine("tree:4:8@1:10");
    topomap_graph *graph = loaded(map_graph(32, 160, 1000, 8), 100, 6);
    topomap_mapping *first =
        mapped(graph, m,
               (topomap_map_options){
                   .size = sizeof(topomap_map_options), .effort = TOPOMAP_FAST, .balance = 0.05});
    topomap_map_options options = {.size = sizeof options,
                                   .effort = TOPOMAP_FAST,
                                   .start = first->slot_of_rank,
                                   .seed = 9,
                                   .balance = 0.05};
    topomap_mapping *second = mapped(graph, m, options);

    (void)state;
    assert_true(second->J <= first->J);
    topomap_mapping_free(first);
    topomap_mapping_free(second);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_by_hand),
        cmocka_unit_test(small_one_reaches_the_optimum),
        cmocka_unit_test(nodes_stay_within),
        cmocka_unit_test(level_baseline_is_not_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
