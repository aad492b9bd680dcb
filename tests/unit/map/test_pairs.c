/* SPDX-License-Identifier: BSD-3-Clause */
/* Schulz & Traeff (VieM): gains, the distance oracle and the neighbourhoods against their plain
 * definitions, which are too slow for anything but tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/closeness.h"
#include "map/refine/refine.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/scratch.h"

static const char *const specs[] = {
    "tree:4:3:2@1:10:100", "tree:2:2:2:2:2", "tree:7",   "tree:1:6:4@1:10:100",
    "torus:4x3*2@1:10",    "mesh:6x4",       "mesh:5x5", "tree:3:2:4@5:2:9",
};
enum { SPECS = sizeof specs / sizeof specs[0], MOST = 64 };
/* A problem on a machine with a random graph, and dense matrices of both. */
typedef struct dense {
    topomap_machine *machine;
    topomap_problem problem;
    uint32_t n;
    double w[MOST][MOST], d[MOST][MOST];
    uint32_t slot_of[MOST];
} dense;

static void dense_open(dense *s, const char *spec, uint32_t degree, uint64_t most, uint64_t seed)
{
    topomap_graph *graph;
    topomap_random random = {seed};
    topomap_error err;

    memset(s, 0, sizeof *s);
    s->machine = map_machine(spec);
    s->n = topomap_machine_slots(s->machine);
    assert_true(s->n <= MOST);
    graph = map_graph(s->n - s->n / 8, degree * s->n, most, seed);
    s->problem.machine = s->machine;
    s->problem.seed = seed;
    s->problem.ranks = topomap_graph_ranks(graph);
    assert_int_equal(topomap_weights_new(graph, s->n, &s->problem.weights, &err), 0);
    topomap_graph_free(graph);
    for (uint32_t u = 0; u < s->n; u++) {
        const topomap_weights *w = &s->problem.weights;

        s->slot_of[u] = u;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            s->w[u][w->target[e]] = (double)w->weight[e];
        for (uint32_t v = 0; v < s->n; v++)
            s->d[u][v] = topomap_machine_distance(s->machine, u, v);
    }
    topomap_random_shuffle(&random, s->slot_of, s->n);
}

static void dense_close(dense *s)
{
    topomap_weights_clear(&s->problem.weights);
    topomap_machine_free(s->machine);
}

static double dense_cost(const dense *s)
{
    double sum = 0;

    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t v = 0; v < u; v++)
            sum += s->w[u][v] * s->d[s->slot_of[u]][s->slot_of[v]];
    return sum;
}

static void the_oracle_agrees_with_the_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        topomap_machine *m = map_machine(specs[i]);
        uint32_t n = topomap_machine_slots(m), slot_of[MOST];
        topomap_problem problem = {.machine = m};
        topomap_graph *graph = map_graph(n, n, 9, i);
        topomap_pairs pairs;
        topomap_error err;

        assert_int_equal(topomap_weights_new(graph, n, &problem.weights, &err), 0);
        for (uint32_t u = 0; u < n; u++)
            slot_of[u] = u;
        assert_int_equal(topomap_pairs_init(&pairs, &problem, slot_of, &err), 0);
        assert_int_equal(pairs.oracle.code != NULL, strncmp(specs[i], "tree", 4) == 0);
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++)
                assert_true(topomap_pairs_distance(&pairs, p, q) ==
                            topomap_machine_distance(m, p, q));
        topomap_pairs_clear(&pairs);
        topomap_weights_clear(&problem.weights);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* Nodes without slots, and more groups than bits would be: an allocation of a wide tree. */
static void the_oracle_knows_scattered_allocations(void **state)
{
    char spec[512];
    topomap_machine *m;
    topomap_oracle oracle;
    topomap_error err;

    (void)state;
    snprintf(spec, sizeof spec, "tree:2:3:40:50@1:2:30:400,node=2,alloc=%s",
             scratch_text("wide", "1999\n3\n41\n40\n7\n1960\n"));
    m = map_machine(spec);
    assert_int_equal(topomap_oracle_init(&oracle, m, &err), 0);
    assert_non_null(oracle.code);
    for (uint32_t p = 0; p < 36; p++)
        for (uint32_t q = 0; q < 36; q++) {
            double d = oracle.cost[topomap_closeness_bit(oracle.code[p], oracle.code[q])];

            assert_true(d == topomap_machine_distance(m, p, q));
        }
    topomap_oracle_clear(&oracle);
    topomap_machine_free(m);
}

