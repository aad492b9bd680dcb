/* SPDX-License-Identifier: BSD-3-Clause */
/* Hoefler & Snir's algorithms, on examples worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "partition/partition.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "topomap/topomap.h"

/* Edges as from, to, weight. */
static topomap_mapping *mapped(const char *spec, const char *algorithm, uint32_t ranks,
                               size_t edges, const uint32_t (*edge)[3])
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = algorithm, .effort = TOPOMAP_FAST, .seed = 1};
    topomap_machine *m = map_machine(spec);
    uint32_t from[64], to[64];
    uint64_t bytes[64];
    topomap_graph *graph;
    topomap_mapping *mapping = NULL;
    topomap_error err;

    for (size_t i = 0; i < edges; i++) {
        from[i] = edge[i][0];
        to[i] = edge[i][1];
        bytes[i] = edge[i][2];
    }
    assert_int_equal(topomap_graph_new(ranks, edges, from, to, bytes, NULL, &graph, &err), 0);
    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s: %s", algorithm, err.text);
    topomap_graph_free(graph);
    topomap_machine_free(m);
    return mapping;
}

static void expect_slots(topomap_mapping *mapping, const uint32_t *slot, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        assert_int_equal(mapping->slot_of_rank[r], slot[r]);
    topomap_mapping_free(mapping);
}

/* Alg. 1 searches from the host filled last, not from the neighbour's: on a ring, the second
 * neighbour of the centre goes to host 2, next to host 1, although host 4 is next to host 0. */
static void greedy_goes_on_from_the_last_host(void **state)
{
    static const uint32_t star[][3] = {{3, 0, 9}, {3, 1, 7}, {3, 4, 5}, {3, 2, 1}};
    static const uint32_t slot[] = {1, 2, 4, 0, 3};

    (void)state;
    expect_slots(mapped("torus:5", "greedy", 5, 4, star), slot, 5);
}

/* 0 is the heaviest. 3 follows over 9, 1 over 8; 3-1 comes up next and has nothing to place. */
static void greedy_skips_what_is_placed(void **state)
{
    static const uint32_t edges[][3] = {{3, 0, 9}, {3, 1, 2}, {0, 1, 8}, {3, 2, 1}};
    static const uint32_t slot[] = {0, 2, 3, 1};

    (void)state;
    expect_slots(mapped("mesh:4", "greedy", 4, 4, edges), slot, 4);
}

/* Two hosts are as close and their links as idle: the faster one is taken. */
static void greedy_prefers_fast_links(void **state)
{
    static const char text[] = "# hosts: a,b,c\na,1,s,1,100\nb,1,s,2,25\nc,1,s,3,100\n";
    static const uint32_t edges[][3] = {{0, 1, 9}};
    static const uint32_t slot[] = {0, 2, 1};
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "links:%s", scratch_text("fast.csv", text));
    expect_slots(mapped(spec, "greedy", 3, 1, edges), slot, 3);
}

/* Section 3.4: pairs that talk become blocks, and blocks are placed whole. */
static void equal_capacities_place_blocks(void **state)
{
    static const uint32_t edges[][3] = {{0, 4, 50}, {1, 5, 50}, {2, 6, 50}, {3, 7, 50},
                                        {0, 1, 1},  {1, 2, 1},  {2, 3, 1}};
    topomap_mapping *mapping;

    (void)state;
    mapping = mapped("mesh:4*2", "greedy", 8, 7, edges);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(mapping->slot_of_rank[r] / 2, mapping->slot_of_rank[r + 4] / 2);
    topomap_mapping_free(mapping);
}

/* The path a-b 10, b-c 4, c-d 7: cumulative weights 10, 14, 11, 7, so that d leaves, then a. */
static void lightest_vertices_move_first(void **state)
{
    static const idx_t offset[] = {0, 1, 3, 5, 6}, weight[] = {10, 10, 4, 4, 7, 7};
    static const uint32_t one[] = {3, 1}, two[] = {2, 1, 1};
    idx_t part[4] = {0, 0, 0, 0};
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_balance_incident(4, offset, weight, 2, one, part, &err), 0);
    assert_true(part[0] == 0 && part[1] == 0 && part[2] == 0 && part[3] == 1);
    memset(part, 0, sizeof part);
    assert_int_equal(topomap_balance_incident(4, offset, weight, 3, two, part, &err), 0);
    assert_true(part[0] == 2 && part[1] == 0 && part[2] == 0 && part[3] == 1);
}

/* Whatever it starts from, the result is no worse; and from a bad start of a ring it finds the
 * optimum, past placements that no single swap improves. */
