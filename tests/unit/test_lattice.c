/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns found from the edges alone: shuffled, with noise, and none where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/lattice.h"
#include "tests/unit/graphs.h"
#include "util/random.h"

static topomap_error err;

/* The graph with its ranks renamed and `noise` random edges of `bytes` more; frees it. */
static topomap_graph *disturb(topomap_graph *graph, int shuffle, uint64_t noise, uint64_t bytes,
                              uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs arcs = {0};
    uint32_t n = graph->ranks, *name = malloc(n * sizeof *name);
    topomap_graph *made;

    for (uint32_t u = 0; u < n; u++)
        name[u] = u;
    if (shuffle)
        topomap_random_shuffle(&random, name, n);
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++)
            assert_int_equal(
                topomap_arcs_add(&arcs, name[u], name[graph->target[e]], graph->bytes[e], 0, &err),
                0);
    for (uint64_t i = 0; i < noise; i++)
        assert_int_equal(topomap_arcs_add(&arcs, topomap_random_below(&random, n),
                                          topomap_random_below(&random, n), bytes, 0, &err),
                         0);
    assert_int_equal(topomap_arcs_take(&arcs, n, &made, &err), 0);
    free(name);
    topomap_graph_free(graph);
    return made;
}

static topomap_lattice find(const topomap_graph *graph)
{
    topomap_lattice lattice;
    topomap_weights weights;

    assert_int_equal(topomap_weights_new(graph, graph->ranks, &weights, &err), 0);
    assert_int_equal(topomap_lattice_find(&weights, graph->ranks, &lattice, &err), 0);
    topomap_weights_clear(&weights);
    return lattice;
}

/* Every rank has a cell of its own. */
static void check_cells(const topomap_lattice *lattice)
{
    uint8_t *used = calloc(lattice->cells, 1);

    for (uint32_t r = 0; r < lattice->ranks; r++)
        if (lattice->cell[r] != UINT32_MAX) {
            assert_true(lattice->cell[r] < lattice->cells);
            assert_int_equal(used[lattice->cell[r]]++, 0);
        }
    for (uint32_t c = 0; c < lattice->cells; c++)
        assert_int_equal(used[c], 1);
    free(used);
}

static void check_words(const topomap_graph *graph, const char *expected, int exact,
                        const char *what)
{
    topomap_lattice lattice = find(graph);
    char words[200] = "nothing";

    if (lattice.dims) {
        check_cells(&lattice);
        assert_int_equal(topomap_lattice_words(&lattice, 0, words, sizeof words, &err), 0);
    }
    if (strcmp(words, expected) != 0 || (exact && !topomap_lattice_exact(&lattice)))
        fail_msg("%s: %s is expected, %s found (explained %.4f, present %.4f)", what, expected,
                 words, lattice.explained, lattice.present);
    topomap_lattice_clear(&lattice);
}