static void gains_equal_differences_of_full_evaluations(void **state)
{
    static dense s;

    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        topomap_random random = {i};
        topomap_pairs pairs;
        topomap_error err;

        dense_open(&s, specs[i], 4, 1000, i);
        assert_int_equal(topomap_pairs_init(&pairs, &s.problem, s.slot_of, &err), 0);
        for (int k = 0; k < 300; k++) {
            uint32_t u = topomap_random_below(&random, s.n), x = topomap_random_below(&random, s.n);
            double before = dense_cost(&s), delta;

            if (u == x)
                continue;
            delta = topomap_pairs_delta(&pairs, u, x);
            topomap_pairs_swap(&pairs, u, x, delta);
            assert_true(dense_cost(&s) - before == delta); /* all numbers are whole */
            for (uint32_t v = 0; v < s.n; v++) {
                double full = 0;

                for (uint32_t t = 0; t < s.n; t++)
                    full += s.w[v][t] * s.d[s.slot_of[v]][s.slot_of[t]];
                assert_true(full == pairs.gamma[v]);
            }
        }
        topomap_pairs_clear(&pairs);
        dense_close(&s);
    }
}

/* The gain in O(n) with distances from a matrix: VieM, section 2. */
static const dense *now;
static double matrix_delta(const topomap_pairs *pairs, uint32_t u, uint32_t x)
{
    uint32_t p = pairs->slot_of[u], q = pairs->slot_of[x];
    double sum = 0;

    for (uint32_t v = 0; v < now->n; v++)
        if (v != u && v != x)
            sum += (now->w[u][v] - now->w[x][v]) *
                   (now->d[q][pairs->slot_of[v]] - now->d[p][pairs->slot_of[v]]);
    return sum;
}

enum { LONGEST = 100000 };
typedef struct trajectory {
    uint32_t length;
    double J[LONGEST];
} trajectory;

static void record(void *data, uint32_t u, uint32_t x, double delta)
{
    trajectory *t = data;

    (void)u;
    (void)x;
    (void)delta;
    assert_true(t->length < LONGEST);
    t->J[t->length++] = dense_cost(now);
}

/* method: depth of N_C^d, or 0 and the block of N_p, 0 for N^2. */
static void run_search(dense *s, uint32_t depth, uint32_t block, int slow, trajectory *t)
{
    topomap_pairs pairs;
    topomap_error err;

    assert_int_equal(topomap_pairs_init(&pairs, &s->problem, s->slot_of, &err), 0);
    if (slow)
        pairs.delta = matrix_delta;
    pairs.swapped = t ? record : NULL;
    pairs.data = t;
    now = s;
    if (t)
        t->length = 0;
    assert_int_equal(depth ? topomap_pairs_near(&pairs, depth, &err)
                           : topomap_pairs_cyclic(&pairs, block, &err),
                     0);
    topomap_pairs_clear(&pairs);
}

static const struct {
    uint32_t depth, block;
} searches[] = {{1, 0}, {2, 0}, {10, 0}, {0, 8}, {0, 0}};
enum { SEARCHES = sizeof searches / sizeof searches[0] };

static void fast_and_slow_gains_take_the_same_path(void **state)
{
    static dense s;
    static trajectory fast, slow;

    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        for (size_t k = 0; k < SEARCHES; k++) {
            uint32_t start[MOST];
            double J;

            dense_open(&s, specs[i], 3, 1000, 10 * i + k);
            memcpy(start, s.slot_of, sizeof start);
            J = dense_cost(&s);
            run_search(&s, searches[k].depth, searches[k].block, 0, &fast);
            memcpy(s.slot_of, start, sizeof start);
            run_search(&s, searches[k].depth, searches[k].block, 1, &slow);
            assert_int_equal(fast.length, slow.length);
            assert_memory_equal(fast.J, slow.J, fast.length * sizeof *fast.J);
            for (uint32_t t = 0; t < fast.length; t++) {
                assert_true(fast.J[t] < J);
                J = fast.J[t];
            }
            dense_close(&s);
        }
}

/* Hops between vertices of the graph, by the definition. */
static void graph_distances(const dense *s, uint32_t hops[MOST][MOST])
{
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t v = 0; v < s->n; v++)
            hops[u][v] = u == v ? 0 : s->w[u][v] > 0 ? 1 : 1000;
    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t u = 0; u < s->n; u++)
            for (uint32_t v = 0; v < s->n; v++)
                if (hops[u][k] + hops[k][v] < hops[u][v])
                    hops[u][v] = hops[u][k] + hops[k][v];
}

