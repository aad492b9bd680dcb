/* SPDX-License-Identifier: BSD-3-Clause */
/* Bhatele's heuristics and the two-stage map: examples worked by hand from their papers, and
 * findNext against a search that looks at every node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "map/papers/papers.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

static topomap_graph *graph_of(const char *what)
{
    topomap_graph *graph = NULL;
    topomap_error err;

    if (topomap_graph_read(what, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    return graph;
}

static topomap_mapping *map(const topomap_graph *graph, const topomap_machine *machine,
                            const char *algorithm)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = algorithm, .seed = 3};
    topomap_mapping *mapping = NULL;
    topomap_error err;

    if (topomap_map(graph, machine, &options, &mapping, &err) != 0)
        fail_msg("%s: %s", algorithm, err.text);
    return mapping;
}

/* Where one rank goes, for tests of a few ranks. */
static void assert_maps(const char *what, const char *spec, const char *algorithm,
                        const uint32_t *slots, uint32_t count)
{
    topomap_machine *machine = map_machine(spec);
    topomap_graph *graph = graph_of(what);
    topomap_mapping *mapping = map(graph, machine, algorithm);

    assert_int_equal(topomap_graph_ranks(graph), count);
    for (uint32_t r = 0; r < count; r++)
        if (mapping->slot_of_rank[r] != slots[r])
            fail_msg("%s: rank %u on slot %u, not %u", algorithm, r, mapping->slot_of_rank[r],
                     slots[r]);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(machine);
}

static double dilation_of(const topomap_graph *graph, const char *spec, const char *algorithm)
{
    topomap_machine *machine = map_machine(spec);
    topomap_mapping *mapping = map(graph, machine, algorithm);
    topomap_cost cost;
    topomap_error err;
    double dilation;

    assert_int_equal(topomap_cost_evaluate(graph, machine, mapping->slot_of_rank, &cost, &err), 0);
    dilation = cost.dilation;
    topomap_cost_clear(&cost);
    topomap_mapping_free(mapping);
    topomap_machine_free(machine);
    return dilation;
}

/* Hops from c to the stretch between a and b, by walking. */
static uint32_t hops_to_stretch(const topomap_machine *m, uint32_t d, uint32_t c, uint32_t a,
                                uint32_t b)
{
    uint32_t best = UINT32_MAX, low = a < b ? a : b, span = a < b ? b - a : a - b;
    int round = m->wrap[d] && m->dim[d] - span < span;
    uint32_t from = round ? low + span : low, steps = round ? m->dim[d] - span : span;

    for (uint32_t k = 0; k <= steps; k++) {
        uint32_t p = (from + k) % m->dim[d], gap = p > c ? p - c : c - p;

        if (m->wrap[d] && m->dim[d] - gap < gap)
            gap = m->dim[d] - gap;
        best = gap < best ? gap : best;
    }
    return best;
}

static uint32_t hops_to(const topomap_machine *m, uint32_t node, const uint32_t *a,
                        const uint32_t *b)
{
    uint32_t gap = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        gap += hops_to_stretch(m, d, m->coord[(size_t)node * m->dims + d], a[d], b[d]);
    return gap;
}

/* The node that findNext must take, or one as near, by looking at all. */
static uint32_t node_by_looking(const topomap_machine *m, const uint32_t *room, const uint32_t *a,
                                const uint32_t *b, int by_room)
{
    uint32_t best = UINT32_MAX, best_gap = 0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t gap = hops_to(m, i, a, b);

        if (room[i] == 0)
            continue;
        if (best == UINT32_MAX || gap < best_gap ||
            (gap == best_gap && by_room && room[i] > room[best])) {
            best = i;
            best_gap = gap;
        }
    }
    return best;
}

