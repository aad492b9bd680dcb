/* SPDX-License-Identifier: BSD-3-Clause */
/* A pinned rank on machines that are laid onto themselves: it costs nothing there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/closeness.h"
#include "tests/unit/map/maps.h"
#include "util/random.h"

enum { MOST_NODES = 128 };

static topomap_graph *graph_of(const char *pattern, uint64_t shuffled)
{
    topomap_graph *graph = NULL, *other = NULL;
    topomap_random random = {shuffled};
    topomap_error err;
    uint32_t ranks, *to;

    if (topomap_graph_read(pattern, NULL, &graph, &err) != 0)
        fail_msg("%s: %s", pattern, err.text);
    if (!shuffled)
        return graph;
    ranks = topomap_graph_ranks(graph);
    to = calloc(ranks, sizeof *to);
    for (uint32_t r = 0; r < ranks; r++)
        to[r] = r;
    topomap_random_shuffle(&random, to, ranks);
    assert_int_equal(topomap_graph_permute(graph, to, &other, &err), 0);
    free(to);
    topomap_graph_free(graph);
    return other;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    uint8_t *seen = calloc(topomap_machine_slots(m), 1);
    topomap_mapping *mapping = NULL;
    topomap_error err;

    options.size = sizeof options;
    options.seed = 7;
    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t r = 0; r < mapping->ranks; r++)
        assert_int_equal(seen[mapping->slot_of_rank[r]]++, 0);
    free(seen);
    assert_true(mapping->J == map_J(graph, m, mapping->slot_of_rank));
    if (options.pin)
        assert_int_equal(m->node_of[mapping->slot_of_rank[options.pin_rank]], options.pin_node);
    return mapping;
}

static double pinned_J(const topomap_graph *graph, const topomap_machine *m,
                       topomap_map_options options, uint32_t rank, uint32_t node)
{
    topomap_mapping *mapping;
    double J;

    options.pin = 1;
    options.pin_rank = rank;
    options.pin_node = node;
    mapping = mapped(graph, m, options);
    J = mapping->J;
    topomap_mapping_free(mapping);
    return J;
}

static double loose_J(const topomap_graph *graph, const topomap_machine *m,
                      topomap_map_options options)
{
    topomap_mapping *mapping = mapped(graph, m, options);
    double J = mapping->J;

    topomap_mapping_free(mapping);
    return J;
}

static void test_costs_nothing(void **state)
{
    static const struct {
        const char *spec, *pattern;
        uint64_t shuffled;
        enum topomap_effort effort;
    } rows[] = {
        {"torus:8x8", "torus2d:8x8", 0, TOPOMAP_FAST},
        {"torus:8x8", "torus2d:8x8", 3, TOPOMAP_DEFAULT},
        {"torus:8x8", "torus2d:8x8", 3, TOPOMAP_FAST},
        {"torus:2x2", "ring:4", 0, TOPOMAP_DEFAULT},
        {"torus:7", "ring:7", 1, TOPOMAP_FAST},
        {"torus:4x4x4", "stencil3d:7:4x4x4", 5, TOPOMAP_FAST},
        {"torus:2x3x4*4@1:10", "random:90,deg=4", 0, TOPOMAP_FAST},
        {"torus:4x4*4@1:10", "stencil2d:5:8x8", 2, TOPOMAP_FAST},
        {"tree:2:4:4:2@1:10:100:1000", "stencil2d:5:8x8", 3, TOPOMAP_FAST},
        {"fattree:k=4,levels=3", "random:16,deg=3", 0, TOPOMAP_FAST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_machine *m = map_machine(rows[i].spec);
        topomap_graph *graph = graph_of(rows[i].pattern, rows[i].shuffled);
        topomap_map_options options = {.effort = rows[i].effort};
        double loose = loose_J(graph, m, options);

        for (uint32_t node = 0; node < m->nodes; node += 1 + m->nodes / 8)
            assert_true(pinned_J(graph, m, options, 3, node) <= loose * (1 + 1e-9));
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* A mesh's corners are one another's, and so are nodes that dimensions of one size change. */
static void test_mesh(void **state)
{
    static const uint32_t places[][2] = {{0, 15}, {0, 3}, {0, 12}, {1, 4},
                                         {1, 14}, {6, 9}, {7, 13}};
    topomap_machine *m = map_machine("mesh:4x4");
    topomap_graph *graph = graph_of("stencil2d:5:4x4", 0);
    topomap_map_options options = {.effort = TOPOMAP_FAST};
    double loose = loose_J(graph, m, options);

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_true(pinned_J(graph, m, options, places[i][0], places[i][1]) == loose);
    /* One from a side into a corner costs something: all that the machine has does. */
    assert_true(pinned_J(graph, m, options, 1, 0) > loose);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Groups that stay on nodes go along; where no symmetry brings the rank there they are kept, too.
 */
static void test_together(void **state)
{
    static const char *const specs[] = {"torus:4x4*4@1:10", "mesh:4x4*4@1:10"};
    topomap_graph *graph = graph_of("stencil2d:5:8x8", 2);
    uint32_t group[64];

    (void)state;
    for (uint32_t r = 0; r < 64; r++)
        group[r] = r / 4;
    for (size_t i = 0; i < 2; i++) {
        topomap_machine *m = map_machine(specs[i]);
        topomap_map_options options = {.effort = TOPOMAP_FAST, .together = group};
        double loose = loose_J(graph, m, options);

        for (uint32_t node = 0; node < 16; node += 3) {
            topomap_mapping *mapping;

            assert_true(i == 1 || pinned_J(graph, m, options, 6, node) <= loose);
            options.pin = 1;
            options.pin_rank = 6;
            options.pin_node = node;
            mapping = mapped(graph, m, options);
            for (uint32_t r = 0; r < 64; r++)
                assert_int_equal(m->node_of[mapping->slot_of_rank[r]],
                                 m->node_of[mapping->slot_of_rank[r / 4 * 4]]);
            topomap_mapping_free(mapping);
        }
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

static topomap_machine *torus_of(uint32_t nodes, const uint32_t *per_node, const uint16_t *coord)
{
    static const uint32_t dim[] = {4, 4};
    static const uint8_t wrap[] = {1, 1};
    topomap_machine *m = NULL;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(nodes, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 1, m->node_of, &err), 0);
    assert_int_equal(topomap_machine_set_torus(m, 2, dim, wrap, coord, 3, 10, 2, &err), 0);
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

/* The whole torus, a router's nodes of 1, 3 and 1 slots, or without any, in changing order. */
static topomap_machine *crowded(void)
{
    static const uint32_t sizes[][4] = {{1, 3, 1, 0}, {3, 0, 1, 1}, {0, 1, 1, 3}};
    uint32_t per_node[64];
    uint16_t coord[2 * 64];

    for (uint32_t i = 0; i < 64; i++) {
        per_node[i] = sizes[i / 4 % 3][i % 4];
        coord[2 * i] = (uint16_t)(i / 4 % 4);
        coord[2 * i + 1] = (uint16_t)(i / 16);
    }
    return torus_of(64, per_node, coord);
}

static void test_router(void **state)
{
    topomap_machine *m = crowded();
    topomap_graph *graph = graph_of("random:80,deg=4", 0);
    topomap_map_options options = {.effort = TOPOMAP_FAST};
    topomap_mapping *loose = mapped(graph, m, options);
    uint32_t own = m->node_of[loose->slot_of_rank[9]];

    (void)state;
    for (uint32_t node = 0; node < 64; node += 5) {
        uint32_t slots = m->slot_first[node + 1] - m->slot_first[node];

        if (slots == m->slot_first[own + 1] - m->slot_first[own])
            assert_true(pinned_J(graph, m, options, 9, node) <= loose->J);
        else if (slots)
            pinned_J(graph, m, options, 9, node);
    }
    topomap_mapping_free(loose);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Two rows are laid onto themselves, a piece with a corner too many is not, and works all the same.
 */
static void test_part(void **state)
{
    static const uint16_t coord[] = {0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1, 1, 2};
    uint32_t per_node[9];
    topomap_graph *graph = graph_of("random:16,deg=3", 0);

    (void)state;
    for (uint32_t i = 0; i < 9; i++)
        per_node[i] = 2;
    for (uint32_t nodes = 8; nodes <= 9; nodes++) {
        topomap_machine *m = torus_of(nodes, per_node, coord);
        topomap_map_options options = {.effort = TOPOMAP_FAST};
        double loose = loose_J(graph, m, options);

        for (uint32_t node = 0; node < nodes; node++) {
            double J = pinned_J(graph, m, options, 5, node);

            assert_true(nodes == 9 || J <= loose);
        }
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

/* Distances stay, the node comes where it is to be, and each symmetry comes once. */
static uint32_t count_symmetries(const topomap_machine *m, uint32_t from, uint32_t to)
{
    uint32_t(*seen)[MOST_NODES] = calloc(512, sizeof *seen), count = 0;
    topomap_symmetries s;
    topomap_error err;

    assert_int_equal(topomap_symmetries_open(m, from, to, &s, &err), 0);
    for (; topomap_symmetries_next(&s, seen[count]); count++) {
        const uint32_t *node_to = seen[count];

        assert_int_equal(node_to[from], to);
        for (uint32_t a = 0; a < m->nodes; a++)
            for (uint32_t b = 0; b < a; b++)
                if (m->slot_first[a] < m->slot_first[a + 1] &&
                    m->slot_first[b] < m->slot_first[b + 1])
                    assert_true(topomap_node_distance(m, a, b) ==
                                topomap_node_distance(m, node_to[a], node_to[b]));
        for (uint32_t a = 0; a < m->nodes; a++)
            assert_int_equal(m->slot_first[a + 1] - m->slot_first[a],
                             m->slot_first[node_to[a] + 1] - m->slot_first[node_to[a]]);
        for (uint32_t i = 0; i < count; i++)
            assert_memory_not_equal(seen[i], seen[count], m->nodes * sizeof **seen);
    }
    topomap_symmetries_close(&s);
    free(seen);
    return count;
}

static void test_symmetries(void **state)
{
    static const struct {
        const char *spec;
        uint32_t from, to, count;
    } rows[] = {
        {"torus:4x4", 0, 9, 8},   {"torus:4x3", 1, 7, 4},     {"torus:3x3x3", 0, 13, 48},
        {"torus:2x2", 0, 3, 2},   {"mesh:4x4", 0, 15, 2},     {"mesh:4x4", 1, 4, 1},
        {"mesh:3x3", 4, 4, 8},    {"mesh:4x4", 0, 1, 0},      {"torus:7", 2, 5, 2},
        {"torus:2x2x2", 0, 5, 6}, {"tree:4:4@1:10", 0, 1, 0},
    };
    topomap_machine *m;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m = map_machine(rows[i].spec);
        assert_int_equal(count_symmetries(m, rows[i].from, rows[i].to), rows[i].count);
        topomap_machine_free(m);
    }
    m = crowded();
    assert_int_equal(count_symmetries(m, 0, 30), 8); /* of one slot both */
    assert_int_equal(count_symmetries(m, 0, 1), 0);  /* of one and three */
    topomap_machine_free(m);
}

/* A baseline that has the rank there is never lost, the same comes of the same, and slots inside
 * stay in order where that is asked for. */
static void test_guarantees(void **state)
{
    static const char *const specs[] = {"mesh:4x4*2@1:10", "torus:4x4*2@1:10", "tree:4:4:2@1:9:50",
                                        "fattree:k=4,levels=3*2@1:10",
                                        "dragonfly:a=4,h=1,p=1*2@1:10"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t seed = 0; seed < 6; seed++) {
            topomap_machine *m = map_machine(specs[i]);
            topomap_graph *graph = map_graph(30, 90, 1000, seed);
            topomap_map_options options = {.effort = TOPOMAP_FAST, .inter_only = seed % 2};
            topomap_mapping *best = mapped(graph, m, (topomap_map_options){0}), *a, *b;

            options.pin = 1;
            options.pin_rank = seed;
            options.start = best->slot_of_rank;
            options.pin_node = m->node_of[options.start[seed]];
            a = mapped(graph, m, options);
            assert_true(a->J <= best->J);
            topomap_mapping_free(a);
            options.start = NULL;
            options.pin_node = seed * 2 % m->nodes;
            a = mapped(graph, m, options);
            b = mapped(graph, m, options);
            assert_memory_equal(a->slot_of_rank, b->slot_of_rank, 30 * sizeof(uint32_t));
            assert_string_equal(a->algorithm, b->algorithm);
            for (uint32_t r = 0; options.inter_only && r < 30; r++)
                for (uint32_t q = 0; q < r; q++)
                    assert_true(m->node_of[a->slot_of_rank[q]] != m->node_of[a->slot_of_rank[r]] ||
                                a->slot_of_rank[q] < a->slot_of_rank[r]);
            topomap_mapping_free(a);
            topomap_mapping_free(b);
            topomap_mapping_free(best);
            topomap_graph_free(graph);
            topomap_machine_free(m);
        }
}

/* Of a named algorithm the placement stays as it is as far as possible. */
static void test_named(void **state)
{
    topomap_machine *m = map_machine("mesh:7");
    topomap_graph *graph = map_graph(7, 20, 1000, 4);
    topomap_map_options options = {.algorithm = "identity", .pin = 1, .pin_node = 1};
    topomap_mapping *mapping = mapped(graph, m, options);

    (void)state;
    for (uint32_t r = 0; r < 7; r++)
        assert_int_equal(mapping->slot_of_rank[r], r < 2 ? 1 - r : r);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_nothing), cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_router),        cmocka_unit_test(test_part),
        cmocka_unit_test(test_together),      cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_guarantees),    cmocka_unit_test(test_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
