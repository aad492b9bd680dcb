/* SPDX-License-Identifier: BSD-3-Clause */
/* Schulz & Traeff (VieM): constructions and the model of communication. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "map/objective.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

static const char *const specs[] = {
    "tree:4:3:2@1:10:100", "tree:2:2:2:2:2", "tree:7",   "tree:1:6:4@1:10:100",
    "torus:4x3*2@1:10",    "mesh:6x4",       "mesh:5x5", "tree:3:2:4@5:2:9",
};
enum { SPECS = sizeof specs / sizeof specs[0], MOST = 64 };
/* Pairs (r, r + 8) of 8, and pairs of such pairs (r, r + 4) of 2, on 2 slots of 2 of 4: both
 * constructions along the hierarchy must find 8 pairs inside (8 each), 4 of the lighter edges one
 * level up (2 * 10). */
static void nested_pairs_come_together(void **state)
{
    static const char *const names[] = {"top-down", "bottom-up", "multisection"};
    topomap_machine *m = map_machine("tree:2:2:4@1:10:100");
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
        assert_true(map_cost(graph, m, names[i]) == 8 * 8 + 4 * 2 * 10);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void bottom_up_refuses_uneven_groups(void **state)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = "bottom-up"};
    topomap_graph *graph = map_graph(6, 12, 9, 1);
    topomap_mapping *mapping = NULL;
    topomap_machine *m;
    topomap_error err;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "tree:2:2:2@1:10:100,alloc=%s", scratch_text("three", "0\n1\n2\n"));
    m = map_machine(spec);
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_null(mapping);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "different sizes");
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Two nodes at distance 1, and one at 9 from both. */
static void bottom_up_refuses_an_uneven_matrix(void **state)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = "bottom-up"};
    topomap_graph *graph = map_graph(3, 3, 9, 1);
    topomap_mapping *mapping = NULL;
    topomap_machine *m;
    topomap_error err;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("uneven", "0 1 9\n1 0 9\n9 9 0\n"));
    m = map_machine(spec);
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "1|top-down");
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
        topomap_machine *m = map_machine(i < SPECS ? specs[i] : scattered);
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
    topomap_machine *m = map_machine("mesh:5");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(5, 4, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < 2; i++) {
        topomap_map_options options = {.size = sizeof options, .algorithm = cases[i].name};
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
    topomap_graph *mesh = map_graph(50, 300, 1000, 4), *graph;
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
        topomap_machine *m = map_machine(cases[i].spec);
        topomap_graph *graph = NULL;

        if (topomap_graph_partition(chain, cases[i].parts, cases[i].method, m, 1, &graph, &err) !=
            0)
            fail_msg("%s", err.text);
        assert_int_equal(topomap_graph_ranks(graph), cases[i].parts);
        assert_int_equal(topomap_graph_bytes(graph), cases[i].parts - 1);
        assert_true(map_cost(graph, m, "identity") == cases[i].J);
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
            topomap_machine *m = map_machine(specs[i]);
            uint32_t n = topomap_machine_slots(m);
            topomap_graph *mesh = map_graph(3 * n + 7, (3 * n + 7) * degree, 50, i), *graph;
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
        cmocka_unit_test(candidates_are_as_good_as_every_slot),
        cmocka_unit_test(the_two_greedy_rules_by_hand),
        cmocka_unit_test(blocks_add_up_what_is_between_them),
        cmocka_unit_test(partitions_of_a_chain_are_chains),
        cmocka_unit_test(partitions_have_all_their_blocks),
        cmocka_unit_test(nested_pairs_come_together),
        cmocka_unit_test(bottom_up_refuses_uneven_groups),
        cmocka_unit_test(bottom_up_refuses_an_uneven_matrix),
    };

    return cmocka_run_group_tests_name("viem", tests, scratch_setup, scratch_teardown);
}