/* The end of a search is that no pair of its neighbourhood improves, and of N_C^d that nothing
 * beyond its reach has been tried: only the d-neighbourhood's optimum is promised. */
static void searches_end_in_optima_of_their_neighbourhoods(void **state)
{
    static dense s;
    static uint32_t hops[MOST][MOST];

    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        for (size_t k = 0; k < SEARCHES; k++) {
            uint32_t depth = searches[k].depth, block = searches[k].block;
            topomap_pairs pairs;
            topomap_error err;

            dense_open(&s, specs[i], 2, 50, 77 * i + k);
            run_search(&s, depth, block, 0, NULL);
            graph_distances(&s, hops);
            assert_int_equal(topomap_pairs_init(&pairs, &s.problem, s.slot_of, &err), 0);
            for (uint32_t u = 0; u < s.n; u++)
                for (uint32_t x = 0; x < u; x++) {
                    if (depth ? hops[u][x] > depth : block && u / block != x / block)
                        continue;
                    assert_true(topomap_pairs_delta(&pairs, u, x) >= 0);
                }
            topomap_pairs_clear(&pairs);
            dense_close(&s);
        }
}

/* Weights from 1 to 2^50 side by side: rounding must neither keep a search going nor cost it J. */
static void huge_weights_end(void **state)
{
    static dense s;

    (void)state;
    for (size_t k = 0; k < SEARCHES; k++) {
        double before;

        dense_open(&s, "tree:4:4:4@1:10:100", 3, (uint64_t)1 << 50, k);
        before = dense_cost(&s);
        run_search(&s, searches[k].depth, searches[k].block, 0, NULL);
        assert_true(dense_cost(&s) < before);
        dense_close(&s);
    }
}

/* By hand: four ranks on two nodes of two slots (1 inside, 10 across), a square 0-1-2-3 with the
 * heavy pairs (0,2) and (1,3) of 5 and light ones of 1. Rank order costs 5*10*2 + 1*1*2 + 1*10*2 =
 * 122; the best puts 0 with 2: 5*2 + 4*10 = 50. Ranks 1 and 2 are neighbours: N_1 finds it. */
static void nc1_solves_the_square_by_hand(void **state)
{
    static const uint32_t from[] = {0, 1, 0, 1, 2, 3}, to[] = {2, 3, 1, 2, 3, 0};
    static const uint64_t bytes[] = {5, 5, 1, 1, 1, 1};
    static const char *const names[] = {"identity+nc1", "nc2", "nc10", "n2", "np"};
    topomap_machine *m = map_machine("tree:2:2@1:10");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(4, 6, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        topomap_map_options options = {.size = sizeof options, .algorithm = names[i], .seed = i};
        topomap_mapping *mapping;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
        assert_true(mapping->J == 50.0);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}
static void every_construction_takes_every_refinement(void **state)
{
    static const char *const constructs[] = {"random",       "top-down",        "bottom-up",
                                             "multisection", "mueller-merbach", "greedy-all-c"};
    static const char *const refinements[] = {"n2", "np", "nc1", "nc2", "nc10", "nc1+n2"};

    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        for (size_t c = 0; c < sizeof constructs / sizeof constructs[0]; c++)
            for (size_t r = 0; r < sizeof refinements / sizeof refinements[0]; r++) {
                topomap_machine *m = map_machine(specs[i]);
                uint32_t n = topomap_machine_slots(m);
                topomap_graph *graph = map_graph(n - n / 6, 3 * n, 100, 5 * i + r);
                char name[64];

                snprintf(name, sizeof name, "%s+%s", constructs[c], refinements[r]);
                if (strcmp(topomap_machine_kind(m), "tree") == 0 ||
                    !(strstr(name, "-down") || strstr(name, "-up") || strstr(name, "section")))
                    assert_true(map_cost(graph, m, name) <= map_cost(graph, m, constructs[c]));
                topomap_graph_free(graph);
                topomap_machine_free(m);
            }
}
/* Ranks 0 and 1 talk, and with nobody else; they are on the two ends of a row of which the slots
 * between are empty, or held by ranks that talk to nobody. Each search must bring them together:
 * N_C by itself has the one pair 0-1 only, N_p none that helps. */
static void empty_slots_are_moved_to(void **state)
{
    static const char *const names[] = {"n2", "np", "nc1", "nc2", "nc10"};
    static const uint32_t from[] = {0}, to[] = {1};
    static const uint64_t bytes[] = {7};

    (void)state;
    for (uint32_t ranks = 2; ranks <= 150; ranks += 74)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            uint32_t start[150];
            topomap_map_options options = {
                .size = sizeof options, .algorithm = names[i], .start = start};
            topomap_machine *m = map_machine("mesh:200");
            topomap_mapping *mapping;
            topomap_graph *graph;
            topomap_error err;

            start[0] = 0;
            start[1] = 199;
            for (uint32_t r = 2; r < ranks; r++)
                start[r] = r;
            assert_int_equal(topomap_graph_new(ranks, 1, from, to, bytes, NULL, &graph, &err), 0);
            assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
            assert_true(mapping->J == 7.0);
            topomap_mapping_free(mapping);
            topomap_graph_free(graph);
            topomap_machine_free(m);
        }
}

