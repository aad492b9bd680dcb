/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of the registry on random machines and graphs of every odd kind: uneven nodes,
 * scattered allocations, empty slots, one node, disconnected and empty graphs, loads, self-loops,
 * weights from 1 to 2^60, complete graphs. It maps, truly and twice alike, or it says why not. */
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
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

enum { MOST = 96 };

static uint32_t draw(topomap_random *random, uint32_t from, uint32_t to)
{
    return from + topomap_random_below(random, to - from + 1);
}

/* ---- Machines ------------------------------------------------------------------------------ */

/* A file that lists some of \p nodes, at least one. */
static const char *scattered(topomap_random *random, uint32_t nodes)
{
    char text[4096] = "", line[16];
    uint32_t keep = draw(random, 0, nodes - 1);

    for (uint32_t i = 0; i < nodes; i++)
        if (i == keep || draw(random, 0, 2)) {
            snprintf(line, sizeof line, "%u\n", i);
            strcat(text, line);
        }
    return scratch_text("alloc", text);
}

static topomap_machine *made_tree(topomap_random *random)
{
    uint32_t levels = draw(random, 1, 4), node = draw(random, 1, levels), nodes = 1, slots = 1;
    char sizes[64] = "", costs[64] = "", spec[512], word[32];

    for (uint32_t l = 0, cost = 0; l < levels; l++) {
        uint32_t size = draw(random, 1, slots > 24 ? 1 : 4);

        cost += draw(random, 1, 9);
        slots *= size;
        nodes *= l < node ? 1 : size;
        snprintf(word, sizeof word, "%s%u", l ? ":" : "", size);
        strcat(sizes, word);
        snprintf(word, sizeof word, "%s%u", l ? ":" : "", cost);
        strcat(costs, word);
    }
    snprintf(spec, sizeof spec, "tree:%s@%s,node=%u", sizes, costs, node);
    if (nodes > 1 && draw(random, 0, 1))
        snprintf(spec, sizeof spec, "tree:%s@%s,node=%u,alloc=%s", sizes, costs, node,
                 scattered(random, nodes));
    return map_machine(spec);
}

static topomap_machine *made_grid(topomap_random *random)
{
    uint32_t dims = draw(random, 1, 4), nodes = 1, per_node = draw(random, 1, 3);
    char sizes[64] = "", spec[512], word[32];

    for (uint32_t d = 0; d < dims; d++) {
        uint32_t size = draw(random, 1, nodes > 8 ? 2 : 5);

        nodes *= size;
        snprintf(word, sizeof word, "%s%u", d ? "x" : "", size);
        strcat(sizes, word);
    }
    snprintf(spec, sizeof spec, "%s:%s*%u@%u:%u,base=%u,alloc=%s",
             draw(random, 0, 1) ? "torus" : "mesh", sizes, nodes > 32 ? 1 : per_node,
             draw(random, 1, 3), draw(random, 1, 10), draw(random, 0, 4), scattered(random, nodes));
    return map_machine(spec);
}

static topomap_machine *made_fabric(topomap_random *random)
{
    static const char *const specs[] = {
        "fattree:k=4,levels=3*2@1:10",    "fattree:leaves=3,hosts=5",
        "fattree:leaves=2,hosts=4*3@1:7", "dragonfly:p=1,a=2,h=1",
        "dragonfly:p=2,a=2,h=2*2@1:10",   "percs:supernodes=2"};

    return map_machine(specs[draw(random, 0, sizeof specs / sizeof specs[0] - 1)]);
}

