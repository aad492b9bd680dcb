/* SPDX-License-Identifier: BSD-3-Clause */
/* Annealing: distances and gains against the machine's own, on slots and on groups; and the
 * matching that large jobs begin with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/refine/refine.h"
#include "partition/partition.h"
#include "tests/unit/map/maps.h"

static const char *const specs[] = {
    "tree:4:3:2@1:10:100",
    "tree:2:2:2:2:2",
    "tree:7@3",
    "tree:3:5:2:3@1:4:20:60,node=2",
    "torus:3x4x2",
    "torus:4x3*2@1:10",
    "torus:5x5*4@2:7,base=3,routers=2",
    "mesh:6x4",
    "fattree:k=4,levels=3*2@1:10",
    "dragonfly:p=1,a=2,h=1*3@1",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

static void distances_on(const char *spec, uint32_t table_nodes)
{
    topomap_machine *m = map_machine(spec);
    topomap_closeness c;
    topomap_error err;

    assert_int_equal(topomap_closeness_init(&c, m, TOPOMAP_CLOSE_SLOTS, table_nodes, &err), 0);
    assert_int_equal(c.places, topomap_machine_slots(m));
    for (uint32_t i = 0; i < c.places; i++)
        for (uint32_t k = 0; k < c.places; k++) {
            double far = topomap_machine_distance(m, c.slot[i], c.slot[k]);

            if (i != k && topomap_closeness_distance(&c, c.how, c.code[i], c.code[k]) != (float)far)
                fail_msg("%s: slots %u and %u", spec, c.slot[i], c.slot[k]);
        }
    for (uint32_t l = 0; l < c.levels; l++)
        for (uint32_t i = 0; i < c.places; i++) {
            assert_true(c.start[l][c.group[l][i]] <= i);
            assert_true(c.start[l][c.group[l][i] + 1] > i);
        }
    topomap_closeness_clear(&c);
    topomap_machine_free(m);
}

static void distances_are_the_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        distances_on(specs[i], TOPOMAP_CLOSE_NODES);
        distances_on(specs[i], 16); /* nodes are more than that, their sites or routers are not */
        distances_on(specs[i], 0);
    }
}

static enum topomap_closeness_how how_on(const char *spec, uint32_t table_nodes)
{
    topomap_machine *m = map_machine(spec);
    enum topomap_closeness_how how;
    topomap_closeness c;
    topomap_error err;

    assert_int_equal(topomap_closeness_init(&c, m, TOPOMAP_CLOSE_SLOTS, table_nodes, &err), 0);
    how = c.how;
    topomap_closeness_clear(&c);
    topomap_machine_free(m);
    return how;
}

/* A torus's table is of 2^fields bytes, others' of sites squared, whatever the number of nodes. */
static void tables_are_as_large_as_they_may(void **state)
{
    (void)state;
    assert_int_equal(how_on("torus:3x4x2", 16), TOPOMAP_CLOSE_TORUS);
    assert_int_equal(how_on("torus:3x4x2", 15), TOPOMAP_CLOSE_ANY);
    assert_int_equal(how_on("fattree:k=4,levels=3*2@1:10", 8), TOPOMAP_CLOSE_TABLE);
    assert_int_equal(how_on("fattree:k=4,levels=3*2@1:10", 7), TOPOMAP_CLOSE_ANY);
    assert_int_equal(how_on("tree:4:3:2@1:10:100", 0), TOPOMAP_CLOSE_BITS);
}