static void threshold_never_worsens(void **state)
{
    static const uint32_t ring[][3] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1},
                                       {4, 5, 1}, {5, 6, 1}, {6, 7, 1}, {7, 0, 1}};
    uint32_t start[8] = {0, 4, 1, 5, 2, 6, 3, 7}, optima = 0;
    topomap_machine *m = map_machine("torus:8");
    topomap_graph *graph;
    uint32_t from[8], to[8];
    uint64_t bytes[8];
    topomap_error err;

    (void)state;
    for (int i = 0; i < 8; i++) {
        from[i] = ring[i][0];
        to[i] = ring[i][1];
        bytes[i] = ring[i][2];
    }
    assert_int_equal(topomap_graph_new(8, 8, from, to, bytes, NULL, &graph, &err), 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        topomap_map_options options = {.size = sizeof options,
                                       .algorithm = "threshold",
                                       .effort = TOPOMAP_DEFAULT,
                                       .seed = seed,
                                       .start = start};
        topomap_mapping *mapping;
        topomap_cost before;

        assert_int_equal(topomap_cost_evaluate(graph, m, start, &before, &err), 0);
        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), 0);
        assert_true(mapping->J <= before.J);
        optima += mapping->J == 8.0;
        topomap_mapping_free(mapping);
        topomap_cost_clear(&before);
    }
    assert_true(optima >= 15);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* A machine whose links are not known is refused by name. */
static void links_must_be_known(void **state)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = "greedy"};
    topomap_machine *m = NULL;
    topomap_graph *graph;
    topomap_mapping *mapping = NULL;
    char spec[512];
    topomap_error err;

    (void)state;
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("m", "0 1\n1 0\n"));
    m = map_machine(spec);
    assert_int_equal(topomap_graph_new(2, 0, NULL, NULL, NULL, NULL, &graph, &err), 0);
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "links");
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Two cliques joined by a thin edge, on two leaves joined by a thin link: each has a leaf of its
 * own, whatever their ids. */
static void bisect_cuts_both_where_they_are_thin(void **state)
{
    static const char leaves[] = "# hosts: a,b,c,d,e,f\n"
                                 "a,1,s,1,100\nd,1,s,2,100\ne,1,s,3,100\n"
                                 "b,1,t,1,100\nc,1,t,2,100\nf,1,t,3,100\ns,9,t,9,100\n";
    static const uint32_t cliques[][3] = {{0, 2, 50}, {2, 4, 50}, {0, 4, 50}, {1, 3, 50},
                                          {3, 5, 50}, {1, 5, 50}, {0, 1, 1}};
    static const uint32_t on_s[] = {1, 0, 0, 1, 1, 0};
    topomap_mapping *mapping;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "links:%s", scratch_text("thin.csv", leaves));
    mapping = mapped(spec, "bisect", 6, 7, cliques);
    assert_true(mapping->J == 6 * 50 * 2 + 3);
    for (uint32_t r = 0; r < 6; r++)
        assert_int_equal(on_s[mapping->slot_of_rank[r]], on_s[mapping->slot_of_rank[r % 2]]);
    topomap_mapping_free(mapping);
}

/* A path of ranks in any order lies along a line of hosts: each edge is one hop. */
static void rcm_lays_a_path_along_a_line(void **state)
{
    static const uint32_t path[][3] = {{3, 0, 1}, {0, 5, 9}, {5, 1, 4}, {1, 4, 1}, {4, 2, 7}};
    static const uint32_t order[] = {3, 0, 5, 1, 4, 2};
    static const char *const names[] = {"rcm", "rcm-literal"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        topomap_mapping *mapping = mapped("mesh:6", names[i], 6, 5, path);

        assert_true(mapping->J == 22.0);
        for (uint32_t k = 0; k < 6; k++) /* either end may come first */
            assert_int_equal(mapping->slot_of_rank[order[k]],
                             mapping->slot_of_rank[3] == 0 ? k : 5 - k);
        topomap_mapping_free(mapping);
    }
}

/* Without switches a fat tree has no links, so that its hosts stay in order; with them, hosts of a
 * leaf stay together. Ranks without edges, too, stay in order. */
static void rcm_on_a_fat_tree(void **state)
{
    static const uint32_t pairs[][3] = {{0, 4, 1}, {1, 5, 1}, {2, 6, 1}, {3, 7, 1}};
    static const uint32_t none[] = {0, 1, 2, 3, 4, 5, 6, 7};
    topomap_mapping *mapping;

    (void)state;
    expect_slots(mapped("fattree:leaves=4,hosts=2", "rcm-literal", 8, 0, NULL), none, 8);
    mapping = mapped("fattree:leaves=4,hosts=2", "rcm", 8, 4, pairs);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(mapping->slot_of_rank[r] / 2, mapping->slot_of_rank[r + 4] / 2);
    topomap_mapping_free(mapping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_goes_on_from_the_last_host),
        cmocka_unit_test(greedy_skips_what_is_placed),
        cmocka_unit_test(greedy_prefers_fast_links),
        cmocka_unit_test(equal_capacities_place_blocks),
        cmocka_unit_test(lightest_vertices_move_first),
        cmocka_unit_test(bisect_cuts_both_where_they_are_thin),
        cmocka_unit_test(rcm_lays_a_path_along_a_line),
        cmocka_unit_test(rcm_on_a_fat_tree),
        cmocka_unit_test(threshold_never_worsens),
        cmocka_unit_test(links_must_be_known),
    };

    return cmocka_run_group_tests_name("libtopomap", tests, scratch_setup, scratch_teardown);
}