static const struct {
    const char *pattern, *shuffled; /* NULL: the same words */
    int noisy;
} known[] = {
    {"stencil2d:5:10x6", NULL, 1},
    {"stencil2d:5:48x32", NULL, 1},
    {"stencil2d:5:48x32,wrap=x", NULL, 1},
    {"stencil2d:5:32x48,wrap=x", "stencil2d:5:48x32,wrap=y", 1},
    {"stencil2d:5:37x31,wrap=y", NULL, 1},
    {"torus2d:19x17", NULL, 1},
    {"torus2d:8x8", NULL, 1},
    {"torus2d:20x4", NULL, 1},
    {"torus2d:25x3", NULL, 1},
    {"torus2d:30x5", NULL, 1},
    {"stencil2d:9:10x6", NULL, 1},
    {"stencil2d:9:40x40", NULL, 1},
    {"stencil2d:9:41x13,bytes=1", "stencil2d:9:41x13", 1},
    {"stencil2d:9:24x18,periodic", NULL, 1},
    {"stencil2d:9:24x18,periodic,bytes=1", "stencil2d:9:24x18,periodic", 1},
    {"stencil2d:9:24x18,wrap=y,bytes=1", "stencil2d:9:24x18,wrap=y", 1},
    {"stencil3d:7:5x4x3", NULL, 1},
    {"stencil3d:7:20x16x12", NULL, 1},
    {"stencil3d:7:12x16x20", "stencil3d:7:20x16x12", 1},
    {"stencil3d:7:20x16x12,wrap=z", NULL, 1},
    {"torus3d:16x12x7", NULL, 1},
    {"torus3d:8x4x4", NULL, 1},
    {"torus3d:6x4x3", NULL, 1},
    {"stencil3d:27:5x4x3", NULL, 1},
    {"stencil3d:27:14x12x10", NULL, 1},
    {"stencil3d:27:14x12x10,bytes=1", "stencil3d:27:14x12x10", 1},
    {"stencil3d:27:9x8x7,periodic,bytes=1", "stencil3d:27:9x8x7,periodic", 1},
    {"stencil3d:27:9x8x7,wrap=y,bytes=1", "stencil3d:27:9x8x7,wrap=y", 1},
    {"torus4d:4x4x4x4", NULL, 1},
    {"torus4d:8x8x8x8", NULL, 1},
    {"torus4d:7x6x5x4", NULL, 1},
    {"product:path=7,path=6,path=5,path=4", NULL, 1},
    {"product:path=7,ring=6,path=5,ring=5", NULL, 1},
    {"chain:100", NULL, 0},
    {"ring:100", NULL, 0},
    {"alltoall:64", NULL, 1},
    {"alltoall:n=2048,group=64", NULL, 1},
    {"alltoall:n=60,group=4", NULL, 1},
    {"product:all=64,all=32", NULL, 1},
    {"product:ring=16,path=8,all=8", NULL, 1},
    {"product:all=8,path=4,copies=16", NULL, 0},
};
enum { KNOWN = sizeof known / sizeof *known };

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        const char *expected = known[i].shuffled ? known[i].shuffled : known[i].pattern;

        for (uint64_t seed = 1; seed <= 2; seed++) {
            topomap_graph *graph = disturb(graph_good(known[i].pattern, NULL), 1, 0, 0, seed);

            check_words(graph, expected, 1, known[i].pattern);
            topomap_graph_free(graph);
        }
    }
}

/* One edge in twenty is noise, as heavy as the others or lighter. */
static void test_noise(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        const char *expected = known[i].shuffled ? known[i].shuffled : known[i].pattern;

        for (uint64_t seed = 1; seed <= 4 && known[i].noisy; seed++) {
            topomap_graph *graph = graph_good(known[i].pattern, NULL);
            uint64_t heavy = graph->bytes[0];

            graph = disturb(graph, 1, graph->pairs / 20, seed % 2 ? heavy : 1, seed);
            check_words(graph, expected, 0, known[i].pattern);
            topomap_graph_free(graph);
        }
    }
}

/* Ranks numbered along the dimensions keep their order. */
static void test_order(void **state)
{
    static const char *const pattern[] = {
        "stencil2d:5:32x48",    "stencil2d:9:13x41,wrap=y", "stencil3d:7:12x16x20",
        "stencil3d:27:9x12x10", "product:all=8,ring=16",    "product:ring=5,path=9,all=6",
        "torus4d:5x9x7x6",
    };

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        topomap_graph *graph = graph_good(pattern[i], NULL);

        check_words(graph, pattern[i], 1, pattern[i]);
        topomap_graph_free(graph);
    }
}