static void gains_on(const char *spec, int level, uint64_t seed)
{
    topomap_machine *m = map_machine(spec);
    uint32_t n = topomap_machine_slots(m);
    topomap_graph *graph = map_graph(n, 5 * n, 1000, seed);
    topomap_problem problem = {.machine = m, .graph = graph, .ranks = n, .seed = seed};
    topomap_random random = {seed};
    topomap_closeness c;
    topomap_anneal a;
    topomap_error err;
    uint32_t *slot_of = malloc(n * sizeof *slot_of), *moved = malloc(n * sizeof *moved);

    problem.work.scratch = malloc(n * sizeof *problem.work.scratch);
    assert_int_equal(topomap_weights_new(graph, n, &problem.weights, &err), 0);
    for (uint32_t v = 0; v < n; v++)
        slot_of[v] = v;
    topomap_random_shuffle(&random, slot_of, n);
    assert_int_equal(topomap_closeness_init(&c, m, level, TOPOMAP_CLOSE_NODES, &err), 0);
    assert_int_equal(topomap_anneal_init(&a, &problem, &c, slot_of, &err), 0);
    for (uint32_t u = 0; u < a.vertices; u++)
        for (uint32_t x = 0; x < u; x++) {
            uint32_t place = a.place[u];
            double before = topomap_problem_cost(&problem, slot_of), after;

            memcpy(moved, slot_of, n * sizeof *moved);
            memset(problem.work.scratch, 0xff, n * sizeof *problem.work.scratch);
            a.place[u] = a.place[x];
            a.place[x] = place;
            topomap_anneal_store(&a, moved, problem.work.scratch);
            a.place[x] = a.place[u];
            a.place[u] = place;
            after = topomap_problem_cost(&problem, moved);
            if (fabs(topomap_anneal_delta(&a, u, x) - (after - before)) > 1e-4 * before)
                fail_msg("%s, level %d: %u and %u", spec, level, u, x);
        }
    topomap_anneal_clear(&a);
    topomap_closeness_clear(&c);
    topomap_weights_clear(&problem.weights);
    topomap_graph_free(graph);
    topomap_machine_free(m);
    free(problem.work.scratch);
    free(slot_of);
    free(moved);
}

/* The change that a run has added up, of swaps priced by sums over arcs where groups are nested, is
 * that of J. A run that counts every swap as quiet ends at the first look. */
static void runs_add_up_on(const char *spec, uint64_t seed)
{
    static const topomap_cooling cooling = {20000, 0.5, 0.1, 0.0}, quiet = {20000, 0.5, 0.1, 1.1};
    topomap_machine *m = map_machine(spec);
    uint32_t n = topomap_machine_slots(m), blocks;
    topomap_graph *graph = map_graph(n, 3 * n, 1000, seed);
    topomap_problem problem = {.machine = m, .graph = graph, .ranks = n, .seed = seed};
    topomap_closeness c;
    topomap_anneal a;
    topomap_error err;
    uint32_t *slot_of = malloc(n * sizeof *slot_of);
    double before, after;

    problem.work.scratch = malloc(n * sizeof *problem.work.scratch);
    memset(problem.work.scratch, 0xff, n * sizeof *problem.work.scratch);
    assert_int_equal(topomap_weights_new(graph, n, &problem.weights, &err), 0);
    for (uint32_t v = 0; v < n; v++)
        slot_of[v] = v;
    before = topomap_problem_cost(&problem, slot_of);
    assert_int_equal(topomap_closeness_init(&c, m, TOPOMAP_CLOSE_SLOTS, TOPOMAP_CLOSE_NODES, &err),
                     0);
    assert_int_equal(topomap_anneal_init(&a, &problem, &c, slot_of, &err), 0);
    for (uint32_t l = c.levels; l-- > 0;) {
        a.lowest = l;
        assert_int_equal(topomap_anneal_run(&a, &problem, &cooling, &err), 0);
    }
    topomap_anneal_store(&a, slot_of, problem.work.scratch);
    after = topomap_problem_cost(&problem, slot_of);
    if (!c.levels || after == before || fabs(a.change - (after - before)) > 1e-4 * before)
        fail_msg("%s: J changed by %f, %f were added up", spec, after - before, a.change);
    blocks = a.blocks;
    assert_int_equal(topomap_anneal_run(&a, &problem, &quiet, &err), 0);
    assert_true((a.blocks - blocks) * c.levels < blocks / 8);
    topomap_anneal_clear(&a);
    topomap_closeness_clear(&c);
    topomap_weights_clear(&problem.weights);
    topomap_graph_free(graph);
    topomap_machine_free(m);
    free(problem.work.scratch);
    free(slot_of);
}

