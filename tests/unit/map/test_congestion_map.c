/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement for congestion: what the objective promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "map/links/links.h"
#include "map/objective.h"
#include "tests/unit/cables.h"
#include "tests/unit/map/congested.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

/* ---- The objective ----------------------------------------------------------------------- */

/* On every kind: a permutation, no worse than the start and than any candidate, the number that an
 * evaluation gives, and the same again. */
static void never_worse_and_as_evaluated(void **state)
{
    topomap_random random = {5};

    (void)state;
    for (size_t i = 0; i < CONGESTED_SPECS; i++) {
        topomap_machine *m = map_machine(congested_spec[i]);
        uint32_t n = topomap_machine_slots(m);
        uint32_t ranks = i % 2 ? n : n - n / 4;
        topomap_graph *graph = congested_graph(&random, ranks, 3, 100);
        uint32_t *start = calloc(n, sizeof *start);
        topomap_map_options options = {
            .size = sizeof options, .effort = TOPOMAP_FAST, .seed = i, .start = start};
        topomap_mapping *one, *two;
        topomap_congestion before, after;

        assert_non_null(start);
        for (uint32_t v = 0; v < n; v++)
            start[v] = v;
        topomap_random_shuffle(&random, start, n);
        one = congested_mapping(graph, m, options);
        two = congested_mapping(graph, m, options);
        congested_permutation(one, m);
        assert_memory_equal(one->slot_of_rank, two->slot_of_rank, n * sizeof *start);
        assert_string_equal(one->congestion_model,
                            strncmp(congested_spec[i], "percs", 5) ? "routes" : "exact");
        before = congested_measured(graph, m, start, one->congestion_model);
        after = congested_measured(graph, m, one->slot_of_rank, one->congestion_model);
        congested_close(after.max, one->congestion);
        assert_true(after.max <= before.max * (1 + 1e-9));
        congested_close(one->candidate[0].congestion, before.max);
        for (size_t k = 0; k < one->candidates; k++)
            assert_true(one->congestion <= one->candidate[k].congestion * (1 + 1e-9));
        topomap_mapping_free(one);
        topomap_mapping_free(two);

        options.contiguous = 1;
        options.start = NULL;
        one = congested_mapping(graph, m, options);
        congested_permutation(one, m);
        congested_close(congested_measured(graph, m, one->slot_of_rank, one->congestion_model).max,
                        one->congestion);
        assert_true(one->congestion <= one->candidate[0].congestion * (1 + 1e-9));
        topomap_mapping_free(one);
        options.contiguous = 0;
        options.start = start;

        options.algorithm = "refine";
        options.inter_only = 1;
        one = congested_mapping(graph, m, options);
        congested_permutation(one, m);
        assert_true(one->congestion <= before.max * (1 + 1e-9));
        topomap_mapping_free(one);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(start);
    }
}

static int next_permutation(uint32_t *p, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1, keep;

    while (i > 0 && p[i - 1] >= p[i])
        i--;
    if (i == 0)
        return 0;
    while (p[j] <= p[i - 1])
        j--;
    keep = p[i - 1];
    p[i - 1] = p[j];
    p[j] = keep;
    for (j = n - 1; i < j; i++, j--) {
        keep = p[i];
        p[i] = p[j];
        p[j] = keep;
    }
    return 1;
}

/* All placements of 6 ranks: the search finds the least maximum, and of those the least mean; over
 * the routes of a grid, which have dips that no swap leads out of, one near it. */
