/* SPDX-License-Identifier: BSD-3-Clause */
/* Invariants first: every row of the registry, on random graphs and every kind of machine, gives
 * a permutation, says its cost truly, and repeats itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "map/auto/portfolio.h"
#include "map/refine/refine.h"
#include "tests/unit/cables.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

static topomap_graph *random_graph(uint32_t ranks, uint32_t arcs, uint64_t seed)
{
    topomap_random random = {seed};
    uint32_t *from = malloc((arcs + 1) * sizeof *from), *to = malloc((arcs + 1) * sizeof *to);
    uint64_t *bytes = malloc((arcs + 1) * sizeof *bytes);
    topomap_graph *graph = NULL;
    topomap_error err;

    for (uint32_t i = 0; i < arcs; i++) {
        from[i] = topomap_random_below(&random, ranks);
        to[i] = topomap_random_below(&random, ranks);
        bytes[i] = 1 + topomap_random_below(&random, 1000);
    }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}

/* A switch a site, in a row, and nodes on their switches. */
static void add_switches(topomap_machine *m, uint32_t sites, const uint32_t *site)
{
    test_cable cable[64];
    uint32_t own[64];
    size_t cables = 0;
    topomap_error err;

    for (uint32_t i = 0; i < m->nodes; i++) {
        own[i] = i;
        cable[cables++] = (test_cable){i, m->nodes + site[i], 1, 1.0};
    }
    for (uint32_t s = 1; s < sites; s++)
        cable[cables++] = (test_cable){m->nodes + s - 1, m->nodes + s, 1, 2.0};
    assert_int_equal(
        network_of_cables(m->nodes + sites, cables, cable, m->nodes, own, &m->network, &err), 0);
}

/* Uneven nodes on a fabric of three sites, as an allocation from a database is. */
static topomap_machine *uneven_fabric(void)
{
    static const uint32_t per_node[] = {4, 1, 3, 4, 0, 2, 4}, site[] = {0, 1, 2, 0, 1, 2, 1};
    static const float cost[] = {20, 40, 60, 40, 20, 60, 60, 60, 20};
    static const uint16_t hops[] = {2, 4, 6, 4, 2, 6, 6, 6, 2};
    uint32_t group[18];
    topomap_machine *m;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(7, per_node, NULL, &m, &err), 0);
    for (uint32_t s = 0; s < 18; s++)
        group[s] = m->slot_first[m->node_of[s]] + (s - m->slot_first[m->node_of[s]]) / 2;
    assert_int_equal(topomap_machine_add_inner(m, "package", 2, group, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 6, m->node_of, &err), 0);
    assert_int_equal(topomap_machine_set_matrix(m, "fabric", 3, site, cost, hops, &err), 0);
    add_switches(m, 3, site);
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

/* The same of a torus: an empty node, two nodes at one place, most of the box not there. */
static topomap_machine *uneven_torus(void)
{
    static const uint32_t per_node[] = {4, 0, 3, 1, 2, 5, 3}, dim[] = {6, 1, 9};
    static const uint8_t wrap[] = {1, 1, 0};
    static const uint16_t coord[] = {5, 0, 8, 0, 0, 0, 1, 0, 2, 1, 0, 2, 4, 0, 7, 2, 0, 2, 0, 0, 8};
    topomap_machine *m;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(7, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 6, m->node_of, &err), 0);
    assert_int_equal(topomap_machine_set_torus(m, 3, dim, wrap, coord, 0, 10, 2, &err), 0);
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

static void assert_permutation(const topomap_mapping *mapping, uint32_t slots)
{
    uint8_t *seen = calloc(slots, 1);

    for (uint32_t i = 0; i < slots; i++) {
        assert_true(mapping->slot_of_rank[i] < slots);
        assert_int_equal(seen[mapping->slot_of_rank[i]]++, 0);
    }
    free(seen);
}