static void runs_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        runs_add_up_on("tree:4:3:2@1:10:100", seed);
        runs_add_up_on("tree:3:5:2:3@1:4:20:60,node=2", seed);
        runs_add_up_on("tree:4:4:4:2@5:1:20:10", seed); /* closer may cost more */
        runs_add_up_on("torus:5x5*4@2:7,base=3,routers=2", seed);
    }
}

/* By hand: a hub with three neighbours. A vertex has 6 / 4 arcs; the end of an arc has 3 in half of
 * the cases and 1 in the others. */
static void hubs_cost_more(void **state)
{
    static const uint32_t from[] = {0, 0, 0}, to[] = {1, 2, 3}, places[] = {0, 1, 2, 3};
    static const uint64_t bytes[] = {5, 5, 5};
    topomap_machine *m = map_machine("tree:2:2@1:10");
    topomap_problem problem = {.machine = m, .ranks = 4};
    topomap_graph *graph;
    topomap_closeness c;
    topomap_anneal a;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(4, 3, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_weights_new(graph, 4, &problem.weights, &err), 0);
    assert_int_equal(topomap_closeness_init(&c, m, TOPOMAP_CLOSE_SLOTS, TOPOMAP_CLOSE_NODES, &err),
                     0);
    assert_int_equal(topomap_anneal_init(&a, &problem, &c, places, &err), 0);
    assert_float_equal(topomap_anneal_arcs(&a), 1.5 + 2, 1e-12);
    topomap_anneal_clear(&a);
    topomap_closeness_clear(&c);
    topomap_weights_clear(&problem.weights);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Colder than what the effort has, a search climbs less and ends elsewhere; at 100 it is the same.
 */
static void heat_is_of_the_effort(void **state)
{
    topomap_machine *m = map_machine("tree:4:4:4@1:10:100");
    topomap_graph *graph = map_graph(64, 600, 1000, 6);
    double as_is = map_cost(graph, m, "random+anneal");

    (void)state;
    assert_true(map_cost(graph, m, "random+anneal,heat=100") == as_is);
    assert_true(map_cost(graph, m, "random+anneal,heat=1") != as_is);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void gains_are_full_evaluations(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        gains_on(specs[i], TOPOMAP_CLOSE_SLOTS, i);
    gains_on("tree:4:3:2@1:10:100", 0, 1);
    gains_on("tree:3:5:2:3@1:4:20:60,node=2", 0, 2);
    gains_on("tree:3:5:2:3@1:4:20:60,node=2", 1, 3);
    gains_on("torus:4x3*2@1:10", 0, 4);
    gains_on("fattree:k=4,levels=3*2@1:10", 0, 5);
}

/* Heavy-edge matching takes the middle of a path of four and strands both ends: the path between
 * them, end to end, pairs all. */
static void a_path_is_paired_without_rest(void **state)
{
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};
    static const uint64_t bytes[] = {1, 9, 1};
    topomap_graph *graph;
    topomap_weights weights, pairs;
    topomap_error err;
    uint32_t half[4];

    (void)state;
    assert_int_equal(topomap_graph_new(4, 3, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_weights_new(graph, 4, &weights, &err), 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        topomap_random random = {seed};

        assert_int_equal(topomap_matching(&weights, &random, half, &err), 0);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(half[i], i);
    }
    assert_int_equal(topomap_matching_contract(&weights, half, &pairs, &err), 0);
    assert_int_equal(pairs.vertices, 2);
    assert_int_equal(pairs.offset[2], 2);
    assert_int_equal(pairs.target[0], 1);
    assert_int_equal(pairs.weight[0], 9);
    assert_int_equal(pairs.weight[1], 9);
    topomap_weights_clear(&pairs);
    topomap_weights_clear(&weights);
    topomap_graph_free(graph);
}

static void every_vertex_has_one_partner(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        topomap_graph *graph = map_graph(500, (uint32_t)(seed * 60), 5, seed);
        topomap_random random = {seed};
        topomap_weights weights;
        topomap_error err;
        uint32_t half[500];
        uint8_t seen[500] = {0};

        assert_int_equal(topomap_weights_new(graph, 500, &weights, &err), 0);
        assert_int_equal(topomap_matching(&weights, &random, half, &err), 0);
        for (uint32_t i = 0; i < 500; i++)
            assert_int_equal(seen[half[i]]++, 0);
        topomap_weights_clear(&weights);
        topomap_graph_free(graph);
    }
}

static topomap_mapping *mapped(const topomap_graph *graph, const char *spec, const char *algorithm,
                               enum topomap_effort effort)
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = algorithm, .effort = effort, .seed = 5};
    topomap_machine *m = map_machine(spec);
    uint32_t n = topomap_machine_slots(m);
    uint8_t *seen = calloc(n, 1);
    topomap_mapping *mapping = NULL;
    topomap_error err;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(seen[mapping->slot_of_rank[i]]++, 0);
    free(seen);
    topomap_machine_free(m);
    return mapping;
}

