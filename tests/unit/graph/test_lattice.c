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

#include "graph/recognise/lattice.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "util/random.h"

#ifdef __SANITIZE_ADDRESS__ /* five times as slow, and what it finds does not go by seeds */
enum { SEEDS = 1 };
#else
enum { SEEDS = 4 };
#endif

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
    {"stencil3d:27:12x8x4,periodic,bytes=1", "stencil3d:27:12x8x4,periodic", 1},
    {"stencil2d:9:30x4,wrap=y", NULL, 1},
    {"stencil2d:9:30x2", NULL, 1}, /* ranks across have the same neighbours */
    {"stencil3d:27:9x7x3,periodic", NULL, 0},
    {"stencil3d:27:15x2x2,wrap=x", NULL, 1},
    {"torus2d:20x2", NULL, 1},
    {"torus4d:4x4x4x4", NULL, 1},
    {"torus4d:8x8x8x8", NULL, 1},
    {"torus4d:7x6x5x4", NULL, 1},
    {"stencil4d:9:7x6x5x4", NULL, 1},
    {"stencil4d:9:7x6x5x5,wrap=yt", NULL, 1},
    {"stencil4d:81:7x6x5x5,bytes=1", "stencil4d:81:7x6x5x5", 1},
    {"stencil4d:33:8x6x6x5", NULL, 1},
    {"stencil3d:19:12x10x9,bytes=1", "stencil3d:19:12x10x9", 1},
    {"stencil3d:19:12x10x9,wrap=xz", NULL, 1},
    {"torus5d:6x5x5x3x3", NULL, 1},
    {"chain:100", NULL, 0},
    {"ring:100", NULL, 0},
    {"alltoall:64", NULL, 1},
    {"alltoall:n=2048,group=64", NULL, 1},
    {"alltoall:n=60,group=4", NULL, 1},
    {"product:all=64,all=32", "fft:32x64", 1},
    {"product:ring=16,path=8,all=8", NULL, 1},
    {"product:all=8,path=4,copies=16", NULL, 0},
};
enum { KNOWN = sizeof known / sizeof *known };

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        const char *expected = known[i].shuffled ? known[i].shuffled : known[i].pattern;

        for (uint64_t seed = 1; seed <= SEEDS && seed <= 2; seed++) {
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

        for (uint64_t seed = 1; seed <= SEEDS && known[i].noisy; seed++) {
            topomap_graph *graph = graph_good(known[i].pattern, NULL);
            uint64_t heavy = graph->bytes[0];

            graph = disturb(graph, 1, graph->pairs / 20, seed % 2 ? heavy : 1, seed);
            check_words(graph, expected, 0, known[i].pattern);
            topomap_graph_free(graph);
        }
    }
}

/* The graph without one pair in `every`; frees it. */
static topomap_graph *leave_out(topomap_graph *graph, uint32_t every, uint64_t seed)
{
    topomap_arcs arcs = {0};
    topomap_graph *made;

    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            uint32_t v = graph->target[e];
            topomap_random pair = {seed << 50 | (uint64_t)(u < v ? u : v) << 25 | (u < v ? v : u)};

            if (topomap_random_below(&pair, every))
                assert_int_equal(topomap_arcs_add(&arcs, u, v, graph->bytes[e], 0, &err), 0);
        }
    assert_int_equal(topomap_arcs_take(&arcs, graph->ranks, &made, &err), 0);
    topomap_graph_free(graph);
    return made;
}

/* One pair in a hundred is missing: never a wrong name, and seldom none. */
static void test_missing(void **state)
{
    uint32_t tried = 0, silent = 0;

    (void)state;
    for (size_t i = 0; i < KNOWN; i++)
        for (uint64_t seed = 1; seed <= 3 && known[i].noisy; seed++) {
            const char *expected = known[i].shuffled ? known[i].shuffled : known[i].pattern;
            topomap_graph *graph = disturb(graph_good(known[i].pattern, NULL), 1, 0, 0, seed);
            topomap_lattice lattice = find(graph = leave_out(graph, 100, seed));
            int found = lattice.dims != 0;

            topomap_lattice_clear(&lattice);
            if (found)
                check_words(graph, expected, 0, known[i].pattern);
            tried++;
            silent += !found;
            topomap_graph_free(graph);
        }
    if (8 * silent >= tried)
        fail_msg("%u of %u graphs have no name", silent, tried);
}