/* Whoever talks alike to all others changes nothing by changing places: equal neighbours with equal
 * weights, joined by an edge (2 and 3) or not (0 and 1); 4 and 5 differ in one weight. */
static void twins_are_told(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 2, 3, 4, 5}, to[] = {6, 6, 3, 7, 7, 8, 8};
    static const uint64_t bytes[] = {5, 5, 1, 2, 2, 3, 4};
    topomap_weights weights;
    topomap_twins twins;
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(10, 7, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_weights_new(graph, 10, &weights, &err), 0);
    assert_int_equal(topomap_twins_init(&twins, &weights, &err), 0);
    assert_true(topomap_twins_are(&twins, 0, 1));
    assert_true(topomap_twins_are(&twins, 2, 3));
    assert_true(topomap_twins_are(&twins, 3, 2));
    assert_false(topomap_twins_are(&twins, 4, 5));
    assert_false(topomap_twins_are(&twins, 0, 4));
    assert_false(topomap_twins_are(&twins, 0, 9));
    topomap_twins_clear(&twins);
    topomap_weights_clear(&weights);
    topomap_graph_free(graph);
}

/* Looks are edges: on a complete graph of equal weights pairs are twins and none is looked at; of
 * other weights the search ends when they are used up. */
static void dense_graphs_end_in_time(void **state)
{
    static const char *const patterns[] = {"alltoall:group=300,n=300", NULL};

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < SEARCHES; k++) {
            topomap_machine *m = map_machine("torus:10x10*3@1:10");
            topomap_graph *graph = NULL;
            uint32_t slot_of[300];
            topomap_problem problem = {.machine = m, .ranks = 300};
            topomap_pairs pairs;
            topomap_error err;

            if (patterns[i])
                assert_int_equal(topomap_graph_generate(patterns[i], &graph, &err), 0);
            else
                graph = map_graph(300, 300 * 600, 1000, k);
            assert_int_equal(topomap_weights_new(graph, 300, &problem.weights, &err), 0);
            for (uint32_t v = 0; v < 300; v++)
                slot_of[v] = 299 - v;
            assert_int_equal(topomap_pairs_init(&pairs, &problem, slot_of, &err), 0);
            pairs.looks = 400000;
            assert_int_equal(searches[k].depth
                                 ? topomap_pairs_near(&pairs, searches[k].depth, &err)
                                 : topomap_pairs_cyclic(&pairs, searches[k].block, &err),
                             0);
            assert_true(patterns[i] ? pairs.looks > 0 : pairs.looks < 0 || searches[k].block);
            assert_true(pairs.looks > -4000);
            topomap_pairs_clear(&pairs);
            topomap_weights_clear(&problem.weights);
            topomap_graph_free(graph);
            topomap_machine_free(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_agrees_with_the_machine),
        cmocka_unit_test(the_oracle_knows_scattered_allocations),
        cmocka_unit_test(gains_equal_differences_of_full_evaluations),
        cmocka_unit_test(fast_and_slow_gains_take_the_same_path),
        cmocka_unit_test(searches_end_in_optima_of_their_neighbourhoods),
        cmocka_unit_test(huge_weights_end),
        cmocka_unit_test(nc1_solves_the_square_by_hand),
        cmocka_unit_test(empty_slots_are_moved_to),
        cmocka_unit_test(twins_are_told),
        cmocka_unit_test(dense_graphs_end_in_time),
        cmocka_unit_test(every_construction_takes_every_refinement),
    };

    return cmocka_run_group_tests_name("pairs", tests, scratch_setup, scratch_teardown);
}
