/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind an algorithm's comma, and the best of Bhatele's heuristics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "map/papers/papers.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

static void refused(const char *algorithm, enum topomap_code code, const char *expected)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = algorithm};
    topomap_machine *m = map_machine("mesh:4x2");
    topomap_graph *graph = map_graph(8, 12, 9, 1);
    topomap_mapping *mapping = NULL;
    topomap_error err;

    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, code);
    if (!message_has(err.text, expected))
        fail_msg("'%s' does not say '%s'", err.text, expected);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void parameters_are_checked(void **state)
{
    char name[512];

    (void)state;
    refused("np,block=1", TOPOMAP_EUSAGE, "2|4294967295|'1'");
    refused("np,block=99999999999999999999", TOPOMAP_EUSAGE, "from 2");
    refused("np,block=", TOPOMAP_EUSAGE, "from 2");
    refused("identity+np,blocks=4", TOPOMAP_EUSAGE, "blocks=4|block=N");
    refused("np,block", TOPOMAP_EUSAGE, "not 'block'");
    refused("mht,a=1", TOPOMAP_EUSAGE, "'mht'|'a=1'");
    refused("identity+anneal,heat=0", TOPOMAP_EUSAGE,
            "heat of 'anneal' is from 1 to 1000, not '0'");
    refused("anneal-hot,heat=1001", TOPOMAP_EUSAGE, "heat|'anneal-hot'|1|1000");
    refused("affn,coordinates=/no/such/file", TOPOMAP_EINPUT, "/no/such/file");
    snprintf(name, sizeof name, "affn,coordinates=%s", scratch_text("short", "1\n2\n"));
    refused(name, TOPOMAP_EINPUT, "2|8");
    snprintf(name, sizeof name, "affn,coordinates=%s", scratch_text("words", "1 2\n3 nan\n"));
    refused(name, TOPOMAP_EINPUT, ":2:|'nan'");
    snprintf(name, sizeof name, "affn,coordinates=%s", scratch_text("uneven", "1 2\n3\n"));
    refused(name, TOPOMAP_EINPUT, ":2:|1|2");
    snprintf(name, sizeof name, "affn,coordinates=%s",
             scratch_text("long", "1\n1\n1\n1\n1\n1\n1\n1\n1\n"));
    refused(name, TOPOMAP_EINPUT, ":9:|8");
}

/* Eight ranks in pairs 2i, 2i + 1: in blocks of two nothing is apart, in blocks of four 1 and 2 can
 * change places. By hand: 0 and 2, 1 and 3 talk; two slots a node, 1 inside and 10 across. */
static void the_block_is_that_of_np(void **state)
{
    static const uint32_t from[] = {0, 1}, to[] = {2, 3};
    static const uint64_t bytes[] = {1, 1};
    topomap_machine *m = map_machine("tree:2:4@1:10");
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(8, 2, from, to, bytes, NULL, &graph, &err), 0);
    assert_true(map_cost(graph, m, "identity") == 20.0);
    assert_true(map_cost(graph, m, "np,block=4") == 2.0);
    assert_true(map_cost(graph, m, "np,block=3,block=8") == 2.0);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* By hand: ranks 2i and 2i + 1 of 8 sit on one of 4 nodes in rank order, the pairs are (i, i + 4).
 * The groups of two that cut least are the pairs: 4 edges of 9 bytes at 1. */
static void groups_are_what_belongs_together(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 3}, to[] = {4, 5, 6, 7};
    static const uint64_t bytes[] = {9, 9, 9, 9};
    static const char *const specs[] = {"tree:2:4@1:10", "torus:4*2@1:10", "mesh:2x2*2@1:10",
                                        "fattree:leaves=2,hosts=2*2@1:10"};
    static const char *const larger[] = {"tree:3:4:5@1:10:100", "torus:5x4*3@1:10",
                                         "fattree:k=4,levels=3*4@1:10",
                                         "dragonfly:p=1,a=2,h=1*5@1:9"};
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(8, 4, from, to, bytes, NULL, &graph, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        topomap_machine *m = map_machine(specs[i]);

        assert_true(map_cost(graph, m, "tree,grouped=1") == 36.0);
        if (m->kind == TOPOMAP_MACHINE_TORUS) {
            assert_true(map_cost(graph, m, "rb,grouped=1") == 36.0);
            assert_true(map_cost(graph, m, "rb-wrap,grouped=1") == 36.0);
        }
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
    for (size_t i = 0; i < 4; i++) {
        topomap_machine *m = map_machine(larger[i]);
        uint32_t n = topomap_machine_slots(m);

        graph = map_graph(n - n / 7, 4 * n, 100, i);
        assert_true(map_cost(graph, m, "tree,grouped=1") < map_cost(graph, m, "random"));
        assert_true(map_cost(graph, m, "tree,grouped=0") == map_cost(graph, m, "tree"));
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

static uint32_t slot_of(const char *algorithm, const topomap_graph *graph, const topomap_machine *m,
                        uint32_t rank)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = algorithm};
    topomap_mapping *mapping;
    topomap_error err;
    uint32_t slot;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s: %s", algorithm, err.text);
    slot = mapping->slot_of_rank[rank];
    topomap_mapping_free(mapping);
    return slot;
}