static topomap_recognition recognise(const topomap_graph *graph, uint64_t ranks)
{
    topomap_recognition found;

    assert_int_equal(topomap_graph_recognise(graph, ranks, &found, &err), 0);
    return found;
}

/* Words for what is no lattice, or more than one. */
static const struct {
    const char *pattern, *words; /* NULL: the same words */
    int noisy;
    uint64_t ranks; /* as many, scaled to */
    const char *scaled;
} named[] = {
    {"parallel:tp=8,pp=8,dp=16", NULL, 1, 2048, "parallel:tp=8,pp=8,dp=32"},
    {"parallel:tp=8,dp=16", NULL, 1, 64, "parallel:tp=8,dp=8"},
    {"parallel:tp=2,pp=4,dp=16", NULL, 1, 64, "parallel:tp=2,pp=4,dp=8"},
    {"parallel:pp=16,dp=8,zero=1", NULL, 1, 64, "parallel:pp=16,dp=4,zero=1"},
    {"parallel:tp=8,dp=32,zero=3", NULL, 1, 0, NULL},
    {"parallel:tp=8,pp=4", NULL, 1, 0, NULL},
    {"parallel:tp=8,pp=8,dp=16,allreduce=direct", NULL, 0, 0, NULL},
    {"parallel:tp=8,pp=8,dp=16,order=dp-pp-tp-cp", "parallel:tp=8,pp=8,dp=16", 1, 0, NULL},
    {"parallel:tp=16,pp=4,dp=16,hidden=1024,layers=8", "parallel:tp=16,pp=4,dp=16", 1, 0, NULL},
    {"parallel:tp=8,pp=4,cp=2,dp=4", NULL, 2, 512, "parallel:tp=8,pp=4,cp=2,dp=8"},
    {"parallel:tp=4,pp=4,ep=4,dp=8", NULL, 2, 256, "parallel:tp=4,pp=4,ep=4,dp=16"},
    {"parallel:tp=8,pp=8,cp=4,ep=8,dp=16,zero=1", NULL, 2, 0, NULL},
    {"alltoall:n=1000,group=64", NULL, 1, 100, "alltoall:n=100,group=64"},
    {"alltoall:n=65,group=16", NULL, 0, 0, NULL},
    {"tree:100", NULL, 0, 10, "tree:10"},
    {"tree:1000,k=3", NULL, 0, 10, "tree:10,k=3"},
    {"tree:64,carry=below", NULL, 0, 0, NULL},
    {"tree:64,root=5", "tree:64", 0, 0, NULL},
    {"master:64", NULL, 0, 9, "master:9"},
    {"master:100,masters=4", NULL, 0, 0, NULL},
    {"butterfly:100", NULL, 2, 64, "butterfly:64"},
    {"butterfly:64,kind=halving", NULL, 0, 0, NULL},
    {"butterfly:60,kind=dissemination", NULL, 2, 0, NULL},
    {"sweep:24x16,sweeps=1", NULL, 1, 24, "sweep:6x4,sweeps=1"},
    {"nas-bt:64", NULL, 2, 100, "nas-bt:100"},
    {"nas-sp:100", NULL, 2, 0, NULL},
    {"nas-cg:128", NULL, 2, 64, "nas-cg:64"},
    {"nas-mg:64", NULL, 2, 0, NULL},
};
enum { NAMED = sizeof named / sizeof *named };