/* Nodes of 0 to 5 slots, in nested groups, on a torus or at the sites of a matrix. */
static topomap_machine *made_uneven(topomap_random *random)
{
    uint32_t nodes = draw(random, 1, 14), per_node[14], group[MOST], half[14], all[14] = {0};
    topomap_machine *m;
    topomap_error err;

    for (uint32_t i = 0; i < nodes; i++) {
        per_node[i] = i ? draw(random, 0, 5) : draw(random, 1, 5);
        half[i] = i / 3;
    }
    assert_int_equal(topomap_machine_frame(nodes, per_node, NULL, &m, &err), 0);
    for (uint32_t s = 0; s < m->slots; s++)
        group[s] = m->slot_first[m->node_of[s]] + (s - m->slot_first[m->node_of[s]]) / 2;
    assert_int_equal(topomap_machine_add_inner(m, "package", 2, group, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 6, m->node_of, &err), 0);
    if (draw(random, 0, 2) == 0) {
        assert_int_equal(topomap_machine_add_outer(m, "leaf", 20, 2, half, &err), 0);
        assert_int_equal(topomap_machine_add_outer(m, "all", 40, 4, all, &err), 0);
    } else if (draw(random, 0, 1)) {
        static const uint8_t wrap[] = {1, 0};
        uint32_t dim[] = {draw(random, 1, 6), draw(random, 1, 5)};
        uint16_t coord[2 * 14];

        for (uint32_t i = 0; i < nodes; i++) { /* some share a router */
            coord[2 * i] = (uint16_t)draw(random, 0, dim[0] - 1);
            coord[2 * i + 1] = (uint16_t)draw(random, 0, dim[1] - 1);
        }
        assert_int_equal(topomap_machine_set_torus(m, 2, dim, wrap, coord, 3, 10, 2, &err), 0);
    } else {
        static const float cost[] = {20, 40, 60, 40, 20, 60, 60, 60, 20};
        uint32_t site[14];

        for (uint32_t i = 0; i < nodes; i++)
            site[i] = i % 3;
        assert_int_equal(topomap_machine_set_matrix(m, "matrix", 3, site, cost, NULL, &err), 0);
    }
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

static topomap_machine *made_machine(topomap_random *random)
{
    topomap_machine *(*const make[])(topomap_random *) = {made_tree, made_grid, made_fabric,
                                                          made_uneven, made_uneven};

    return make[draw(random, 0, sizeof make / sizeof make[0] - 1)](random);
}

/* ---- Graphs -------------------------------------------------------------------------------- */

enum shape { EMPTY, SPARSE, PARTS, COMPLETE, HUGE_WEIGHTS, GRID, SHAPES };

static topomap_graph *made_graph(topomap_random *random, uint32_t slots, enum shape shape)
{
    uint32_t ranks = draw(random, 0, 1) ? slots : draw(random, 1, slots), arcs = 0;
    uint32_t width = draw(random, 1, 5);
    uint32_t *from = calloc(MOST * MOST, sizeof *from), *to = calloc(MOST * MOST, sizeof *to);
    uint64_t *bytes = calloc(MOST * MOST, sizeof *bytes);
    topomap_graph *graph;
    topomap_error err;

    if (shape == GRID && ranks > width)
        ranks -= ranks % width;
    for (uint32_t u = 0; u < ranks; u++)
        for (uint32_t v = 0; v < ranks; v++) { /* u == v: a self-loop */
            uint32_t gap = u > v ? u - v : v - u;
            int is_there = shape == COMPLETE ? 1
                           : shape == PARTS  ? u % 3 == v % 3 && gap < 8
                           : shape == GRID   ? gap == width || (gap == 1 && u / width == v / width)
                           : shape == EMPTY  ? 0
                                             : draw(random, 0, ranks) < 3;

            if (!is_there)
                continue;
            from[arcs] = u;
            to[arcs] = v;
            bytes[arcs] =
                shape == HUGE_WEIGHTS && arcs < 5 ? (uint64_t)1 << 60 : draw(random, 1, 1000);
            arcs++;
        }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}

/* The same with a load for each rank, as METIS files have them; some are 0. */
static void add_loads(topomap_random *random, topomap_graph **graph)
{
    uint32_t ranks = topomap_graph_ranks(*graph);
    char text[16 * MOST], word[32];
    topomap_error err;

    snprintf(text, sizeof text, "%u 0 010\n", ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        snprintf(word, sizeof word, "%u\n", draw(random, 0, 9));
        strcat(text, word);
    }
    topomap_graph_free(*graph);
    if (topomap_graph_read(scratch_text("loads.graph", text), "metis", graph, &err) != 0)
        fail_msg("%s", err.text);
}

/* ---- The walk ------------------------------------------------------------------------------ */

static void check_permutation(const char *name, const topomap_mapping *mapping, uint32_t slots)
{
    uint8_t *seen = calloc(slots, 1);

    for (uint32_t v = 0; v < slots; v++) {
        assert_true(mapping->slot_of_rank[v] < slots);
        if (seen[mapping->slot_of_rank[v]]++)
            fail_msg("%s: slot %u twice", name, mapping->slot_of_rank[v]);
    }
    free(seen);
}

static void check_mapping(const char *name, const topomap_graph *graph, const topomap_machine *m,
                          const topomap_mapping *mapping)
{
    topomap_cost cost;
    topomap_error err;

    check_permutation(name, mapping, topomap_machine_slots(m));
    assert_int_equal(topomap_cost_evaluate(graph, m, mapping->slot_of_rank, &cost, &err), 0);
    if (fabs(cost.J - mapping->J) > 1e-9 * (1 + cost.J))
        fail_msg("%s: J %g, said %g", name, cost.J, mapping->J);
    assert_true(cost.lower_bound <= cost.J * (1 + 1e-12));
    topomap_cost_clear(&cost);
}

/* As the registry takes a row's words: what has links, or is nothing but distances, is a fabric. */
static int works_on(const topomap_algorithm *row, const topomap_machine *m)
{
    return strstr(row->machines, topomap_machine_kind(m)) ||
           ((m->network || m->kind == TOPOMAP_MACHINE_MATRIX) && strstr(row->machines, "fabric"));
}

/* Conditions that rows state themselves, besides the kinds of machine: grids, equal groups, links,
 * a dragonfly whose groups are known. */
static void check_refusal(const char *name, const topomap_algorithm *row, const topomap_machine *m,
                          const topomap_error *err)
{
    static const char *const conditions[] = {"grid",       "size",   "links",
                                             "recognised", "divide", "groups"};
    enum { CONDITIONS = sizeof conditions / sizeof *conditions };
    size_t i = 0;

    assert_int_equal(err->code, TOPOMAP_EUSAGE);
    if (!works_on(row, m) && message_has(err->text, "works on"))
        return;
    while (i < CONDITIONS && !message_has(err->text, conditions[i]))
        i++;
    if (i == CONDITIONS)
        fail_msg("%s: %s", name, err->text);
}

static int check_name(const char *name, const topomap_algorithm *row, const topomap_graph *graph,
                      const topomap_machine *m, int inter_only)
{
    topomap_map_options options = {
        .size = sizeof options, .algorithm = name, .seed = 5, .inter_only = inter_only};
    topomap_mapping *one = NULL, *two = NULL;
    topomap_error err;

    if (topomap_map(graph, m, &options, &one, &err) != 0) {
        check_refusal(name, row, m, &err);
        return 0;
    }
    assert_true(works_on(row, m));
    check_mapping(name, graph, m, one);
    assert_int_equal(topomap_map(graph, m, &options, &two, &err), 0);
    assert_memory_equal(one->slot_of_rank, two->slot_of_rank,
                        topomap_machine_slots(m) * sizeof(uint32_t));
    topomap_mapping_free(one);
    topomap_mapping_free(two);
    return 1;
}

/* Groups of a node's size want nodes of one size, and that is all that they want. */
static void check_groups(const topomap_graph *graph, const topomap_machine *m)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = "tree,grouped=1"};
    uint32_t size = 0, uneven = 0;
    topomap_mapping *mapping;
    topomap_error err;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t own = m->slot_first[i + 1] - m->slot_first[i];

        uneven |= own && size && own != size;
        size = own ? own : size;
    }
    if (topomap_map(graph, m, &options, &mapping, &err) != 0) {
        assert_true(uneven && message_has(err.text, "slots"));
        return;
    }
    assert_false(uneven);
    check_mapping(options.algorithm, graph, m, mapping);
    topomap_mapping_free(mapping);
}

