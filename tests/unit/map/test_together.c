/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which groups of ranks stay together, and ranks that are pinned to a node. */
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
#include "tests/unit/messages.h"
#include "topomap/topomap.h"

static topomap_machine *machine_of(const char *spec)
{
    topomap_machine *m = NULL;
    topomap_error err;

    if (topomap_machine_parse(spec, &m, &err) != 0)
        fail_msg("%s: %s", spec, err.text);
    return m;
}

static topomap_graph *graph_of(const char *pattern)
{
    topomap_graph *graph = NULL;
    topomap_error err;

    if (topomap_graph_read(pattern, NULL, &graph, &err) != 0)
        fail_msg("%s: %s", pattern, err.text);
    return graph;
}

/* Groups of ranks that are `apart` from each other. */
static uint32_t *groups_of(uint32_t ranks, uint32_t size, uint32_t apart)
{
    uint32_t *group = calloc(ranks, sizeof *group);

    for (uint32_t r = 0; r < ranks; r++)
        group[r] = r % apart + r / (apart * size) * apart;
    return group;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    topomap_mapping *mapping = NULL;
    topomap_error err;

    options.size = sizeof options;
    options.seed = 7;
    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

/* A permutation, J as it says, and each group's ranks, `piece` at a time, in one cell. */
static void assert_together(const topomap_mapping *mapping, const topomap_graph *graph,
                            const topomap_machine *m, const uint32_t *group, uint32_t piece,
                            const uint32_t *cell_of)
{
    uint32_t ranks = topomap_graph_ranks(graph), *seen = calloc(ranks, sizeof *seen);
    uint32_t *cell = calloc(ranks, sizeof *cell);
    uint8_t *used = calloc(m->slots, 1);

    for (uint32_t v = 0; v < m->slots; v++) {
        assert_true(mapping->slot_of_rank[v] < m->slots);
        assert_int_equal(used[mapping->slot_of_rank[v]]++, 0);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t node = m->node_of[mapping->slot_of_rank[r]], here = cell_of ? cell_of[node] : node;

        if (seen[group[r]]++ % piece == 0)
            cell[group[r]] = here;
        assert_int_equal(cell[group[r]], here);
    }
    assert_int_equal(mapping->together, piece);
    assert_true(mapping->J == map_J(graph, m, mapping->slot_of_rank));
    free(used);
    free(cell);
    free(seen);
}

/* Every effort, objective and way to place; a mesh's neighbours would have it otherwise. */
static void test_nodes(void **state)
{
    static const struct {
        const char *spec, *pattern;
        uint32_t size, apart, piece;
    } rows[] = {
        {"tree:8:4:4@1:10:100", "stencil2d:5:16x8", 8, 1, 8},
        {"tree:8:4:4@1:10:100", "stencil2d:5:16x8", 4, 32, 4},
        {"tree:8:4:4@1:10:100", "stencil2d:5:10x12", 4, 2, 4}, /* empty slots */
        {"tree:6:6@1:10", "stencil2d:5:4x4", 4, 1, 4},         /* slots that no group uses */
        {"tree:6:6@1:10", "ring:32", 4, 1, 2},                 /* no room for all: halves */
        {"tree:8:4@1:10", "ring:32", 16, 1, 8},                /* larger than a node */
        {"tree:3:4@1:10", "ring:10", 5, 1, 1},
        {"torus:4x4*4@1:10", "stencil3d:27:4x4x4", 4, 16, 4},
        {"fattree:k=4,levels=2*4@1:2", "stencil2d:5:8x4", 4, 8, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_machine *m = machine_of(rows[i].spec);
        topomap_graph *graph = graph_of(rows[i].pattern);
        uint32_t ranks = topomap_graph_ranks(graph);
        uint32_t *group = groups_of(ranks, rows[i].size, rows[i].apart);

        print_message("# %s on %s\n", rows[i].pattern, rows[i].spec);
        for (int how = 0; how < 4; how++) {
            topomap_map_options options = {.together = group,
                                           .effort = how ? TOPOMAP_DEFAULT : TOPOMAP_FAST,
                                           .inter_only = how == 2,
                                           .threads = how == 3 ? 2 : 0};
            topomap_mapping *one = mapped(graph, m, options), *two = mapped(graph, m, options);

            assert_together(one, graph, m, group, rows[i].piece, NULL);
            assert_memory_equal(one->slot_of_rank, two->slot_of_rank, m->slots * sizeof(uint32_t));
            topomap_mapping_free(one);
            topomap_mapping_free(two);
        }
        free(group);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* On a level between nodes: groups of 32 on pairs of nodes of 16. */
static void test_levels(void **state)
{
    topomap_machine *m = machine_of("tree:16:2:4:2@1:10:40:100");
    topomap_graph *graph = graph_of("stencil2d:5:16x16");
    uint32_t *group = groups_of(256, 32, 8);
    topomap_map_options options = {.together = group,
                                   .together_level = "level2",
                                   .effort = TOPOMAP_DEFAULT,
                                   .size = sizeof options};
    topomap_mapping *mapping = mapped(graph, m, options);
    topomap_error err;

    (void)state;
    assert_together(mapping, graph, m, group, 32, m->outer[0].group);
    topomap_mapping_free(mapping);
    options.together_level = "leaf";
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    topomap_machine_free(m);
    m = machine_of("fattree:k=8,levels=2*4@1:2");
    topomap_graph_free(graph);
    graph = graph_of("stencil2d:5:16x8");
    free(group);
    group = groups_of(128, 16, 8);
    options.together = group;
    mapping = mapped(graph, m, options);
    assert_together(mapping, graph, m, group, 16, m->site_of);
    topomap_mapping_free(mapping);
    free(group);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* What keeps groups together and is best stays; what does not keep them is no candidate. */
static void test_baseline(void **state)
{
    topomap_machine *m = machine_of("tree:4:4@1:10");
    topomap_graph *graph = graph_of("blocks(alltoall:4,4)");
    uint32_t *group = groups_of(16, 4, 1), cyclic[16];
    topomap_map_options options = {.together = group, .start_name = "given"};
    topomap_mapping *mapping = mapped(graph, m, options);

    (void)state;
    assert_string_equal(mapping->algorithm, "given");
    topomap_mapping_free(mapping);
    for (uint32_t r = 0; r < 16; r++)
        cyclic[r] = r % 4 * 4 + r / 4;
    options.start = cyclic;
    mapping = mapped(graph, m, options);
    assert_together(mapping, graph, m, group, 4, NULL);
    for (size_t i = 0; i < mapping->candidates; i++)
        assert_string_not_equal(mapping->candidate[i].name, "given");
    topomap_mapping_free(mapping);
    free(group);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* The rank is there, J as it says; on a symmetric machine it costs nothing. */
static void test_pin(void **state)
{
    static const struct {
        const char *spec, *pattern;
        int together, free;
    } rows[] = {
        {"tree:4:4:4@1:10:100", "stencil2d:5:8x8", 0, 1},
        {"tree:4:4:4@1:10:100", "stencil2d:5:8x8", 1, 1},
        {"tree:4:4:4@1:10:100", "random:60,deg=4", 0, 1},
        {"torus:4x4*4@1:10", "stencil2d:5:8x8", 0, 0},
        {"fattree:k=4,levels=2*8@1:2", "random:64,deg=4", 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_machine *m = machine_of(rows[i].spec);
        topomap_graph *graph = graph_of(rows[i].pattern);
        uint32_t *group = groups_of(topomap_graph_ranks(graph), 4, 1);
        topomap_map_options options = {.together = rows[i].together ? group : NULL};
        topomap_mapping *loose = mapped(graph, m, options);

        for (uint32_t node = 0; node < m->nodes; node += 3) {
            topomap_mapping *pinned;

            options.pin = 1;
            options.pin_rank = 5;
            options.pin_node = node;
            pinned = mapped(graph, m, options);
            assert_int_equal(m->node_of[pinned->slot_of_rank[5]], node);
            if (rows[i].together)
                assert_together(pinned, graph, m, group, 4, NULL);
            assert_true(pinned->J == map_J(graph, m, pinned->slot_of_rank));
            assert_true(!rows[i].free || pinned->J <= loose->J * (1 + 1e-9));
            topomap_mapping_free(pinned);
        }
        topomap_mapping_free(loose);
        free(group);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* Nodes of other sizes: a group goes where another one was, or stays where there is none. */
static void test_pin_uneven(void **state)
{
    static const uint32_t size[] = {8, 4, 8, 3, 5};
    uint32_t all[5] = {0}, *group = groups_of(24, 4, 1);
    topomap_machine *m = NULL;
    topomap_graph *graph = graph_of("stencil2d:5:6x4");
    topomap_map_options options = {.together = group, .pin = 1};
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_machine_frame(5, size, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 1, m->node_of, &err), 0);
    assert_int_equal(topomap_machine_add_outer(m, "all", 10, 2, all, &err), 0);
    assert_int_equal(topomap_machine_finish(m, &err), 0);
    for (uint32_t r = 0; r < 24; r += 5)
        for (uint32_t node = 0; node < 5; node++) {
            topomap_mapping *mapping;

            options.pin_rank = r;
            options.pin_node = node;
            mapping = mapped(graph, m, options);
            assert_together(mapping, graph, m, group, 4, NULL);
            assert_int_equal(m->node_of[mapping->slot_of_rank[r]] == node, node != 3);
            topomap_mapping_free(mapping);
        }
    free(group);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void refused(topomap_map_options options, const char *part)
{
    topomap_machine *m = machine_of("tree:4:4@1:10");
    topomap_graph *graph = graph_of("ring:16");
    topomap_mapping *mapping = NULL;
    topomap_error err;

    options.size = sizeof options;
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, part);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void test_refused(void **state)
{
    uint32_t uneven[16] = {0, 0, 0, 1, 1}, large[16] = {16}, *group = groups_of(16, 4, 1);

    (void)state;
    refused((topomap_map_options){.together = uneven}, "size");
    refused((topomap_map_options){.together = large}, "16 ranks");
    refused((topomap_map_options){.together = group, .contiguous = 1}, "contiguous");
    refused((topomap_map_options){.pin = 1, .pin_rank = 16}, "16 ranks|4 nodes");
    refused((topomap_map_options){.pin = 1, .pin_node = 4}, "16 ranks|4 nodes");
    free(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),      cmocka_unit_test(test_levels),
        cmocka_unit_test(test_baseline),   cmocka_unit_test(test_pin),
        cmocka_unit_test(test_pin_uneven), cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
