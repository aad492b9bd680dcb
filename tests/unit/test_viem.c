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
#include "map/pairs.h"
#include "map/places.h"
#include "tests/unit/scratch.h"

static const char *const specs[] = {
    "tree:4:3:2@1:10:100", "tree:2:2:2:2:2", "tree:7",   "tree:1:6:4@1:10:100",
    "torus:4x3*2@1:10",    "mesh:6x4",       "mesh:5x5", "tree:3:2:4@5:2:9",
};
enum { SPECS = sizeof specs / sizeof specs[0], MOST = 64 };

static topomap_machine *parsed(const char *spec)
{
    topomap_machine *machine = NULL;
    topomap_error err;

    if (topomap_machine_parse(spec, &machine, &err) != 0)
        fail_msg("%s", err.text);
    return machine;
}

static topomap_graph *random_graph(uint32_t ranks, uint32_t arcs, uint64_t most, uint64_t seed)
{
    topomap_random random = {seed};
    uint32_t *from = malloc((arcs + 1) * sizeof *from), *to = malloc((arcs + 1) * sizeof *to);
    uint64_t *bytes = malloc((arcs + 1) * sizeof *bytes);
    topomap_graph *graph = NULL;
    topomap_error err;

    for (uint32_t i = 0; i < arcs; i++) {
        from[i] = topomap_random_below(&random, ranks);
        to[i] = topomap_random_below(&random, ranks);
        bytes[i] = 1 + topomap_random_next(&random) % most;
    }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}

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
    s->machine = parsed(spec);
    s->n = topomap_machine_slots(s->machine);
    assert_true(s->n <= MOST);
    graph = random_graph(s->n - s->n / 8, degree * s->n, most, seed);
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
        topomap_machine *m = parsed(specs[i]);
        uint32_t n = topomap_machine_slots(m), slot_of[MOST];
        topomap_problem problem = {.machine = m};
        topomap_graph *graph = random_graph(n, n, 9, i);
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
    m = parsed(spec);
    assert_int_equal(topomap_oracle_init(&oracle, m, &err), 0);
    assert_non_null(oracle.code);
    for (uint32_t p = 0; p < 36; p++)
        for (uint32_t q = 0; q < 36; q++) {
            uint64_t differ = oracle.code[p] ^ oracle.code[q];
            double d = differ ? oracle.cost[63 - __builtin_clzll(differ)] : 0.0;

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
    topomap_machine *m = parsed("tree:2:2@1:10");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(4, 6, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        topomap_map_options options = {.algorithm = names[i], .seed = i};
        topomap_mapping *mapping;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
        assert_true(mapping->J == 50.0);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static double mapped_cost(const topomap_graph *graph, const topomap_machine *m, const char *name)
{
    topomap_map_options options = {.algorithm = name, .seed = 3};
    uint8_t seen[MOST] = {0};
    topomap_mapping *mapping;
    topomap_error err;
    double J;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    for (uint32_t v = 0; v < topomap_machine_slots(m); v++)
        assert_int_equal(seen[mapping->slot_of_rank[v]]++, 0);
    J = mapping->J;
    topomap_mapping_free(mapping);
    return J;
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
                topomap_machine *m = parsed(specs[i]);
                uint32_t n = topomap_machine_slots(m);
                topomap_graph *graph = random_graph(n - n / 6, 3 * n, 100, 5 * i + r);
                char name[64];

                snprintf(name, sizeof name, "%s+%s", constructs[c], refinements[r]);
                if (strcmp(topomap_machine_kind(m), "tree") == 0 ||
                    !(strstr(name, "-down") || strstr(name, "-up") || strstr(name, "section")))
                    assert_true(mapped_cost(graph, m, name) <=
                                mapped_cost(graph, m, constructs[c]));
                topomap_graph_free(graph);
                topomap_machine_free(m);
            }
}

/* Pairs (r, r + 8) of 8, and pairs of such pairs (r, r + 4) of 2, on 2 slots of 2 of 4: both
 * constructions along the hierarchy must find 8 pairs inside (8 each), 4 of the lighter edges one
 * level up (2 * 10). */
static void nested_pairs_come_together(void **state)
{
    static const char *const names[] = {"top-down", "bottom-up", "multisection"};
    topomap_machine *m = parsed("tree:2:2:4@1:10:100");
    uint32_t from[12], to[12];
    uint64_t bytes[12];
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    for (uint32_t r = 0; r < 12; r++) {
        from[r] = r < 8 ? r : r - 8;
        to[r] = r < 8 ? r + 8 : r - 4;
        bytes[r] = r < 8 ? 8 : 2;
    }
    assert_int_equal(topomap_graph_new(16, 12, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(mapped_cost(graph, m, names[i]) == 8 * 8 + 4 * 2 * 10);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void bottom_up_refuses_uneven_groups(void **state)
{
    topomap_map_options options = {.algorithm = "bottom-up"};
    topomap_graph *graph = random_graph(6, 12, 9, 1);
    topomap_mapping *mapping = NULL;
    topomap_machine *m;
    topomap_error err;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "tree:2:2:2@1:10:100,alloc=%s", scratch_text("three", "0\n1\n2\n"));
    m = parsed(spec);
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_null(mapping);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_non_null(strstr(err.text, "different sizes"));
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Total distance of a slot to others, each with a weight. */
static double pulled_cost(const topomap_machine *m, uint32_t slot, const double *pull)
{
    double sum = 0;

    for (uint32_t s = 0; s < topomap_machine_slots(m); s++)
        sum += pull[s] * topomap_machine_distance(m, slot, s);
    return sum;
}

static double least_cost(const topomap_machine *m, const double *pull, const double *taken)
{
    double least = INFINITY;

    for (uint32_t s = 0; s < topomap_machine_slots(m); s++)
        if (!taken[s] && pulled_cost(m, s, pull) < least)
            least = pulled_cost(m, s, pull);
    return least;
}

static void candidates_are_as_good_as_every_slot(void **state)
{
    char scattered[512];

    (void)state;
    snprintf(scattered, sizeof scattered, "tree:2:3:4:5@1:2:30:400,node=2,alloc=%s",
             scratch_text("few", "19\n3\n4\n0\n7\n12\n"));
    for (size_t i = 0; i <= SPECS; i++) {
        topomap_machine *m = parsed(i < SPECS ? specs[i] : scattered);
        uint32_t n = topomap_machine_slots(m);
        double taken[MOST] = {0}, all[MOST];
        topomap_random random = {i};
        topomap_places places;
        topomap_error err;

        for (uint32_t s = 0; s < n; s++)
            all[s] = 1;
        assert_int_equal(topomap_places_init(&places, m, &err), 0);
        assert_true(pulled_cost(m, topomap_places_centre(&places), all) ==
                    least_cost(m, all, taken));
        for (uint32_t k = 0; k < n; k++) {
            double pull[MOST] = {0};
            uint32_t slot = topomap_places_nearest(&places);

            assert_true(!taken[slot]);
            assert_true(pulled_cost(m, slot, taken) == least_cost(m, taken, taken));
            for (uint32_t j = 0; k && j < 1 + k % 4; j++) {
                uint32_t s = topomap_random_below(&random, n);

                if (!taken[s])
                    continue;
                pull[s] += j + 1;
                topomap_places_pull(&places, s, j + 1);
            }
            slot = topomap_places_pulled(&places);
            assert_true(!taken[slot]);
            assert_true(pulled_cost(m, slot, pull) == least_cost(m, pull, taken));
            if (k % 3 == 0) /* not always where the rule would */
                do
                    slot = topomap_random_below(&random, n);
                while (taken[slot]);
            taken[slot] = 1;
            topomap_places_take(&places, slot);
        }
        topomap_places_clear(&places);
        topomap_machine_free(m);
    }
}

/* By hand, on a row of five slots of total distances 10 7 6 7 10: rank 2 of the star 2-0 (9), 2-1
 * (8), 2-3 (7), 0-4 (1) has the largest weighted degree and takes slot 2. Rank 0 goes to slot 1 by
 * both rules. For rank 1, slots 0 and 3 are 3 away from those taken, and Mueller-Merbach takes 0;
 * GreedyAllC takes 3, which is next to rank 2. Ranks 3 and 4 follow: at 3 and 4, or, 0 and 4 being
 * equally far from rank 2, at 0 and 4. */
static void the_two_greedy_rules_by_hand(void **state)
{
    static const uint32_t from[] = {2, 2, 2, 0}, to[] = {0, 1, 3, 4};
    static const uint64_t bytes[] = {9, 8, 7, 1};
    static const struct {
        const char *name;
        uint32_t slot[5];
    } cases[] = {{"mueller-merbach", {1, 0, 2, 3, 4}}, {"greedy-all-c", {1, 3, 2, 0, 4}}};
    topomap_machine *m = parsed("mesh:5");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(5, 4, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < 2; i++) {
        topomap_map_options options = {.algorithm = cases[i].name};
        topomap_mapping *mapping;

        if (topomap_map(graph, m, &options, &mapping, &err) != 0)
            fail_msg("%s", err.text);
        assert_memory_equal(mapping->slot_of_rank, cases[i].slot, sizeof cases[i].slot);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Blocks keep the traffic between them, and nothing else: against a sum over the mesh's pairs. */
static void blocks_add_up_what_is_between_them(void **state)
{
    topomap_graph *mesh = random_graph(50, 300, 1000, 4), *graph;
    topomap_random random = {9};
    double bytes[7][7] = {{0}};
    uint32_t block_of[50];
    uint64_t arcs = 0;
    topomap_error err;

    (void)state;
    for (uint32_t v = 0; v < 50; v++)
        block_of[v] = topomap_random_below(&random, 7);
    for (uint32_t v = 0; v < 50; v++)
        for (uint64_t i = mesh->offset[v]; i < mesh->offset[v + 1]; i++)
            bytes[block_of[v]][block_of[mesh->target[i]]] += (double)mesh->bytes[i];
    assert_int_equal(topomap_graph_blocks(mesh, block_of, 7, &graph, &err), 0);
    assert_int_equal(topomap_graph_ranks(graph), 7);
    for (uint32_t b = 0; b < 7; b++)
        for (uint64_t i = graph->offset[b]; i < graph->offset[b + 1]; i++) {
            assert_true(b != graph->target[i]);
            assert_true((double)graph->bytes[i] == bytes[b][graph->target[i]]);
            arcs++;
        }
    for (uint32_t a = 0; a < 7; a++)
        for (uint32_t b = 0; b < 7; b++)
            arcs -= a != b && bytes[a][b] > 0;
    assert_int_equal(arcs, 0);
    topomap_graph_free(graph);
    topomap_graph_free(mesh);
}

/* By hand: a chain of 24 in 4 or 8 blocks is a chain of blocks, and consecutive ids make rank order
 * the best mapping for a power of two (VieM, section 4). With 6 blocks RB cuts 3 and 3, then 1 and
 * 2: rank order is still a chain. */
static void partitions_of_a_chain_are_chains(void **state)
{
    static const struct {
        const char *method, *spec;
        uint32_t parts;
        double J;
    } cases[] = {{"rb", "tree:2:2@1:10", 4, 1 + 10 + 1},
                 {"rms", "tree:2:2@1:10", 4, 1 + 10 + 1},
                 {"rms", "tree:2:2:2@1:10:100", 8, 4 * 1 + 2 * 10 + 100},
                 {"rms", "tree:3:2@1:10", 6, 4 * 1 + 10},
                 {"rb", "tree:3:2@1:10", 6, 4 * 1 + 10},
                 {"rms", "tree:24", 24, 23},
                 {"rms", "tree:1", 1, 0}};
    uint32_t from[23], to[23];
    uint64_t bytes[23];
    topomap_graph *chain;
    topomap_error err;

    (void)state;
    for (uint32_t i = 0; i < 23; i++) { /* shuffled: 5 and 24 have no common factor */
        from[i] = 5 * i % 24;
        to[i] = 5 * (i + 1) % 24;
        bytes[i] = 1;
    }
    assert_int_equal(topomap_graph_new(24, 23, from, to, bytes, NULL, &chain, &err), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        topomap_machine *m = parsed(cases[i].spec);
        topomap_graph *graph = NULL;

        if (topomap_graph_partition(chain, cases[i].parts, cases[i].method, m, 1, &graph, &err) !=
            0)
            fail_msg("%s", err.text);
        assert_int_equal(topomap_graph_ranks(graph), cases[i].parts);
        assert_int_equal(topomap_graph_bytes(graph), cases[i].parts - 1);
        assert_true(mapped_cost(graph, m, "identity") == cases[i].J);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
    topomap_graph_free(chain);
}

/* Any mesh, parts that do not divide it, machines of every shape: all blocks are there. */
static void partitions_have_all_their_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        for (uint32_t degree = 0; degree <= 6; degree += 3) {
            topomap_machine *m = parsed(specs[i]);
            uint32_t n = topomap_machine_slots(m);
            topomap_graph *mesh = random_graph(3 * n + 7, (3 * n + 7) * degree, 50, i), *graph;
            topomap_error err;

            for (int rms = 0; rms < 2; rms++) {
                if (topomap_graph_partition(mesh, n, rms ? "rms" : "rb", m, 3, &graph, &err) != 0)
                    fail_msg("%s", err.text);
                assert_int_equal(topomap_graph_ranks(graph), n);
                assert_true(topomap_graph_bytes(graph) <= topomap_graph_bytes(mesh));
                topomap_graph_free(graph);
            }
            assert_int_equal(topomap_graph_partition(mesh, n + 1, "rms", m, 3, &graph, &err), -1);
            assert_int_equal(err.code, TOPOMAP_EUSAGE);
            assert_int_equal(topomap_graph_partition(mesh, n, "rms", NULL, 3, &graph, &err), -1);
            assert_int_equal(topomap_graph_partition(mesh, 0, "rb", NULL, 3, &graph, &err), -1);
            assert_int_equal(topomap_graph_partition(mesh, n, "rr", NULL, 3, &graph, &err), -1);
            assert_int_equal(topomap_graph_partition(mesh, 3 * n + 8, "rb", NULL, 3, &graph, &err),
                             -1);
            assert_int_equal(err.code, TOPOMAP_EUSAGE);
            topomap_graph_free(mesh);
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
        cmocka_unit_test(every_construction_takes_every_refinement),
        cmocka_unit_test(candidates_are_as_good_as_every_slot),
        cmocka_unit_test(the_two_greedy_rules_by_hand),
        cmocka_unit_test(blocks_add_up_what_is_between_them),
        cmocka_unit_test(partitions_of_a_chain_are_chains),
        cmocka_unit_test(partitions_have_all_their_blocks),
        cmocka_unit_test(nested_pairs_come_together),
        cmocka_unit_test(bottom_up_refuses_uneven_groups),
    };

    return cmocka_run_group_tests_name("viem", tests, scratch_setup, scratch_teardown);
}
