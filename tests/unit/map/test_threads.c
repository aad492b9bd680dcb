/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads: the same placement and the same table of candidates as with one, whatever the
 * machine, the effort and the objective; and an end when the time is up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/map/maps.h"

static topomap_mapping *map_with(const topomap_graph *graph, const topomap_machine *machine,
                                 topomap_map_options options, uint32_t threads)
{
    topomap_mapping *mapping = NULL;
    topomap_error err;

    options.threads = threads;
    if (topomap_map(graph, machine, &options, &mapping, &err) != 0)
        fail_msg("%u threads: %s", threads, err.text);
    return mapping;
}

static void assert_same(const topomap_mapping *a, const topomap_mapping *b, uint32_t slots)
{
    assert_string_equal(a->algorithm, b->algorithm);
    assert_memory_equal(a->slot_of_rank, b->slot_of_rank, slots * sizeof *a->slot_of_rank);
    assert_int_equal(a->candidates, b->candidates);
    for (size_t i = 0; i < a->candidates; i++) {
        assert_string_equal(a->candidate[i].name, b->candidate[i].name);
        assert_true(a->candidate[i].J == b->candidate[i].J);
        assert_true(a->candidate[i].congestion == b->candidate[i].congestion);
    }
}

static void compare(const topomap_graph *graph, const char *spec, topomap_map_options options)
{
    static const uint32_t threads[] = {5, 2};
    size_t numbers = options.effort == TOPOMAP_STRONG ? 1 : 2;
    topomap_machine *machine = map_machine(spec);
    topomap_mapping *one = map_with(graph, machine, options, 1);

    for (size_t i = 0; i < numbers; i++) {
        topomap_mapping *some = map_with(graph, machine, options, threads[i]);

        assert_same(one, some, topomap_machine_slots(machine));
        topomap_mapping_free(some);
    }
    topomap_mapping_free(one);
    topomap_machine_free(machine);
}

static const enum topomap_effort efforts[] = {TOPOMAP_FAST, TOPOMAP_DEFAULT, TOPOMAP_STRONG};

static void number_does_not_matter(void **state)
{
    static const char *const specs[] = {"tree:4:4:4@1:10:100", "torus:4x4x2*2@1:10"};
    topomap_graph *graph = map_graph(60, 200, 1000, 5);

    (void)state;
    for (size_t e = 0; e < 3; e++)
        for (size_t s = 0; s < 2; s++)
            compare(graph, specs[s],
                    (topomap_map_options){
                        .size = sizeof(topomap_map_options), .effort = efforts[e], .seed = 7 + e});
    topomap_graph_free(graph);
}

static void nor_with_a_grid(void **state)
{
    topomap_graph *graph = NULL;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_read("stencil2d:5:8x8", NULL, &graph, &err), 0);
    for (size_t e = 0; e < 3; e++) {
        compare(graph, "tree:4:4:4@1:10:100",
                (topomap_map_options){.size = sizeof(topomap_map_options), .effort = efforts[e]});
        compare(graph, "torus:4x4x2*2@1:10",
                (topomap_map_options){.size = sizeof(topomap_map_options), .effort = efforts[e]});
    }
    topomap_graph_free(graph);
}

static void nor_by_congestion_or_between_nodes(void **state)
{
    topomap_graph *graph = map_graph(60, 200, 50, 9);
    topomap_map_options options = {.size = sizeof options,
                                   .effort = TOPOMAP_DEFAULT,
                                   .objective = TOPOMAP_OBJECTIVE_CONGESTION};

    (void)state;
    compare(graph, "torus:4x4x4", options);
    compare(graph, "fattree:k=4,levels=3*4", options);
    options.objective = TOPOMAP_OBJECTIVE_J;
    options.inter_only = 1;
    compare(graph, "torus:4x4x2*2@1:10", options);
    options.contiguous = 1;
    compare(graph, "torus:4x4x2*2@1:10", options);
    topomap_graph_free(graph);
}

/* The time is up long before the table is through; what was found by then is sound. */
static void time_is_kept(void **state)
{
    topomap_graph *graph = map_graph(2000, 12000, 1000, 3);
    topomap_machine *machine = map_machine("tree:4:16:32@1:10:100");
    topomap_map_options options = {
        .size = sizeof options, .effort = TOPOMAP_STRONG, .seconds = 0.02};
    topomap_mapping *mapping = map_with(graph, machine, options, 4), *all;
    uint8_t seen[2048] = {0};

    (void)state;
    for (uint32_t v = 0; v < 2048; v++)
        assert_int_equal(seen[mapping->slot_of_rank[v]]++, 0);
    assert_true(mapping->candidates >= 2);
    for (size_t i = 0; i < mapping->candidates; i++)
        assert_true(mapping->J <= mapping->candidate[i].J);
    options.seconds = 0;
    all = map_with(graph, machine, options, 2);
    assert_true(all->candidates > mapping->candidates);
    topomap_mapping_free(mapping);
    topomap_mapping_free(all);
    topomap_machine_free(machine);
    topomap_graph_free(graph);
}

typedef struct shared {
    const topomap_graph *graph;
    const topomap_machine *machine;
    topomap_mapping *mapping;
} shared;

static void *map_shared(void *data)
{
    shared *s = data;
    topomap_map_options options = {
        .size = sizeof options, .effort = TOPOMAP_DEFAULT, .threads = 2, .seed = 4};
    topomap_error err;

    if (topomap_map(s->graph, s->machine, &options, &s->mapping, &err) != 0)
        s->mapping = NULL;
    return NULL;
}

/* Callers of the library that share a graph and a machine. */
static void callers_share(void **state)
{
    topomap_graph *graph = map_graph(128, 600, 1000, 11);
    topomap_machine *machine = map_machine("tree:4:4:8@1:10:100");
    shared call[3];
    pthread_t thread[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        call[i] = (shared){graph, machine, NULL};
        assert_int_equal(pthread_create(&thread[i], NULL, map_shared, &call[i]), 0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++) {
        assert_non_null(call[i].mapping);
        assert_same(call[0].mapping, call[i].mapping, 128);
    }
    for (int i = 0; i < 3; i++)
        topomap_mapping_free(call[i].mapping);
    topomap_machine_free(machine);
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_does_not_matter),
        cmocka_unit_test(nor_with_a_grid),
        cmocka_unit_test(nor_by_congestion_or_between_nodes),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(callers_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
