/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes, grid and the published orders of grids: what recognised patterns reach on hierarchies,
 * tori and meshes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

static topomap_error err;

static topomap_machine *parsed(const char *spec)
{
    topomap_machine *machine = NULL;

    if (topomap_machine_parse(spec, &machine, &err) != 0)
        fail_msg("%s: %s", spec, err.text);
    return machine;
}

/* A pattern with one byte a pair (w = 1), its ranks renamed. */
static topomap_graph *shuffled(const char *pattern, uint64_t seed)
{
    topomap_graph *graph = graph_good(pattern, NULL), *made;
    topomap_random random = {seed};
    uint32_t n = graph->ranks, *name = malloc(n * sizeof *name);
    topomap_arcs arcs = {0};

    for (uint32_t u = 0; u < n; u++)
        name[u] = u;
    topomap_random_shuffle(&random, name, n);
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++)
            if (u < graph->target[e])
                assert_int_equal(topomap_arcs_add(&arcs, name[u], name[graph->target[e]],
                                                  graph->bytes[e], 0, &err),
                                 0);
    assert_int_equal(topomap_arcs_take(&arcs, n, &made, &err), 0);
    topomap_graph_free(graph);
    free(name);
    return made;
}

/* Maps twice, checks the permutation, the cost and the repetition, and returns J. */
static double reached_on(const topomap_graph *graph, const topomap_machine *m, const char *spec,
                         const char *algorithm, enum topomap_effort effort)
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = algorithm, .effort = effort, .seed = 3};
    uint32_t slots = topomap_machine_slots(m);
    uint8_t *seen = calloc(slots, 1);
    topomap_mapping *one, *two;
    topomap_cost cost;
    double J;

    if (topomap_map(graph, m, &options, &one, &err) != 0)
        fail_msg("%s on %s: %s", algorithm, spec, err.text);
    assert_int_equal(topomap_map(graph, m, &options, &two, &err), 0);
    for (uint32_t i = 0; i < slots; i++) {
        assert_true(one->slot_of_rank[i] < slots);
        assert_int_equal(seen[one->slot_of_rank[i]]++, 0);
    }
    assert_memory_equal(one->slot_of_rank, two->slot_of_rank, slots * sizeof(uint32_t));
    assert_int_equal(topomap_cost_evaluate(graph, m, one->slot_of_rank, &cost, &err), 0);
    J = cost.J;
    assert_true(fabs(J - one->J) <= 1e-9 * J);
    topomap_cost_clear(&cost);
    topomap_mapping_free(one);
    topomap_mapping_free(two);
    free(seen);
    return J;
}

static double reached(const topomap_graph *graph, const char *spec, const char *algorithm,
                      enum topomap_effort effort)
{
    topomap_machine *m = parsed(spec);
    double J = reached_on(graph, m, spec, algorithm, effort);

    topomap_machine_free(m);
    return J;
}

/* By hand. 4x4 ranks on four groups of four: 2x2 boxes have 4 of the 24 edges each inside, 8 are
 * cut. 8x4 on groups of 4 and 16: in each half of 4x4 the same, 4 between the halves. */