static void find_next_on(const char *spec, int between, uint64_t seed)
{
    topomap_machine *m = map_machine(spec);
    topomap_random random = {seed};
    topomap_cells cells;
    topomap_error err;
    uint8_t taken[512] = {0};

    assert_true(m->slots <= 512);
    assert_int_equal(topomap_cells_init(&cells, m, &err), 0);
    for (uint32_t k = 0; k < m->slots; k++) {
        uint32_t a[TOPOMAP_MACHINE_DIMS], b[TOPOMAP_MACHINE_DIMS], node, slot;

        for (uint32_t d = 0; d < m->dims; d++) {
            a[d] = b[d] = topomap_random_below(&random, m->dim[d]);
            if (between)
                b[d] = topomap_random_below(&random, m->dim[d]);
        }
        node = node_by_looking(m, cells.room, a, b, between);
        slot = between ? topomap_cells_next_between(&cells, a, b) : topomap_cells_next(&cells, a);
        assert_true(slot < m->slots);
        assert_int_equal(hops_to(m, m->node_of[slot], a, b), hops_to(m, node, a, b));
        if (between)
            assert_int_equal(m->node_of[slot], node);
        assert_int_equal(taken[slot]++, 0);
    }
    assert_int_equal(topomap_cells_next(&cells, (uint32_t[TOPOMAP_MACHINE_DIMS]){0}), UINT32_MAX);
    topomap_cells_clear(&cells);
    topomap_machine_free(m);
}

static void find_next_is_the_nearest(void **state)
{
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "torus:9x7*2,alloc=%s",
             scratch_text("some", "3\n1\n62\n17\n18\n40\n41\n42\n5\n9\n"));
    for (int between = 0; between < 2; between++) {
        find_next_on("mesh:16x16", between, 1);
        find_next_on("torus:8x5x4*3", between, 2);
        find_next_on("torus:7x6x3,wrap=y,routers=2", between, 3);
        find_next_on("torus:1", between, 4);
        find_next_on(spec, between, 5);
    }
}

static void assert_grid(const char *what, uint32_t dims, const uint32_t *dim)
{
    topomap_graph *graph = graph_of(what);
    topomap_weights weights;
    topomap_grid grid = {0};
    topomap_error err;

    assert_int_equal(topomap_weights_new(graph, topomap_graph_ranks(graph), &weights, &err), 0);
    assert_int_equal(topomap_grid_find(&weights, topomap_graph_ranks(graph), 0, &grid), dims > 0);
    assert_int_equal(grid.dims, dims);
    for (uint32_t d = 0; d < dims; d++)
        assert_int_equal(grid.dim[d], dim[d]);
    topomap_weights_clear(&weights);
    topomap_graph_free(graph);
}

/* Bhatele, Table 8.1, and what must not be taken for a grid. */
static void grids_are_found(void **state)
{
    (void)state;
    assert_grid("torus4d:4x4x4x4", 4, (uint32_t[]){4, 4, 4, 4}); /* MILC */
    assert_grid("stencil2d:5:8x32", 2, (uint32_t[]){8, 32});     /* POP */
    assert_grid("stencil2d:5:32x16", 2, (uint32_t[]){32, 16});   /* POP */
    assert_grid("stencil2d:5:16x16", 2, (uint32_t[]){16, 16});   /* WRF */
    assert_grid("stencil2d:5:6x9,periodic", 2, (uint32_t[]){6, 9});
    assert_grid("stencil2d:9:7x5", 2, (uint32_t[]){7, 5});
    assert_grid("stencil3d:7:3x4x5", 3, (uint32_t[]){3, 4, 5});
    assert_grid("ring:12", 1, (uint32_t[]){12});
    assert_grid("alltoall:group=20,n=20", 0, NULL);
    assert_grid(scratch_text("crossed.csv", "0,1,5\n1,2,5\n2,3,5\n0,6,5\n1,7,5\n2,10,5\n10,11,5\n"),
                0, NULL);
}

/* The slides' example: 9 x 8 objects on 12 x 6 processors. 9 x 6 fit one to one; the two rows left
 * go to the 3 free columns, 3 x 2 at a time. Aligned, they are turned first. */
static void overlap_as_in_the_slides(void **state)
{
    uint32_t plain[72], aligned[72];

    (void)state;
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 9; x++) {
            uint32_t r = x + 9 * y, third = x / 3;

            plain[r] = aligned[r] = x + 12 * y;
            if (y < 6)
                continue;
            plain[r] = 9 + x % 3 + 12 * (2 * third + (y - 6));
            if (x < 6) /* 2 x 6 of the turned strip */
                aligned[r] = 9 + (y - 6) + 12 * x;
            else /* 1 x 3, then 1 x 3 */
                aligned[r] = 11 + 12 * (x - 6 + (y == 7 ? 3 : 0));
        }
    assert_maps("stencil2d:5:9x8", "mesh:12x6", "mxovlp", plain, 72);
    assert_maps("stencil2d:5:9x8", "mesh:12x6", "mxov-al", aligned, 72);
}