/* Rank order is a candidate: of ranks without loads no result is worse. */
static void check_auto(const topomap_graph *graph, const topomap_machine *m,
                       enum topomap_effort effort)
{
    topomap_map_options options = {
        .size = sizeof options, .effort = effort, .threads = 2, .seed = 3};
    topomap_mapping *mapping;
    topomap_error err;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("auto at %d: %s", (int)effort, err.text);
    check_mapping("auto", graph, m, mapping);
    assert_true(topomap_graph_load(graph) || mapping->J <= mapping->candidate[0].J);
    topomap_mapping_free(mapping);
}

static void every_row_maps_or_says_why_not(void **state)
{
    static const char *const refinements[] = {"swap", "n2",   "np",       "nc1",
                                              "nc2",  "nc10", "threshold"};
    uint32_t mapped[64] = {0};
    const topomap_algorithm *row;
    topomap_random random = {20260101};

    (void)state;
    for (uint32_t k = 0; k < 90; k++) {
        int grids = k % SHAPES == GRID; /* few random machines have three dimensions */
        topomap_machine *m = grids ? made_grid(&random) : made_machine(&random);
        topomap_graph *graph = made_graph(&random, topomap_machine_slots(m), k % SHAPES);

        assert_true(topomap_machine_slots(m) <= MOST);
        if (k % 7 == 0)
            add_loads(&random, &graph);
        for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++) {
            char name[64];

            snprintf(name, sizeof name, "%s+%s", row->name, refinements[(i + k) % 7]);
            if (!check_name(row->name, row, graph, m, k % 5 == 4))
                continue;
            mapped[i]++;
            if (strcmp(row->kind, "construct") == 0)
                assert_true(check_name(name, row, graph, m, k % 5 == 4));
        }
        check_groups(graph, m);
        check_auto(graph, m, TOPOMAP_FAST);
        check_auto(graph, m, TOPOMAP_DEFAULT);
        if (k < 2 * SHAPES || k % 7 == 0)
            check_auto(graph, m, TOPOMAP_STRONG);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
    for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++)
        if (mapped[i] < 1)
            fail_msg("%s has mapped %u times only", row->name, mapped[i]);
}