static void check_algorithm(const char *name, const topomap_graph *graph, const topomap_machine *m)
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = name, .effort = TOPOMAP_DEFAULT, .seed = 7};
    topomap_mapping *one = NULL, *two = NULL;
    topomap_cost cost;
    topomap_error err;

    if (topomap_map(graph, m, &options, &one, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_permutation(one, topomap_machine_slots(m));
    assert_int_equal(topomap_cost_evaluate(graph, m, one->slot_of_rank, &cost, &err), 0);
    assert_true(fabs(cost.J - one->J) <= 1e-9 * (1 + cost.J));
    assert_true(cost.lower_bound <= cost.J * (1 + 1e-12));
    topomap_cost_clear(&cost);
    assert_int_equal(topomap_map(graph, m, &options, &two, &err), 0);
    assert_memory_equal(one->slot_of_rank, two->slot_of_rank,
                        topomap_machine_slots(m) * sizeof(uint32_t));
    topomap_mapping_free(one);
    topomap_mapping_free(two);
}

static int accepts(const topomap_algorithm *row, const topomap_machine *m)
{
    return strstr(row->machines, topomap_machine_kind(m)) != NULL;
}

/* Some rows map grids of ranks alone, and must say so of any other graph; one knows the groups of
 * machines that are made as dragonflies alone, and must say so of any other machine. */
static int wants_another(const topomap_algorithm *row, const topomap_graph *graph,
                         const topomap_machine *m)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = row->name};
    topomap_mapping *mapping;
    topomap_error err;

    if (!strstr("mxovlp mxov-al stack fold boxes grid nodecart hyperplane kd-tree stencil-strips "
                "group-first",
                row->name))
        return 0;
    if (topomap_map(graph, m, &options, &mapping, &err) == 0) {
        topomap_mapping_free(mapping);
        return 0;
    }
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    if (strcmp(row->name, "group-first") == 0)
        assert_message(err.text, "groups");
    else
        assert_true(message_has(err.text, "2-D grid") || message_has(err.text, "is recognised"));
    return 1;
}

static void check_registry(const topomap_graph *graph, const topomap_machine *m)
{
    const topomap_algorithm *row;

    for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++) {
        char name[64];

        if (!accepts(row, m) || wants_another(row, graph, m))
            continue;
        check_algorithm(row->name, graph, m);
        snprintf(name, sizeof name, "%s+swap", row->name);
        if (strcmp(row->kind, "construct") == 0)
            check_algorithm(name, graph, m);
    }
}

static void every_algorithm_maps_every_machine(void **state)
{
    static const char *const specs[] = {
        "tree:4:3:2@1:10:100",
        "tree:2:2:2:2:2",
        "tree:7",
        "torus:3x4x2",
        "torus:4x3*2@1:10",
        "mesh:6x4",
        "mesh:5x5*1",
        "torus:24,base=5,routers=1",
        "mesh:3x4*2@1:10,routers=2",
        "fattree:k=4,levels=3*2@1:10",
        "fattree:leaves=3,hosts=5",
        "dragonfly:p=1,a=2,h=1@1",
        "percs:supernodes=1",
        "gpus:nodes=6,gpus=4,rails=4,unit=2",
        "gpus:nodes=8,gpus=4,rails=2,nvlink=2,domain=2,unit=4",
    };
    uint32_t degrees[] = {0, 1, 4, 30};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (size_t d = 0; d < 4; d++) {
            topomap_machine *m = map_machine(specs[i]);
            uint32_t slots = topomap_machine_slots(m), ranks = d % 2 ? slots : slots - slots / 3;
            topomap_graph *graph = random_graph(ranks, ranks * degrees[d], 100 * i + d);

            check_registry(graph, m);
            topomap_graph_free(graph);
            topomap_machine_free(m);
        }
}

static void every_algorithm_maps_uneven_allocations(void **state)
{
    topomap_machine *m[] = {uneven_fabric(), uneven_torus()};

    (void)state;
    for (uint32_t ranks = 1; ranks <= 18; ranks += ranks == 1 ? 10 : 7) {
        topomap_graph *graph = random_graph(ranks, ranks * 3, ranks);

        check_registry(graph, m[0]);
        check_registry(graph, m[1]);
        topomap_graph_free(graph);
    }
    topomap_machine_free(m[0]);
    topomap_machine_free(m[1]);
}

/* A row of 6 x 4 in natural order, shuffled: the portfolio must find something better, and never
 * something worse than what it is given. */