/* Bhatele (2010), Table 8.1, its WRF of 512 ranks left out (32x32 are 1,024). */
static void test_table_8_1(void **state)
{
    static const struct {
        const char *made, *found;
    } row[] = {
        {"torus4d:4x4x4x4", "torus4d:4x4x4x4"},     /* MILC, 256 */
        {"torus2d:8x32", "torus2d:8x32"},           /* POP, 256 */
        {"torus2d:32x16", "torus2d:32x16"},         /* POP, 512 */
        {"stencil2d:5:16x16", "stencil2d:5:16x16"}, /* WRF, 256 */
        {"stencil2d:5:32x32", "stencil2d:5:32x32"}, /* WRF, 1024 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_graph *graph = graph_good(row[i].made, NULL);

        check_words(graph, row[i].found, 1, row[i].made);
        topomap_graph_free(graph);
    }
}

static void test_large(void **state)
{
    static const char *const pattern[] = {"stencil3d:7:50x50x40", "stencil3d:27:40x32x25,bytes=1",
                                          "torus4d:20x18x16x16"};

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        topomap_graph *graph = disturb(graph_good(pattern[i], NULL), 1, 0, 0, 1);

        check_words(graph, i == 1 ? "stencil3d:27:40x32x25" : pattern[i], 1, pattern[i]);
        topomap_graph_free(graph);
    }
}

/* Points in the unit square, joined when near. */
static topomap_graph *geometric(uint32_t n, double reach, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs arcs = {0};
    topomap_graph *graph;
    double *x = malloc(2 * n * sizeof *x);

    for (uint32_t i = 0; i < 2 * n; i++)
        x[i] = topomap_random_below(&random, 1u << 30) / (double)(1u << 30);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < u; v++) {
            double dx = x[2 * u] - x[2 * v], dy = x[2 * u + 1] - x[2 * v + 1];

            if (dx * dx + dy * dy < reach * reach)
                assert_int_equal(topomap_arcs_add(&arcs, u, v, 1 + seed % 3, 0, &err), 0);
        }
    assert_int_equal(topomap_arcs_take(&arcs, n, &graph, &err), 0);
    free(x);
    return graph;
}

/* A union of `degree` random perfect matchings: nearly regular. */
static topomap_graph *regular(uint32_t n, uint32_t degree, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs arcs = {0};
    topomap_graph *graph;
    uint32_t *order = malloc(n * sizeof *order);

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t k = 0; k < degree; k++) {
        topomap_random_shuffle(&random, order, n);
        for (uint32_t i = 0; i + 1 < n; i += 2)
            assert_int_equal(topomap_arcs_add(&arcs, order[i], order[i + 1],
                                              1 + topomap_random_below(&random, 9), 0, &err),
                             0);
    }
    assert_int_equal(topomap_arcs_take(&arcs, n, &graph, &err), 0);
    free(order);
    return graph;
}

/* Edges of recursive quadrants: a power law of degrees. */
static topomap_graph *power_law(uint32_t bits, uint32_t edges, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs arcs = {0};
    topomap_graph *graph;

    for (uint32_t i = 0; i < edges; i++) {
        uint32_t u = 0, v = 0;

        for (uint32_t b = 0; b < bits; b++) {
            uint32_t x = topomap_random_below(&random, 100);

            u = 2 * u + (x >= 76);
            v = 2 * v + ((x >= 57 && x < 76) || x >= 95);
        }
        assert_int_equal(topomap_arcs_add(&arcs, u, v, 8, 0, &err), 0);
    }
    assert_int_equal(topomap_arcs_take(&arcs, 1u << bits, &graph, &err), 0);
    return graph;
}

/* A square grid whose cells each have one of their diagonals, by chance: what a triangulation of
 * scattered points looks like from near. */
static topomap_graph *triangulated(uint32_t side, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_arcs arcs = {0};
    topomap_graph *graph;

    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            uint32_t u = y * side + x, flip = topomap_random_below(&random, 2);

            if (x + 1 < side && topomap_random_below(&random, 10) < 8)
                assert_int_equal(topomap_arcs_add(&arcs, u, u + 1, 1, 0, &err), 0);
            if (y + 1 < side && topomap_random_below(&random, 10) < 8)
                assert_int_equal(topomap_arcs_add(&arcs, u, u + side, 1, 0, &err), 0);
            if (x + 1 < side && y + 1 < side)
                assert_int_equal(topomap_arcs_add(&arcs, u + flip, u + side + 1 - flip, 1, 0, &err),
                                 0);
        }
    assert_int_equal(topomap_arcs_take(&arcs, side * side, &graph, &err), 0);
    return graph;
}

static topomap_graph *random_graph(uint64_t i)
{
    uint32_t n = 60 + (uint32_t)(i * 37 % 600);

    switch (i % 5) {
    case 0:
        return regular(n, 3 + i % 5, i);
    case 1:
        return geometric(n, 0.08 + 0.01 * (double)(i % 7), i);
    case 2:
        return power_law(6 + i % 4, 3 * n, i);
    case 3:
        return graph_random(n, (size_t)n * (2 + i % 4), 0, i);
    default:
        return triangulated(8 + i % 12, i);
    }
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        topomap_graph *graph = random_graph(i);

        check_words(graph, "nothing", 0, "random");
        topomap_graph_free(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_order), cmocka_unit_test(test_table_8_1),
        cmocka_unit_test(test_large), cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