/* Of n ranks, a multiple of 256: on a tree, and what does not know trees on a torus, or knows
 * dragonflies alone; refinements begin with rank order. */
static void check_complete(uint32_t n, const char *only)
{
    char spec[64];
    topomap_machine *tree, *torus, *dragonfly;
    const topomap_algorithm *row;
    topomap_graph *graph;
    topomap_error err;

    snprintf(spec, sizeof spec, "tree:4:16:%u@1:10:100", n / 64);
    tree = map_machine(spec);
    snprintf(spec, sizeof spec, "torus:16x16x%u", n / 256);
    torus = map_machine(spec);
    snprintf(spec, sizeof spec, "dragonfly:p=4,a=4,h=2,groups=4*%u", n / 64);
    dragonfly = map_machine(spec);
    snprintf(spec, sizeof spec, "alltoall:group=%u,n=%u", n, n);
    assert_int_equal(topomap_graph_read(spec, NULL, &graph, &err), 0);
    for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++) {
        const topomap_machine *m = strstr(row->machines, "tree")    ? tree
                                   : strstr(row->machines, "torus") ? torus
                                                                    : dragonfly;
        topomap_map_options options = {.size = sizeof options, .algorithm = row->name};
        topomap_mapping *mapping;

        if ((only && strcmp(row->name, only) != 0) ||
            strstr("mxovlp mxov-al stack fold grid", row->name))
            continue;
        if (topomap_map(graph, m, &options, &mapping, &err) != 0)
            fail_msg("%s: %s", row->name, err.text);
        check_permutation(row->name, mapping, n);
        topomap_mapping_free(mapping);
    }
    topomap_graph_free(graph);
    topomap_machine_free(tree);
    topomap_machine_free(dragonfly);
    topomap_machine_free(torus);
}

/* Of 4,096 ranks, with 8,386,560 edges, each row takes some seconds: all of them only where
 * TOPOMAP_COMPLETE is set. What is O(edges * ranks) would take minutes. */
static void a_complete_graph(void **state)
{
    (void)state;
    check_complete(512, NULL);
#ifndef __SANITIZE_ADDRESS__
    check_complete(4096, getenv("TOPOMAP_COMPLETE") ? NULL : "auto");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_maps_or_says_why_not),
        cmocka_unit_test(a_complete_graph),
    };

    return cmocka_run_group_tests_name("bars", tests, scratch_setup, scratch_teardown);
}