/* 4 x 4 objects on 8 x 2 processors: (x, y) wants (2x, y / 2); the second of two goes beside. */
static void affine_stretches(void **state)
{
    uint32_t slots[16];

    (void)state;
    for (uint32_t r = 0; r < 16; r++)
        slots[r] = 2 * (r % 4) + r / 4 % 2 + 8 * (r / 8);
    assert_maps("stencil2d:5:4x4", "mesh:8x2", "affn", slots, 16);
}

static void equal_grids_stay_as_they_are(void **state)
{
    static const char *const names[] = {"mxovlp", "mxov-al", "affn", "coce", "exco"};
    uint32_t slots[42];

    (void)state;
    for (uint32_t r = 0; r < 42; r++)
        slots[r] = r;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_maps("stencil2d:5:7x6", "mesh:7x6", names[i], slots, 42);
        assert_maps("stencil2d:5:7x6", "mesh:7x1x6", names[i], slots, 42);
    }
    assert_maps("stencil3d:7:7x3x2", "mesh:7x3x2", "coce", slots, 42);
    assert_maps("stencil3d:7:7x3x2", "mesh:7x3x2", "affn", slots, 42);
}

/* 5 x 15 objects on 5 x 5 x 3: folded, rows 4 and 5, 9 and 10 face each other and all 130 edges are
 * one hop; translated, the 10 edges across the cuts are 1 + 4 hops, 170 in all, and what grows in
 * its plane does no more than less. 4 x 8 on 4 x 4 x 2: a column of 8 fits a plane of 4 x 2 when it
 * grows round its end, so that even translated planes have one hop an edge. */
static void folding_faces_neighbours(void **state)
{
    topomap_graph *graph = graph_of("stencil2d:5:5x15,bytes=1");

    (void)state;
    assert_true(dilation_of(graph, "mesh:5x5x3", "fold") == 1.0);
    assert_true(dilation_of(graph, "mesh:5x5x3", "stack") <= 170.0 / 130.0);
    assert_true(dilation_of(graph, "mesh:5x5x3", "stack") > 1.0);
    topomap_graph_free(graph);
    graph = graph_of("stencil2d:5:4x8,bytes=1");
    assert_true(dilation_of(graph, "mesh:4x4x2", "fold") == 1.0);
    assert_true(dilation_of(graph, "mesh:4x4x2", "stack") == 1.0);
    topomap_graph_free(graph);
}

/* Loads 1 1 4 1 1 on 4 processors: 4 (L_i - l_i / 2) / 8 is 0.25, 0.75, 2, 3.25, 3.75. Without
 * loads the row through 3 x 2 processors turns at its end. */
static void chain_by_prefix_sums(void **state)
{
    (void)state;
    assert_maps(
        scratch_text("loads.graph", "5 4 011\n1 2 7\n1 1 7 3 7\n4 2 7 4 7\n1 3 7 5 7\n1 4 7\n"),
        "mesh:4*2", "chain", (uint32_t[]){0, 1, 4, 6, 7}, 5);
    assert_maps("stencil2d:5:6x1", "mesh:3x2", "chain", (uint32_t[]){0, 1, 2, 5, 4, 3}, 6);
}

/* 90 points on a jittered 10 x 9 raster, each joined with those near it, ids shuffled. */
static topomap_graph *ninety_vertices(uint64_t seed)
{
    topomap_random random = {seed};
    double x[90], y[90];
    uint32_t id[90], from[4005], to[4005];
    uint64_t bytes[4005];
    size_t arcs = 0;
    topomap_graph *graph;
    topomap_error err;

    for (uint32_t i = 0; i < 90; i++) {
        x[i] = i % 10 + topomap_random_below(&random, 800) / 1000.0;
        y[i] = i / 10 + topomap_random_below(&random, 800) / 1000.0;
        id[i] = i;
    }
    topomap_random_shuffle(&random, id, 90);
    for (uint32_t i = 0; i < 90; i++)
        for (uint32_t j = 0; j < i; j++)
            if ((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]) < 2.0) {
                from[arcs] = id[i];
                to[arcs] = id[j];
                bytes[arcs++] = 1;
            }
    if (topomap_graph_new(90, arcs, from, to, bytes, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    return graph;
}

/* The slides have 2.89 (BFT), 2.69 (MHT), 3.17 (AFFN), 2.88 (COCE), 2.78 (COCE+MHT) hops a byte on
 * a graph of their own of this size; at random it would be (100 - 1) / 30 + (81 - 1) / 27 = 6.3. */
static void irregular_graphs_keep_neighbours_near(void **state)
{
    static const char *const names[] = {"bft", "mht", "affn", "coce", "coce-mht", "brick"};
    enum { NAMES = sizeof names / sizeof names[0], GRAPHS = 10 };
    double sum[NAMES] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        topomap_graph *graph = ninety_vertices(seed);

        for (size_t i = 0; i < NAMES; i++)
            sum[i] += dilation_of(graph, "mesh:10x9", names[i]) / GRAPHS;
        topomap_graph_free(graph);
    }
    for (size_t i = 0; i < NAMES; i++) {
        print_message("%s %.2f hops a byte\n", names[i], sum[i]);
        assert_true(sum[i] < 6.3 / 1.6);
    }
    assert_true(sum[1] < sum[0]); /* as on the slides, MHT is better than BFT */
}