static void boxes_by_hand(void **state)
{
    static const struct {
        const char *pattern, *machine;
        double J;
    } row[] = {
        {"stencil2d:5:4x4,bytes=1", "tree:4:4@1:10", 16 * 1 + 8 * 10},
        {"stencil2d:5:8x4,bytes=1", "tree:4:4:2@1:10:100", 32 * 1 + 16 * 10 + 4 * 100},
        /* A ring of 8 in each of 4 groups, nothing between them. */
        {"product:ring=8,copies=4,bytes=1", "tree:8:4@1:10", 32 * 1},
        /* 2x2x2 boxes of a 4x4x4 torus: 12 edges in each of 8, 96 between. */
        {"torus3d:4x4x4,bytes=1", "tree:8:8@1:10", 96 * 1 + 96 * 10},
        /* All-to-all rows of 8 and columns of 4, rows inside: 4 * 28, 8 * 6. */
        {"product:all=8,all=4,bytes=1", "tree:8:4@1:10", 112 * 1 + 48 * 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = shuffled(row[i].pattern, i);
        double J = reached(graph, row[i].machine, "boxes", TOPOMAP_DEFAULT);

        if (J != row[i].J)
            fail_msg("%s: %g, not %g", row[i].pattern, J, row[i].J);
        topomap_graph_free(graph);
    }
}

/* The best nested boxes, known from a search over all shapes. */
static void boxes_are_the_best_nested_ones(void **state)
{
    static const struct {
        const char *pattern, *machine;
        double J;
    } row[] = {
        {"stencil2d:5:48x32,bytes=1", "tree:4:16:24@1:10:100", 43456},
        {"stencil2d:9:40x40,bytes=64", "tree:4:16:25@1:10:100", 3530400},
        {"stencil3d:7:12x16x20,bytes=1", "tree:4:16:60@1:10:100", 264640},
        {"torus4d:8x8x8x8,bytes=1", "tree:4:16:64@1:10:100", 679936},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = shuffled(row[i].pattern, i);

        assert_true(reached(graph, row[i].machine, "boxes", TOPOMAP_FAST) <= row[i].J);
        topomap_graph_free(graph);
    }
}

/* Two digits of a grid's dimensions share a ring of 4, which 2 x 2 ranks are, too: every edge is
 * one hop, in whichever order the dimensions are. */
static void rings_are_shared(void **state)
{
    static const struct {
        const char *pattern, *machine;
        double J;
    } row[] = {
        {"stencil3d:7:4x8x8,bytes=1", "torus:4x4x4x4", 640},
        {"stencil3d:7:8x4x8,bytes=1", "torus:4x4x4x4", 640},
        {"stencil3d:7:8x8x4,bytes=1", "torus:4x4x4x4", 640},
        {"stencil2d:5:8x2,bytes=1", "torus:4x4", 22},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = shuffled(row[i].pattern, i);
        double J = reached(graph, row[i].machine, "grid", TOPOMAP_FAST);

        if (J != row[i].J)
            fail_msg("%s on %s: %g, not %g", row[i].pattern, row[i].machine, J, row[i].J);
        topomap_graph_free(graph);
    }
}

/* Sizes that nothing divides, more slots than ranks, scattered nodes, ranks that talk to nobody:
 * boxes and grid still fit, and are far below a random order. */
static void uneven_ones_fit(void **state)
{
    static const char *const pattern[] = {
        "stencil2d:5:13x11,bytes=1",
        "stencil3d:7:5x7x4,bytes=1",
        "stencil2d:9:12x11",
        "torus2d:12x11,bytes=1",
        "product:path=9,all=5,copies=3",
        "alltoall:n=132,group=12",
        "ring:140,bytes=1",
        "stencil3d:27:6x5x4",
    };
    static const struct {
        const char *spec, *algorithm;
    } machine[] = {
        {"tree:4:5:8@1:10:100", "boxes"},
        {"tree:3:7:8@1:10:100", "boxes"},
        {"tree:143@1", "boxes"},
        {"torus:6x6x4@1:10", "grid"},
        {"torus:5x5x2*3@1:10", "grid"},
        {"mesh:12x12", "grid"},
        {"torus:4x3x3*4@1:10,wrap=x,base=5", "grid"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
        for (size_t k = 0; k < sizeof machine / sizeof *machine; k++) {
            topomap_graph *graph = shuffled(pattern[i], i);
            double J = reached(graph, machine[k].spec, machine[k].algorithm, TOPOMAP_DEFAULT);
            double random = reached(graph, machine[k].spec, "random", TOPOMAP_DEFAULT);

            if (strncmp(machine[k].spec, "tree:143", 8) != 0 && J > 0.8 * random)
                fail_msg("%s on %s: %g, random %g", pattern[i], machine[k].spec, J, random);
            topomap_graph_free(graph);
        }
}

static void scattered_ones_fit(void **state)
{
    char tree[400], torus[400];
    const char *list = scratch_text("nodes", "1\n2\n3\n7\n9\n12\n13\n14\n20\n21\n24\n26\n");
    topomap_graph *graph = shuffled("stencil3d:7:4x4x3,bytes=1", 5);

    (void)state;
    snprintf(tree, sizeof tree, "tree:4:8:4@1:10:100,node=1,alloc=%s", list);
    snprintf(torus, sizeof torus, "torus:3x3x3*4@1:10,alloc=%s", list);
    assert_true(reached(graph, tree, "boxes", TOPOMAP_DEFAULT) <
                0.7 * reached(graph, tree, "random", TOPOMAP_DEFAULT));
    assert_true(reached(graph, torus, "grid", TOPOMAP_DEFAULT) <
                0.7 * reached(graph, torus, "random", TOPOMAP_DEFAULT));
    topomap_graph_free(graph);
}

/* Nodes of different sizes, one of them without a slot, in two racks; and on a torus. */
static topomap_machine *uneven(int torus)
{
    static const uint32_t per_node[] = {7, 2, 5, 8, 0, 3, 6, 9}, rack[] = {0, 1, 0, 1, 1, 0, 0, 1};
    static const uint32_t all[8] = {0}, dim[] = {4, 3};
    static const uint8_t wrap[] = {1, 0};
    static const uint16_t coord[] = {0, 0, 3, 2, 1, 0, 2, 1, 2, 2, 0, 2, 3, 0, 1, 1};
    topomap_machine *m;

    assert_int_equal(topomap_machine_frame(8, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 1, m->node_of, &err), 0);
    if (torus) {
        assert_int_equal(topomap_machine_set_torus(m, 2, dim, wrap, coord, 0, 10, 0, &err), 0);
    } else {
        assert_int_equal(topomap_machine_add_outer(m, "rack", 10, 2, rack, &err), 0);
        assert_int_equal(topomap_machine_add_outer(m, "all", 100, 4, all, &err), 0);
    }
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

static void uneven_nodes_are_filled(void **state)
{
    static const char *const pattern[] = {"stencil2d:5:8x5,bytes=1", "stencil3d:7:4x3x3,bytes=1",
                                          "product:all=6,ring=5", "stencil2d:9:7x5"};

    (void)state;
    for (int torus = 0; torus < 2; torus++)
        for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
            const char *algorithm = torus ? "grid" : "boxes";
            topomap_graph *graph = shuffled(pattern[i], i);
            topomap_machine *m = uneven(torus);
            topomap_map_options options = {.size = sizeof options, .algorithm = "nodecart"};
            topomap_mapping *mapping;

            assert_true(reached_on(graph, m, algorithm, algorithm, TOPOMAP_DEFAULT) <
                        0.9 * reached_on(graph, m, algorithm, "random", TOPOMAP_DEFAULT));
            assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
            assert_int_equal(err.code, TOPOMAP_EUSAGE);
            topomap_machine_free(m);
            topomap_graph_free(graph);
        }
}

/* A grid on a machine of the same shape: every edge is one hop, whatever the order of dimensions,
 * and so in `auto`. */
static void equal_shapes_are_isomorphic(void **state)
{
    static const struct {
        const char *pattern, *machine;
        double edges;
    } row[] = {
        {"stencil3d:7:6x5x4,bytes=1", "torus:4x6x5", 5 * 20 + 4 * 24 + 3 * 30},
        {"torus3d:6x5x4,bytes=1", "torus:5x4x6", 360},
        {"torus3d:4x4x4,bytes=1", "torus:4x4x4", 192},
        {"stencil2d:5:12x7,bytes=1", "mesh:7x12", 11 * 7 + 12 * 6},
        {"torus4d:4x3x5x4,bytes=1", "torus:5x4x4x3", 4 * 240},
        {"chain:60,bytes=1", "mesh:4x3x5", 59},
        {"stencil2d:5:16x4,bytes=1", "torus:4x4x4", 15 * 4 + 16 * 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = shuffled(row[i].pattern, i);

        assert_true(reached(graph, row[i].machine, "grid", TOPOMAP_DEFAULT) == row[i].edges);
        assert_true(reached(graph, row[i].machine, "auto", TOPOMAP_FAST) == row[i].edges);
        topomap_graph_free(graph);
    }
}

/* 2x2x2 ranks a node, the nodes' grid on the torus. */
static void several_slots_a_node(void **state)
{
    topomap_graph *graph = shuffled("stencil3d:7:8x8x8,bytes=1", 1);

    (void)state;
    assert_true(reached(graph, "torus:4x4x4*8@1:10", "grid", TOPOMAP_DEFAULT) ==
                64 * 12 + 3 * 3 * 16 * 4 * 10);
    topomap_graph_free(graph);
}

/* Pairs on one node, counted by hand. */
static void published_orders_by_hand(void **state)
{
    static const struct {
        const char *pattern, *machine, *algorithm;
        double inside, edges; /* pairs on one node, all pairs */
    } row[] = {
        /* 2 and 2 go to 8, 4: first 8/2 = 4, a tie with 4 that the first dimension wins: 4x1. */
        {"stencil2d:5:8x4,bytes=1", "tree:4:8@1:10", "nodecart", 24, 52},
        /* 6x6: 3 to 6, then 2 to the other: 3x2, 7 pairs in each of 6 boxes. */
        {"stencil2d:5:6x6,bytes=1", "tree:6:6@1:10", "nodecart", 42, 60},
        /* Halves across 8, then 4: two nodes of 2x4 are left, walked along 4: 2x2. */
        {"stencil2d:5:8x4,bytes=1", "tree:4:8@1:10", "hyperplane", 32, 52},
        /* The same halves down to single ranks: 2x2. */
        {"stencil2d:5:8x4,bytes=1", "tree:4:8@1:10", "kd-tree", 32, 52},
        /* Strips of width 2 along 8: 2x2 again. */
        {"stencil2d:5:8x4,bytes=1", "tree:4:8@1:10", "stencil-strips", 32, 52},
        {"stencil3d:7:4x4x4,bytes=1", "tree:8:8@1:10", "kd-tree", 96, 144},
        {"stencil3d:7:4x4x4,bytes=1", "tree:8:8@1:10", "stencil-strips", 96, 144},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = graph_good(row[i].pattern, NULL);
        double J = reached(graph, row[i].machine, row[i].algorithm, TOPOMAP_DEFAULT);

        if (J != 2 * (row[i].inside + 10 * (row[i].edges - row[i].inside)))
            fail_msg("%s of %s: %g", row[i].algorithm, row[i].pattern, J);
        topomap_graph_free(graph);
    }
}

static void published_orders_fit(void **state)
{
    static const char *const algorithm[] = {"hyperplane", "kd-tree", "stencil-strips"};
    static const char *const pattern[] = {"stencil2d:5:13x11,bytes=1", "stencil3d:27:6x5x4",
                                          "product:path=9,all=5,copies=3", "torus4d:5x4x3x2"};

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
        for (size_t k = 0; k < sizeof algorithm / sizeof *algorithm; k++) {
            topomap_graph *graph = shuffled(pattern[i], i);

            assert_true(reached(graph, "tree:12:12@1:10", algorithm[k], TOPOMAP_DEFAULT) <
                        reached(graph, "tree:12:12@1:10", "random", TOPOMAP_DEFAULT));
            assert_true(reached(graph, "torus:4x3x3*4@1:10", algorithm[k], TOPOMAP_DEFAULT) > 0);
            topomap_graph_free(graph);
        }
}

/* Where whole boxes of a node's size are thin, since the grid's sides and the groups have few
 * divisors in common, the portfolio does not stay with them. */
static void thin_boxes_are_not_trusted(void **state)
{
    static const struct {
        const char *graph, *machine;
    } row[] = {
        {"stencil2d:9:37x64,bytes=1", "tree:4:16:37@1:10:100"},
        {"stencil3d:7:6x32x7,bytes=1", "tree:4:16:21@1:10:100"},
        {"stencil3d:27:16x13x4,bytes=1", "tree:8:4:26@1:10:100"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        topomap_graph *graph = shuffled(row[i].graph, 9);
        double searched = reached(graph, row[i].machine, "top-down+nc10", TOPOMAP_FAST);
        double fast = reached(graph, row[i].machine, "auto", TOPOMAP_FAST);
        double more = reached(graph, row[i].machine, "auto", TOPOMAP_DEFAULT);

        if (fast > 1.08 * searched || more > 1.02 * searched)
            fail_msg("%s on %s: %g and %g, searched %g", row[i].graph, row[i].machine, fast, more,
                     searched);
        topomap_graph_free(graph);
    }
}

/* On scattered nodes, what annealing makes of one construction says nothing of another: the better
 * one before it is the one that is refined. */
static void better_starts_are_refined(void **state)
{
    char torus[400], nodes[600] = "";
    topomap_graph *graph = shuffled("stencil2d:9:24x43,bytes=1", 4);
    topomap_random random = {17};
    uint32_t name[300];

    (void)state;
    for (uint32_t i = 0; i < 300; i++)
        name[i] = i;
    topomap_random_shuffle(&random, name, 300);
    for (uint32_t i = 0; i < 129; i++)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "%u\n", name[i]);
    snprintf(torus, sizeof torus, "torus:6x10x5*8@1:10,alloc=%s", scratch_text("nodes", nodes));
    for (int effort = TOPOMAP_FAST; effort <= TOPOMAP_DEFAULT; effort++) {
        double found = reached(graph, torus, "auto", effort);
        double grid = reached(graph, torus, "grid+anneal", effort);
        double halved = reached(graph, torus, "rb-wrap+anneal", effort);

        if (found > 1.02 * (grid < halved ? grid : halved))
            fail_msg("%g, where the constructions lead to %g and %g", found, grid, halved);
    }
    topomap_graph_free(graph);
}

/* Light messages between all ranks cost the same wherever they are, one to a node or in groups that
 * are all full: what is best for the halo exchange is best for both, and known. */
static void light_messages_hide_no_grid(void **state)
{
    static const struct {
        const char *graph, *alone, *machine;
    } row[] = {
        {"sum(stencil3d:7:8x8x8,bytes=100000,alltoall:n=512,group=512,bytes=4)",
         "stencil3d:7:8x8x8,bytes=100000", "torus:8x8x8"},
        {"sum(stencil2d:5:16x16,bytes=100000,alltoall:n=256,group=256,bytes=4)",
         "stencil2d:5:16x16,bytes=100000", "tree:4:4:16@1:10:100"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        topomap_graph *both = shuffled(row[i].graph, 5), *alone = shuffled(row[i].alone, 5);
        double light = reached(both, row[i].machine, "identity", TOPOMAP_FAST) -
                       reached(alone, row[i].machine, "identity", TOPOMAP_FAST);

        for (int effort = TOPOMAP_FAST; effort <= TOPOMAP_DEFAULT; effort++) {
            double J = reached(both, row[i].machine, "auto", effort);
            double halo = reached(alone, row[i].machine, "auto", effort);

            if (fabs(J - light - halo) > 1e-6 * J)
                fail_msg("%s on %s: %g, where %g + %g is best", row[i].graph, row[i].machine, J,
                         light, halo);
        }
        topomap_graph_free(both);
        topomap_graph_free(alone);
    }
}

/* A grid of few ranks says nothing of the many that have light messages only. */
static void small_parts_are_no_pattern(void **state)
{
    topomap_graph *part =
        graph_good("sum(stencil2d:5:4x4,bytes=100000000,ring:256,bytes=64)", NULL);
    topomap_graph *most = graph_good("sum(stencil2d:5:16x15,bytes=100000,ring:256,bytes=64)", NULL);
    topomap_machine *m = parsed("tree:4:8:8@1:10:100");
    topomap_map_options options = {.size = sizeof options, .algorithm = "boxes"};
    topomap_mapping *mapping;

    (void)state;
    assert_int_equal(topomap_map(part, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_map(most, m, &options, &mapping, &err), 0);
    topomap_mapping_free(mapping);
    topomap_machine_free(m);
    topomap_graph_free(part);
    topomap_graph_free(most);
}

/* A matrix of distances between sites has the levels of the tree that it describes; scattered nodes
 * of it are cheaper in boxes than by partitions. */
static void fabrics_have_levels(void **state)
{
    static const struct {
        const char *graph, *fabric, *tree;
    } row[] = {
        {"stencil2d:5:8x8", "fattree:k=8,levels=2*2", "tree:2:4:8@0:2:4"},
        {"stencil3d:7:4x4x4", "fattree:k=8,levels=2*2", "tree:2:4:8@0:2:4"},
        {"stencil3d:7:4x4x4", "fattree:k=4,levels=3*4", "tree:4:2:2:4@0:2:4:6"},
    };
    const char *nodes = "0\n1\n2\n5\n6\n9\n12\n13\n15\n";
    topomap_graph *graph;
    char scattered[300];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        double J;

        assert_int_equal(topomap_graph_read(row[i].graph, NULL, &graph, &err), 0);
        J = reached(graph, row[i].fabric, "boxes", TOPOMAP_DEFAULT);
        assert_true(fabs(J - reached(graph, row[i].tree, "boxes", TOPOMAP_DEFAULT)) < 1e-6 * J);
        topomap_graph_free(graph);
    }
    snprintf(scattered, sizeof scattered, "fattree:k=4,levels=3*4,alloc=%s",
             scratch_text("nodes", nodes));
    assert_int_equal(topomap_graph_read("stencil2d:9:6x6", NULL, &graph, &err), 0);
    assert_true(reached(graph, scattered, "boxes", TOPOMAP_FAST) <
                reached(graph, scattered, "tree", TOPOMAP_FAST));
    topomap_graph_free(graph);
}

static void others_are_refused(void **state)
{
    topomap_graph *graph = graph_random(64, 300, 0, 1);
    static const char *const spec[] = {"tree:4:16@1:10", "torus:8x8"};
    static const char *const name[] = {"boxes", "grid"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        topomap_map_options options = {.size = sizeof options, .algorithm = name[i]};
        topomap_machine *m = parsed(spec[i]);
        topomap_mapping *mapping;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_message(err.text, "recognised");
        assert_true(reached(graph, spec[i], "auto", TOPOMAP_FAST) > 0);
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_by_hand),
        cmocka_unit_test(boxes_are_the_best_nested_ones),
        cmocka_unit_test(rings_are_shared),
        cmocka_unit_test(uneven_ones_fit),
        cmocka_unit_test(scattered_ones_fit),
        cmocka_unit_test(uneven_nodes_are_filled),
        cmocka_unit_test(equal_shapes_are_isomorphic),
        cmocka_unit_test(several_slots_a_node),
        cmocka_unit_test(published_orders_by_hand),
        cmocka_unit_test(published_orders_fit),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(fabrics_have_levels),
        cmocka_unit_test(thin_boxes_are_not_trusted),
        cmocka_unit_test(better_starts_are_refined),
        cmocka_unit_test(light_messages_hide_no_grid),
        cmocka_unit_test(small_parts_are_no_pattern),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