/* Four groups of four ranks, dealt round robin: each fits a node, and nothing is better. */
static void groups_come_together(void **state)
{
    uint32_t from[24], to[24], count = 0;
    uint64_t bytes[24];
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    for (uint32_t u = 0; u < 16; u++)
        for (uint32_t v = u + 4; v < 16; v += 4) {
            from[count] = u;
            to[count] = v;
            bytes[count++] = 2;
        }
    assert_int_equal(topomap_graph_new(16, count, from, to, bytes, NULL, &graph, &err), 0);
    mapping = mapped(graph, "tree:4:4@1:10", "identity+anneal-hot", TOPOMAP_DEFAULT);
    assert_true(mapping->J == 48.0); /* 24 pairs of 2 bytes, all inside */
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
}

static void heavy_weights_stay_finite(void **state)
{
    static const char *const names[] = {"auto", "matched+anneal", "identity+anneal-hot"};
    topomap_graph *graph = map_graph(48, 6, (uint64_t)1 << 60, 1);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        topomap_mapping *mapping = mapped(graph, "tree:4:4:3@1:10:100", names[i], TOPOMAP_DEFAULT);

        assert_true(isfinite(mapping->J) && mapping->J > 0);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
}

/* Large enough for several rounds of pairs, on nodes, on sub-trees that stand for nodes, and where
 * odd nodes allow none. */
static void pairs_of_pairs_are_mapped(void **state)
{
    static const char *const large[] = {"tree:16:8:32@1:10:100,node=1", "tree:4:16:64@1:10:100",
                                        "torus:8x8x8*8@1:10", "tree:5:5:5:9@1:10:50:90"};
    topomap_graph *graph = map_graph(1000, 5000, 9, 2);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        topomap_mapping *one = mapped(graph, large[i], "matched", TOPOMAP_FAST);
        topomap_mapping *two = mapped(graph, large[i], "matched", TOPOMAP_FAST);

        assert_memory_equal(one->slot_of_rank, two->slot_of_rank, 1000 * sizeof(uint32_t));
        topomap_mapping_free(one);
        topomap_mapping_free(two);
    }
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_machines),
        cmocka_unit_test(tables_are_as_large_as_they_may),
        cmocka_unit_test(gains_are_full_evaluations),
        cmocka_unit_test(runs_add_up),
        cmocka_unit_test(hubs_cost_more),
        cmocka_unit_test(heat_is_of_the_effort),
        cmocka_unit_test(a_path_is_paired_without_rest),
        cmocka_unit_test(every_vertex_has_one_partner),
        cmocka_unit_test(groups_come_together),
        cmocka_unit_test(heavy_weights_stay_finite),
        cmocka_unit_test(pairs_of_pairs_are_mapped),
    };

    return cmocka_run_group_tests_name("anneal", tests, NULL, NULL);
}