static void tiny_graphs_reach_the_optimum(void **state)
{
    static const char *const tiny[] = {"mesh:3x2", "torus:6", "torus:3*2@1:10",
                                       "fattree:leaves=3,hosts=2,spines=2",
                                       "dragonfly:p=1,a=2,h=1"};
    topomap_random random = {17};

    (void)state;
    for (int round = 0; round < 40; round++) {
        topomap_machine *m = map_machine(tiny[round % 5]);
        topomap_graph *graph = congested_graph(&random, 6, 2, 20);
        int routes = round >= 20 && round % 5 < 3;
        topomap_map_options options = {.size = sizeof options,
                                       .effort = TOPOMAP_FAST,
                                       .seed = 1,
                                       .congestion_model =
                                           round < 20 && round % 5 < 3 ? "exact" : NULL};
        topomap_mapping *mapping = congested_mapping(graph, m, options);
        topomap_congestion found =
            congested_measured(graph, m, mapping->slot_of_rank, mapping->congestion_model);
        uint32_t p[6] = {0, 1, 2, 3, 4, 5};
        double max = INFINITY, mean = INFINITY;

        do {
            topomap_congestion c = congested_measured(graph, m, p, mapping->congestion_model);

            if (c.max < max * (1 - 1e-9) || (c.max <= max * (1 + 1e-9) && c.mean < mean)) {
                max = c.max;
                mean = c.mean;
            }
        } while (next_permutation(p, 6));
        assert_string_equal(mapping->congestion_model,
                            options.congestion_model ? options.congestion_model : "routes");
        if (routes)
            assert_true(found.max <= max * 1.05);
        else
            congested_close(found.max, max);
        if (!routes && found.mean > mean * 1.15) /* the mean comes second: a descent, not a proof */
            fail_msg("%s: mean %g, best %g", tiny[round % 5], found.mean, mean);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* A machine of nodes with 2, 1, 0 and 3 slots on a line of switches. */
static topomap_machine *uneven(void)
{
    static const uint32_t per_node[] = {2, 1, 0, 3}, site[] = {0, 1, 2, 3}, own[] = {0, 1, 2, 3};
    static const float cost[16] = {0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 0};
    test_cable cable[] = {{0, 4, 1, 1}, {1, 5, 1, 1}, {2, 6, 1, 1}, {3, 7, 1, 1},
                          {4, 5, 1, 2}, {5, 6, 1, 2}, {6, 7, 1, 2}};
    topomap_machine *m;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(4, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_set_matrix(m, "fabric", 4, site, cost, NULL, &err), 0);
    assert_int_equal(topomap_machine_finish(m, &err), 0);
    assert_int_equal(network_of_cables(8, 7, cable, 4, own, &m->network, &err), 0);
    return m;
}

static void odd_shapes_are_placed(void **state)
{
    topomap_random random = {23};
    topomap_map_options options = {.size = sizeof options, .effort = TOPOMAP_FAST, .seed = 1};
    topomap_machine *m[] = {uneven(), map_machine("torus:1*4@1:10"), map_machine("mesh:4x2")};
    static const uint64_t heavy[] = {(uint64_t)1 << 60, (uint64_t)1 << 60, 1};
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};

    (void)state;
    for (int i = 0; i < 3; i++) {
        topomap_graph *graph[3];
        topomap_error err;

        graph[0] = congested_graph(&random, 4, 3, 50);
        graph[1] = congested_graph(&random, 3, 0, 1); /* nobody talks */
        assert_int_equal(topomap_graph_new(4, 3, from, to, heavy, NULL, &graph[2], &err), 0);
        for (int k = 0; k < 3; k++) {
            topomap_mapping *mapping = congested_mapping(graph[k], m[i], options);

            congested_permutation(mapping, m[i]);
            assert_true(isfinite(mapping->congestion));
            topomap_mapping_free(mapping);
            topomap_graph_free(graph[k]);
        }
        topomap_machine_free(m[i]);
    }
}

static void links_must_be_known(void **state)
{
    static const char *const without[] = {"tree:2:2@1:10", NULL};
    topomap_map_options options = {.size = sizeof options,
                                   .objective = TOPOMAP_OBJECTIVE_CONGESTION};
    topomap_random random = {1};
    topomap_graph *graph = congested_graph(&random, 4, 2, 9);
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "matrix:%s",
             scratch_text("m", "0 1 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n"));
    for (int i = 0; i < 2; i++) {
        topomap_machine *m = map_machine(without[i] ? without[i] : spec);
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_null(mapping);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_message(err.text, "links");
        topomap_machine_free(m);
    }
    options.congestion_model = "routes";
    for (int i = 0; i < 2; i++) {
        topomap_machine *m = map_machine("percs:supernodes=1");
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_message(err.text, i ? "exact|routes|adaptive" : "routing");
        options.congestion_model = "fast";
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

static void time_is_kept(void **state)
{
    topomap_map_options options = {
        .size = sizeof options, .effort = TOPOMAP_STRONG, .seed = 1, .seconds = 0.05};
    topomap_random random = {3};
    topomap_machine *m = map_machine("torus:16x16*4@1:10");
    topomap_graph *graph = congested_graph(&random, 1024, 8, 9);
    struct timespec before, after;
    topomap_mapping *mapping;

    (void)state;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    mapping = congested_mapping(graph, m, options);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    congested_permutation(mapping, m);
    assert_true((double)(after.tv_sec - before.tv_sec) +
                    1e-9 * (double)(after.tv_nsec - before.tv_nsec) <
                1.0); /* without the limit it takes some ten seconds */
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* ---- Fat trees by rule ------------------------------------------------------------------- */

/* k = 4, three levels, by hand: from host 1 to host 14, the first one below leaf 7, in pod 3. At
 * leaf 0 the parent is 14 mod 2 = 0, above it 14 / 2 mod 2 = 1: the second one of those of
 * level2-0, which are spines 0 and 2. */
static void fat_trees_go_up_by_the_destination(void **state)
{
    static const uint32_t from[] = {1}, to[] = {14},
                          slots[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint64_t bytes[] = {10};
    static const char *const way[] = {"leaf0", "level2-0", "spine2", "level2-6", "leaf7", "node14"};
    topomap_machine *m = map_machine("fattree:k=4,levels=3");
    const topomap_network *n = m->network;
    topomap_graph *graph;
    topomap_error err;
    uint32_t at = 1;

    (void)state;
    for (int i = 0; i < 6; i++) {
        uint32_t link = topomap_network_next(n, at, 14);

        assert_true(link < n->links);
        at = n->head[link];
        assert_string_equal(n->name[at], way[i]);
    }
    assert_int_equal(at, 14);
    assert_int_equal(topomap_graph_new(16, 1, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(congested_measured(graph, m, slots, "routes").used, 6);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_worse_and_as_evaluated),
        cmocka_unit_test(tiny_graphs_reach_the_optimum),
        cmocka_unit_test(odd_shapes_are_placed),
        cmocka_unit_test(links_must_be_known),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(fat_trees_go_up_by_the_destination),
    };

    return cmocka_run_group_tests_name("congestion_map", tests, scratch_setup, scratch_teardown);
}
