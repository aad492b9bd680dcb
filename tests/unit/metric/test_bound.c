/* SPDX-License-Identifier: BSD-3-Clause */
/* The lower bound of J: below every placement there is, reached where the optimum is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "metric/metric.h"
#include "tests/unit/graph/graphs.h"
#include "util/random.h"

static topomap_error err;

static topomap_machine *parsed(const char *spec)
{
    topomap_machine *machine = NULL;

    if (topomap_machine_parse(spec, &machine, &err) != 0)
        fail_msg("%s: %s", spec, err.text);
    return machine;
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m)
{
    topomap_map_options options = {.size = sizeof options, .effort = TOPOMAP_DEFAULT, .seed = 1};
    topomap_mapping *mapping;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

/* The least J of all placements of the ranks from `at` on. */
static double best_of_all(const topomap_graph *graph, const topomap_machine *m, uint32_t *slot_of,
                          uint32_t at, uint32_t used)
{
    uint32_t slots = topomap_machine_slots(m);
    double least = INFINITY;

    if (at == graph->ranks) {
        topomap_cost cost;

        assert_int_equal(topomap_cost_evaluate(graph, m, slot_of, &cost, &err), 0);
        least = cost.J;
        topomap_cost_clear(&cost);
        return least;
    }
    for (uint32_t s = 0; s < slots; s++)
        if (!(used >> s & 1)) {
            slot_of[at] = s;
            least = fmin(least, best_of_all(graph, m, slot_of, at + 1, used | 1u << s));
        }
    return least;
}

static topomap_graph *random_graph(uint32_t ranks, topomap_random *random)
{
    topomap_arcs arcs = {0};
    topomap_graph *graph;

    for (uint32_t u = 0; u < ranks; u++)
        for (uint32_t v = 0; v < u; v++)
            if (topomap_random_below(random, 2))
                assert_int_equal(
                    topomap_arcs_add(&arcs, u, v, 1 + topomap_random_below(random, 50), 0, &err),
                    0);
    assert_int_equal(topomap_arcs_take(&arcs, ranks, &graph, &err), 0);
    return graph;
}

/* Every placement of six ranks: the bound is below the best, and the map not above it by much. */
static void test_below_all(void **state)
{
    static const char *const machines[] = {
        "tree:2:3@1:10",
        "tree:3:2@5:7",
        "tree:2:2:2@1:10:100",
        "torus:3x2",
        "torus:3*2@1:10",
        "torus:2x2x2",
        "mesh:3x2",
        "mesh:6",
        "tree:2:3@10:1",
        "torus:7@1:2",
        "gpus:nodes=3,gpus=2,rails=2,unit=2",
    };
    topomap_random random = {7};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        topomap_machine *m = parsed(machines[i]);

        for (int k = 0; k < 4; k++) {
            topomap_graph *graph = random_graph(6, &random);
            topomap_mapping *mapping = mapped(graph, m);
            uint32_t slot_of[8];
            double least = best_of_all(graph, m, slot_of, 0, 0);

            assert_true(mapping->bound > 0 || graph->offset[6] == 0);
            assert_true(mapping->bound <= least * (1 + 1e-12));
            assert_true(mapping->J >= least * (1 - 1e-12));
            topomap_mapping_free(mapping);
            topomap_graph_free(graph);
        }
        topomap_machine_free(m);
    }
}

/* By hand: a rank of a path has its two partners, 3 and 2 bytes, one at cost 1, one at cost 10. */
static void test_by_hand(void **state)
{
    topomap_machine *m = parsed("tree:2:2@1:10");
    topomap_arcs arcs = {0};
    topomap_graph *graph;
    topomap_mapping *mapping;

    (void)state;
    assert_int_equal(topomap_arcs_add(&arcs, 0, 1, 3, 0, &err), 0);
    assert_int_equal(topomap_arcs_add(&arcs, 1, 2, 2, 0, &err), 0);
    assert_int_equal(topomap_arcs_take(&arcs, 4, &graph, &err), 0);
    mapping = mapped(graph, m);
    /* Ranks 0: 3*1; 1: 3*1 + 2*10; 2: 2*1; each edge from both ends. */
    assert_true(mapping->bound == (3 + 23 + 2) / 2.0);
    assert_true(mapping->J == 23);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Reached, and nothing is tried after that. */
static void test_reached(void **state)
{
    static const struct {
        const char *graph, *machine;
    } cases[] = {
        {"alltoall:256", "tree:4:16:4@1:10:100"},
        {"alltoall:64", "torus:4x4x4"},
        {"stencil3d:7:6x6x6,wrap=xyz", "torus:6x6x6"},
        {"stencil2d:5:8x8", "mesh:8x8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        topomap_machine *m = parsed(cases[i].machine);
        topomap_graph *graph = graph_good(cases[i].graph, NULL);
        topomap_mapping *mapping = mapped(graph, m);

        if (fabs(mapping->J - mapping->bound) > 1e-9 * mapping->J)
            fail_msg("%s on %s: %f, bound %f", cases[i].graph, cases[i].machine, mapping->J,
                     mapping->bound);
        assert_int_equal(mapping->candidates, 1); /* the start is the optimum */
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* Of ranks in the order of the slots: what it costs, and both bounds. */
static void bounded(const char *graph_spec, const char *spec, double *J, double *lower,
                    double *quick)
{
    topomap_machine *m = parsed(spec);
    topomap_graph *graph = graph_good(graph_spec, NULL);
    uint32_t *slot_of = malloc(graph->ranks * sizeof *slot_of);
    topomap_weights weights;
    topomap_cost cost;

    assert_non_null(slot_of);
    for (uint32_t r = 0; r < graph->ranks; r++)
        slot_of[r] = r;
    assert_int_equal(topomap_cost_evaluate(graph, m, slot_of, &cost, &err), 0);
    *J = cost.J;
    *lower = cost.lower_bound;
    topomap_cost_clear(&cost);
    assert_int_equal(topomap_weights_new(graph, graph->ranks, &weights, &err), 0);
    assert_int_equal(topomap_bound_quick(&weights, m, quick, &err), 0);
    topomap_weights_clear(&weights);
    free(slot_of);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Machines of thousands of nodes: looked at whole, and those that are too large for it quickly. */
static void test_large(void **state)
{
    static const struct {
        const char *graph, *machine;
        int reached, beyond_quick;
    } cases[] = {
        {"stencil3d:7:16x16x16,wrap=xyz", "torus:16x16x16", 1, 0},
        {"stencil3d:7:16x16x8", "mesh:16x16x8", 1, 0},
        {"stencil2d:5:128x128,wrap=xy", "torus:128x128", 1, 0},
        {"random:6000,deg=8", "torus:24x16x16", 0, 0},
        {"random:2550,deg=100", "dragonfly:p=5,a=10,h=5", 0, 1},
    };
    double J, lower, quick;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bounded(cases[i].graph, cases[i].machine, &J, &lower, &quick);
        assert_true(lower > 0 && lower <= J * (1 + 1e-12));
        assert_true(lower >= quick * (1 - 1e-12));
        assert_true(!cases[i].beyond_quick || lower > quick * 1.01);
        assert_true(!cases[i].reached || lower >= J * (1 - 1e-12));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below_all),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_reached),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