/* AFFN stretches the bounding box of the given places, -30 to 40 and 1 to 2, over 4 x 2 processors:
 * a column is 70 / 4 wide. */
static void given_coordinates_are_stretched(void **state)
{
    static const uint32_t expected[] = {3, 2, 1, 0, 7, 6, 5, 4};
    topomap_machine *m = map_machine("mesh:4x2");
    topomap_graph *graph = map_graph(8, 20, 5, 2);
    char name[512];

    (void)state;
    snprintf(
        name, sizeof name, "affn,coordinates=%s",
        scratch_text("box", "# x y\n40 1\n20,1\n-1e0 1 \n-30 1.0\n 40\t2\n20 2\n-1 2\n-30 2\n"));
    for (uint32_t r = 0; r < 8; r++)
        assert_int_equal(slot_of(name, graph, m, r), expected[r]);
    memcpy(name, "coce", 4);
    for (uint32_t r = 0; r < 8; r += r == 0 || r == 4 ? 3 : 1) /* the extreme ones at the corners */
        if (r == 0 || r == 3 || r == 4 || r == 7)
            assert_int_equal(slot_of(name, graph, m, r), expected[r]);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static double hop_bytes(const char *algorithm, const topomap_graph *graph, const topomap_machine *m)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = algorithm, .seed = 4};
    topomap_mapping *mapping;
    topomap_cost cost;
    topomap_error err;
    double sum;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        return 1e300; /* does not take the graph */
    assert_int_equal(topomap_cost_evaluate(graph, m, mapping->slot_of_rank, &cost, &err), 0);
    sum = cost.hop_bytes;
    topomap_cost_clear(&cost);
    topomap_mapping_free(mapping);
    return sum;
}

static void bhatele_is_the_best_of_all(void **state)
{
    static const char *const names[] = {"mxovlp", "mxov-al", "coce", "exco", "affn",     "stack",
                                        "fold",   "chain",   "bft",  "mht",  "coce-mht", "brick"};
    static const struct {
        const char *graph, *machine;
    } cases[] = {{"stencil2d:5:9x8", "mesh:12x6"},   {"stencil2d:5:8x8", "mesh:4x4x4"},
                 {"stencil2d:9:6x4", "torus:4x3*2"}, {"ring:30", "mesh:5x6"},
                 {"stencil3d:7:3x4x5", "torus:8x8"}, {"alltoall:group=4,n=24", "mesh:5x5"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        topomap_machine *m = map_machine(cases[i].machine);
        topomap_graph *graph = graph_good(cases[i].graph, NULL);
        double best = hop_bytes("bhatele", graph, m), least = 1e300;

        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            double sum = hop_bytes(names[k], graph, m);

            least = sum < least ? sum : least;
        }
        assert_true(best == least);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* COCE and EXCO on a plane by themselves are what the rows make of the same grid and mesh. */
static void planes_grow_as_meshes_do(void **state)
{
    static const struct {
        const char *name;
        topomap_plane_heuristic heuristic;
    } cases[] = {{"coce", topomap_plane_coce}, {"exco", topomap_plane_exco}};
    topomap_machine *m = map_machine("mesh:7x5");
    topomap_graph *graph = graph_good("stencil2d:5:8x4,bytes=1", NULL);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint32_t at[2 * 32];
        topomap_error err;

        assert_int_equal(
            cases[i].heuristic((topomap_rectangle){8, 4}, (topomap_rectangle){7, 5}, at, &err), 0);
        for (uint32_t r = 0; r < 32; r++)
            assert_int_equal(at[2 * r] + 7 * at[2 * r + 1], slot_of(cases[i].name, graph, m, r));
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(the_block_is_that_of_np),
        cmocka_unit_test(groups_are_what_belongs_together),
        cmocka_unit_test(given_coordinates_are_stretched),
        cmocka_unit_test(bhatele_is_the_best_of_all),
        cmocka_unit_test(planes_grow_as_meshes_do),
    };

    return cmocka_run_group_tests_name("parameters", tests, scratch_setup, scratch_teardown);
}