static topomap_mapping *refined(const topomap_graph *graph, const topomap_machine *machine,
                                const uint32_t *start)
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = "two-stage-refine", .start = start};
    topomap_mapping *mapping = NULL;
    topomap_error err;

    if (topomap_map(graph, machine, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

/* 16 ranks, groups of 4 that talk much, in them pairs that talk most: each group must be on one
 * node, each pair on one processor. */
static void two_stages_find_nodes_and_cores(void **state)
{
    uint32_t from[16], to[16], start[16];
    uint64_t bytes[16];
    uint32_t exchanged;
    topomap_machine *machine = map_machine("tree:2:2:4@1:10:100,node=2");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    for (uint32_t i = 0; i < 16; i++) { /* rank r: group r % 4, pair r / 8 of it */
        uint32_t step = i < 8 ? 4 : 8;

        from[i] = i < 8 ? i % 4 + 8 * (i / 4) : i - 8;
        to[i] = from[i] + step;
        bytes[i] = i < 8 ? 100 : 10;
        start[i] = 4 * (i % 4) + (i / 4 * 3 + 1) % 4; /* the right node, wrong cores */
    }
    assert_int_equal(topomap_graph_new(16, 16, from, to, bytes, NULL, &graph, &err), 0);
    exchanged = start[0];
    start[0] = start[13];
    start[13] = exchanged;
    for (int k = 0; k < 2; k++) {
        topomap_mapping *mapping =
            k ? refined(graph, machine, start) : map(graph, machine, "two-stage");

        if (mapping->J != 8 * 100 * 1 + 8 * 10 * 10)
            fail_msg("%s: J %g", mapping->algorithm, mapping->J);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(machine);
}

/* The thesis' grids on nodes of 24 cores: one to one at every size, at 225 and 361 too, where its
 * partitioner was not. */
static void two_stages_are_one_to_one(void **state)
{
    static const struct {
        uint32_t side, nodes;
    } set[] = {{8, 3}, {10, 5}, {12, 6}, {15, 10}, {19, 16}};

    (void)state;
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        char pattern[64], spec[64];
        uint8_t seen[16 * 24] = {0};
        topomap_graph *graph;
        topomap_machine *machine;
        topomap_mapping *mapping;

        snprintf(pattern, sizeof pattern, "stencil2d:9:%ux%u,periodic", set[i].side, set[i].side);
        snprintf(spec, sizeof spec, "tree:6:2:2:%u@1:2:3:20,node=3", set[i].nodes);
        graph = graph_of(pattern);
        machine = map_machine(spec);
        mapping = map(graph, machine, "two-stage");
        assert_int_equal(mapping->ranks, set[i].side * set[i].side);
        for (uint32_t r = 0; r < mapping->ranks; r++) {
            assert_true(mapping->slot_of_rank[r] < set[i].nodes * 24);
            assert_int_equal(seen[mapping->slot_of_rank[r]]++, 0);
        }
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(machine);
    }
}

static void refused(const char *what, const char *spec, const char *algorithm, const char *part)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = algorithm};
    topomap_machine *machine = map_machine(spec);
    topomap_graph *graph = graph_of(what);
    topomap_mapping *mapping;
    topomap_error err;

    assert_int_equal(topomap_map(graph, machine, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    if (!message_has(err.text, part))
        fail_msg("%s", err.text);
    topomap_graph_free(graph);
    topomap_machine_free(machine);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refused("alltoall:group=12,n=12", "mesh:4x3", "mxovlp", "is none");
    refused("stencil2d:5:4x6", "mesh:4x3x2", "mxov-al", "'stack'");
    refused("stencil2d:5:4x3", "mesh:4x3", "fold", "'affn'");
    refused("stencil2d:5:4x3", "tree:12", "mht", "works on: torus,mesh");
}

static void coordinates_and_back(void **state)
{
    topomap_machine *machine = map_machine("torus:4x3x2*5,wrap=x"), *tree = map_machine("tree:4:2");
    uint32_t dim[8], coord[8];
    uint8_t wrap[8];
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_machine_dimensions(machine, dim, wrap), 3);
    assert_int_equal(dim[0] * 100 + dim[1] * 10 + dim[2], 432);
    assert_true(wrap[0] && !wrap[1] && !wrap[2]);
    for (uint32_t s = 0; s < topomap_machine_slots(machine); s++) {
        assert_int_equal(topomap_machine_coordinates(machine, s, coord, &err), 0);
        assert_int_equal(coord[0] + 4 * (coord[1] + 3 * coord[2]), s / 5);
        assert_int_equal(topomap_machine_slot_at(machine, coord), s / 5 * 5);
    }
    coord[0] = 4;
    assert_int_equal(topomap_machine_slot_at(machine, coord), UINT32_MAX);
    assert_int_equal(topomap_machine_coordinates(machine, 120, coord, &err), -1);
    assert_int_equal(topomap_machine_dimensions(tree, NULL, NULL), 0);
    assert_int_equal(topomap_machine_coordinates(tree, 0, coord, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_machine_slot_at(tree, coord), UINT32_MAX);
    topomap_machine_free(machine);
    topomap_machine_free(tree);
}

/* Grids on machines of every shape, larger ones too, with holes and several slots a node. */
static void grids_on_every_shape(void **state)
{
    static const char *const graphs[] = {"stencil2d:5:9x5", "stencil2d:9:4x10,periodic",
                                         "stencil2d:5:2x18"};
    static const char *const shapes[] = {"mesh:9x5",        "torus:8x6",   "mesh:4x3*4",
                                         "torus:46",        "torus:4x4x3", "mesh:3x4x2*2",
                                         "torus:7x7,wrap=y"};
    static const char *const names[] = {"mxovlp", "mxov-al", "affn", "coce",
                                        "exco",   "stack",   "fold", "chain"};
    char holes[512];

    (void)state;
    snprintf(holes, sizeof holes, "torus:9x7x1*5,alloc=%s",
             scratch_text("holes", "3\n1\n62\n17\n18\n40\n41\n42\n5\n9\n"));
    for (size_t g = 0; g < 3; g++)
        for (size_t s = 0; s < 8; s++)
            for (size_t a = 0; a < 8; a++) {
                topomap_graph *graph = graph_of(graphs[g]);
                topomap_machine *m = map_machine(s < 7 ? shapes[s] : holes);
                topomap_map_options options = {.size = sizeof options, .algorithm = names[a]};
                topomap_mapping *mapping;
                topomap_error err;
                int solid = s == 4 || s == 5, stacks = a == 5 || a == 6;
                uint8_t seen[64] = {0};
                int status = topomap_map(graph, m, &options, &mapping, &err);

                assert_true(m->slots <= 64);
                assert_int_equal(status != 0, (stacks && !solid) || (a < 2 && solid));
                for (uint32_t i = 0; status == 0 && i < m->slots; i++)
                    assert_int_equal(seen[mapping->slot_of_rank[i]]++, 0);
                if (status == 0)
                    topomap_mapping_free(mapping);
                topomap_graph_free(graph);
                topomap_machine_free(m);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_next_is_the_nearest),
        cmocka_unit_test(grids_are_found),
        cmocka_unit_test(overlap_as_in_the_slides),
        cmocka_unit_test(affine_stretches),
        cmocka_unit_test(equal_grids_stay_as_they_are),
        cmocka_unit_test(folding_faces_neighbours),
        cmocka_unit_test(chain_by_prefix_sums),
        cmocka_unit_test(irregular_graphs_keep_neighbours_near),
        cmocka_unit_test(two_stages_find_nodes_and_cores),
        cmocka_unit_test(two_stages_are_one_to_one),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(coordinates_and_back),
        cmocka_unit_test(grids_on_every_shape),
    };

    return cmocka_run_group_tests_name("mesh_map", tests, scratch_setup, scratch_teardown);
}