static void auto_is_never_worse_than_its_baseline(void **state)
{
    topomap_machine *m = map_machine("tree:2:3:4@1:10:100");

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        topomap_graph *graph = random_graph(24, 60, seed);
        topomap_random random = {seed};
        uint32_t start[24];
        topomap_map_options options = {
            .size = sizeof options, .effort = TOPOMAP_FAST, .seed = seed, .start = start};
        topomap_mapping *mapping;
        topomap_cost cost;
        topomap_error err;

        for (uint32_t i = 0; i < 24; i++)
            start[i] = i;
        topomap_random_shuffle(&random, start, 24);
        assert_int_equal(topomap_cost_evaluate(graph, m, start, &cost, &err), 0);
        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
        assert_true(mapping->J <= cost.J);
        assert_true(mapping->candidate[0].J == cost.J);
        topomap_cost_clear(&cost);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
    }
    topomap_machine_free(m);
}

static void tree_puts_pairs_together(void **state)
{
    /* Ranks 2i and 2i+1 of 8 are far apart in block order on 4 nodes if the pairs are (i, i+4). */
    static const uint32_t from[] = {0, 1, 2, 3}, to[] = {4, 5, 6, 7};
    static const uint64_t bytes[] = {9, 9, 9, 9};
    topomap_map_options options = {.size = sizeof options, .algorithm = "tree", .seed = 1};
    topomap_machine *m = map_machine("tree:2:4@1:10");
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(8, 4, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
    assert_true(mapping->J == 36.0);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(mapping->slot_of_rank[r] / 2, mapping->slot_of_rank[r + 4] / 2);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void deltas_on(const char *spec, int whole_nodes, uint64_t seed)
{
    topomap_machine *m = map_machine(spec);
    uint32_t n = whole_nodes ? topomap_machine_nodes(m) : topomap_machine_slots(m);
    topomap_graph *graph = random_graph(n, 4 * n, seed);
    topomap_problem problem = {.machine = m};
    topomap_vicinity near = {0};
    topomap_random random = {seed};
    topomap_weights weights;
    topomap_error err;
    uint32_t place[64];
    topomap_swap swap = {.weights = &weights,
                         .machine = m,
                         .vicinity = &near,
                         .whole_nodes = whole_nodes,
                         .place_of = place,
                         .problem = &problem};

    assert_true(n <= 64);
    assert_int_equal(topomap_weights_new(graph, n, &weights, &err), 0);
    assert_int_equal(topomap_vicinity_build(m, 64, &near, &err), 0);
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    assert_int_equal(topomap_swap_open(&swap, &err), 0);
    for (int k = 0; k < 200; k++) {
        uint32_t u = topomap_random_below(&random, n), x = topomap_random_below(&random, n);
        double before = 0, after = 0, delta;

        if (u == x)
            continue;
        for (uint32_t v = 0; v < n; v++)
            before += swap.gamma[v] / 2;
        delta = topomap_swap_delta(&swap, u, x);
        topomap_swap_apply(&swap, u, x);
        for (uint32_t v = 0; v < n; v++) {
            double full = 0;

            for (uint64_t e = weights.offset[v]; e < weights.offset[v + 1]; e++)
                full +=
                    (double)weights.weight[e] *
                    (whole_nodes ? topomap_machine_distance(m, m->slot_first[place[v]],
                                                            m->slot_first[place[weights.target[e]]])
                                 : topomap_machine_distance(m, place[v], place[weights.target[e]]));
            assert_true(fabs(full - swap.gamma[v]) <= 1e-6 * (1 + full));
            after += full / 2;
        }
        assert_true(fabs(after - before - delta) <= 1e-6 * (1 + before));
    }
    topomap_arena_clear(&swap.memory);
    topomap_weights_clear(&weights);
    topomap_vicinity_clear(&near);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void gains_equal_full_evaluations(void **state)
{
    (void)state;
    deltas_on("tree:2:4:4@1:10:100", 0, 1);
    deltas_on("torus:4x4*2@1:10", 0, 2);
    deltas_on("torus:4x4*2@1:10", 1, 3);
    deltas_on("mesh:5x5,base=3", 0, 4);
    deltas_on("tree:2:4:4@1:10:100", 1, 5);
}

/* Nodes at the two ends of a ring are neighbours: rb does not see it, rb-wrap does. */
static void rb_wrap_sees_the_seam(void **state)
{
    static const uint32_t from[] = {0, 2}, to[] = {1, 3};
    static const uint64_t bytes[] = {100, 100};
    topomap_map_options options = {.size = sizeof options, .seed = 1};
    topomap_machine *m;
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_error err;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "torus:16,alloc=%s", scratch_text("ring", "0\n7\n8\n15\n"));
    m = map_machine(spec);
    assert_int_equal(topomap_graph_new(4, 2, from, to, bytes, NULL, &graph, &err), 0);
    options.algorithm = "rb-wrap";
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
    assert_true(mapping->J == 200.0);
    topomap_mapping_free(mapping);
    options.algorithm = "rb";
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
    assert_true(mapping->J == 1400.0); /* the paper's halves: {0,7} and {8,15} */
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void impossible_requests_are_refused(void **state)
{
    static const struct {
        const char *spec, *algorithm, *expected;
    } cases[] = {
        {"tree:2:2", "rb", "works on"},         {"tree:2:2", "nonsense", "no algorithm"},
        {"tree:2:2", "tree+tree", "after '+'"}, {"tree:2:2", "auto+swap", "stands alone"},
        {"tree:2:1", "tree", "2 slots"},        {"tree:2:2", "greedy", "works on"},
    };
    topomap_graph *graph = random_graph(4, 6, 1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        topomap_map_options options = {.size = sizeof options, .algorithm = cases[i].algorithm};
        topomap_machine *m = map_machine(cases[i].spec);
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_null(mapping);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        if (!message_has(err.text, cases[i].expected))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].expected);
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

/* --levels inter chooses nodes only: inside a node ranks ascend with the slots. */
static void inter_only_keeps_rank_order_inside(void **state)
{
    topomap_machine *m = map_machine("tree:4:4:2@1:10:100,node=1");
    topomap_graph *graph = random_graph(32, 100, 3);
    topomap_map_options options = {
        .size = sizeof options, .seed = 3, .inter_only = 1, .algorithm = "tree+swap"};
    topomap_mapping *mapping;
    topomap_error err;
    uint32_t rank_at[32];

    (void)state;
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
    for (uint32_t r = 0; r < 32; r++)
        rank_at[mapping->slot_of_rank[r]] = r;
    for (uint32_t s = 0; s < 32; s++)
        assert_true(s % 4 == 0 || rank_at[s] > rank_at[s - 1]);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* On a busy machine the time may be up before the search begins: one candidate is tried. */
static void one_is_tried_however_late(void **state)
{
    topomap_machine *m = map_machine("tree:4:4:2@1:10:100,node=1");
    topomap_graph *graph = random_graph(32, 100, 3);
    topomap_map_options options = {.size = sizeof options, .seed = 3, .seconds = 1e-9};
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
    assert_int_equal(mapping->candidates, 2);
    assert_true(mapping->J < mapping->candidate[0].J);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Counting changes nothing. */
static void who_watches_gets_the_same_map(void **state)
{
    topomap_machine *m = map_machine("tree:4:4:2@1:10:100");
    topomap_graph *graph = random_graph(32, 100, 3);

    (void)state;
    for (int effort = TOPOMAP_FAST; effort <= TOPOMAP_STRONG; effort++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            topomap_map_options options = {.size = sizeof options,
                                           .effort = (enum topomap_effort)effort,
                                           .seed = 3,
                                           .threads = threads};
            topomap_watch watch = {.done = 0};
            topomap_mapping *alone, *watched;
            topomap_error err;

            assert_int_equal(topomap_map(graph, m, &options, &alone, &err), 0);
            assert_int_equal(topomap_map_watched(graph, m, &options, &watch, &watched, &err), 0);
            assert_memory_equal(alone->slot_of_rank, watched->slot_of_rank,
                                32 * sizeof *alone->slot_of_rank);
            assert_int_equal(alone->candidates, watched->candidates);
            assert_string_equal(atomic_load(&watch.stage), "search");
            assert_true(atomic_load(&watch.done) > 0);
            assert_true(atomic_load(&watch.total) > 0);
            topomap_mapping_free(alone);
            topomap_mapping_free(watched);
        }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_maps_every_machine),
        cmocka_unit_test(every_algorithm_maps_uneven_allocations),
        cmocka_unit_test(auto_is_never_worse_than_its_baseline),
        cmocka_unit_test(tree_puts_pairs_together),
        cmocka_unit_test(gains_equal_full_evaluations),
        cmocka_unit_test(rb_wrap_sees_the_seam),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(inter_only_keeps_rank_order_inside),
        cmocka_unit_test(one_is_tried_however_late),
        cmocka_unit_test(who_watches_gets_the_same_map),
    };

    return cmocka_run_group_tests_name("map", tests, scratch_setup, scratch_teardown);
}