static void test_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMED; i++) {
        const char *words = named[i].words ? named[i].words : named[i].pattern;

        for (uint64_t seed = 0; seed <= 3; seed++) {
            int noise = seed > 1 && named[i].noisy;
            topomap_graph *graph = graph_good(named[i].pattern, NULL);
            uint64_t bytes = seed == 3 && named[i].noisy == 1 ? graph->bytes[0] : 1;
            topomap_recognition found;

            graph = disturb(graph, seed > 0, noise ? graph->pairs / 20 : 0, bytes, seed);
            found = recognise(graph, 0);
            if (strcmp(found.text, words) != 0 || (!noise && found.explained * found.present < 1))
                fail_msg("%s: %s is expected, %s found (explained %.4f, present %.4f, bytes %.4f)",
                         named[i].pattern, words, found.text, found.explained, found.present,
                         found.even);
            if (named[i].scaled)
                assert_string_equal(recognise(graph, named[i].ranks).text, named[i].scaled);
            topomap_graph_free(graph);
        }
    }
}

static void test_named_scaled_not(void **state)
{
    static const struct {
        const char *pattern;
        uint64_t ranks;
    } bad[] = {{"nas-bt:64", 65},
               {"nas-cg:64", 100},
               {"parallel:tp=8,pp=8,dp=16", 100},
               {"parallel:tp=4,pp=4,ep=4,dp=8", 16}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_graph *graph = graph_good(bad[i].pattern, NULL);
        topomap_recognition found;

        assert_int_equal(topomap_graph_recognise(graph, bad[i].ranks, &found, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_int_equal(topomap_graph_recognise(graph, 1ull << 40, &found, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_message(err.text, "2147483648");
        topomap_graph_free(graph);
    }
}

/* That each talks to each is no pattern where few of them have nearly all bytes; with weights that
 * differ by chance a grid is one, but no exact one. */
static void test_uneven(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        topomap_graph *graph = graph_good(i ? "stencil2d:5:16x12" : "alltoall:64", NULL);
        topomap_random random = {i};
        topomap_recognition found;

        graph->total_bytes = 0;
        for (uint64_t e = 0; e < graph->arcs; e++) {
            graph->bytes[e] = i ? 50 + topomap_random_below(&random, 100)
                                : UINT64_C(1) << topomap_random_below(&random, 24);
            graph->total_bytes += graph->bytes[e];
        }
        found = recognise(graph, 0);
        assert_string_equal(found.text, i ? "stencil2d:5:16x12" : "");
        assert_false(found.exact);
        if (i)
            assert_true(found.even > 0.8 && found.even < 0.95);
        topomap_graph_free(graph);
    }
}

/* The weights as a reader of undirected files has them, who cannot halve odd ones. */
static topomap_graph *halved(const char *pattern, int shuffle, uint64_t weight)
{
    topomap_graph *graph = disturb(graph_good(pattern, NULL), shuffle, 0, 0, 1);

    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++)
            graph->bytes[e] = graph->target[e] > u ? weight - weight / 2 : weight / 2;
    graph->total_bytes = graph->pairs * weight;
    return graph;
}

static void test_halves(void **state)
{
    static const char *const pattern[] = {"torus2d:8x8",       "torus2d:16x8", "stencil2d:5:4x4",
                                          "stencil3d:7:4x4x4", "nas-sp:36",    "nas-cg:32",
                                          "nas-mg:32",         "tree:31"};

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
        for (int shuffle = 0; shuffle <= 1; shuffle++)
            for (uint64_t weight = 1; weight <= 3; weight++) {
                topomap_graph *graph = halved(pattern[i], shuffle, weight);
                topomap_recognition found = recognise(graph, 0);

                if (strcmp(found.text, pattern[i]) != 0)
                    fail_msg("%s of weight %d: %s found", pattern[i], (int)weight, found.text);
                topomap_graph_free(graph);
            }
}

/* A byte with no arc back does go one way. */
static void test_no_halves(void **state)
{
    static const char *const pattern[] = {"sweep:4x4,sweeps=1", "parallel:tp=8,dp=8"};

    (void)state;
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        topomap_graph *graph = disturb(graph_good(pattern[i], NULL), 1, 0, 0, 1);

        for (uint64_t e = 0; e < graph->arcs; e++)
            graph->bytes[e] = 1;
        graph->total_bytes = graph->arcs;
        assert_string_equal(recognise(graph, 0).text, pattern[i]);
        topomap_graph_free(graph);
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
        assert_string_equal(recognise(graph, 0).text, "");
        topomap_graph_free(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_named_scaled_not),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_no_halves),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_table_8_1),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
