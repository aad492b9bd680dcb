/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "fabric/network.h"
#include "machine/closeness.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

static topomap_machine *parsed(const char *format, const char *path)
{
    topomap_machine *machine = NULL;
    topomap_error err;
    char spec[512];

    snprintf(spec, sizeof spec, format, path);
    if (topomap_machine_parse(spec, &machine, &err) != 0)
        fail_msg("%s", err.text);
    return machine;
}

static void assert_refused(const char *spec, enum topomap_code code, const char *expected)
{
    topomap_machine *machine = NULL;
    topomap_error err;

    if (topomap_machine_parse(spec, &machine, &err) == 0)
        fail_msg("%s was accepted", spec);
    assert_null(machine);
    assert_int_equal(err.code, code);
    if (!message_has(err.text, expected))
        fail_msg("'%s' does not say '%s'", err.text, expected);
}

/* VieM's example hierarchy 4:16:8 with distances 1:10:100. */
static void tree_distances(void **state)
{
    topomap_machine *m = parsed("tree:4:16:8@1:10:100", "");

    (void)state;
    assert_int_equal(topomap_machine_slots(m), 512);
    assert_int_equal(topomap_machine_nodes(m), 128);
    assert_true(topomap_machine_distance(m, 5, 5) == 0.0);
    assert_true(topomap_machine_distance(m, 0, 3) == 1.0);
    assert_true(topomap_machine_distance(m, 3, 4) == 10.0);
    assert_true(topomap_machine_distance(m, 63, 64) == 100.0);
    assert_int_equal(topomap_machine_hops(m, 0, 3), 0);
    assert_int_equal(topomap_machine_hops(m, 3, 4), 2);
    assert_int_equal(topomap_machine_hops(m, 63, 64), 4);
    topomap_machine_free(m);
}

/* node=2 makes the first two levels one node; only the listed nodes exist, in the file's order. */
static void tree_of_listed_nodes(void **state)
{
    topomap_machine *m = parsed("tree:4:16:16:8@1:10:40:100,node=2,alloc=%s",
                                scratch_text("nodes", "17\n3\n0\n16\n"));

    (void)state;
    assert_int_equal(topomap_machine_nodes(m), 4);
    assert_int_equal(topomap_machine_slots(m), 256);
    assert_true(topomap_machine_distance(m, 0, 63) == 10.0);
    assert_true(topomap_machine_distance(m, 0, 64) == 100.0);         /* 17 and 3 */
    assert_true(topomap_machine_distance(m, 0, 3 * 64) == 40.0);      /* 17 and 16 */
    assert_true(topomap_machine_distance(m, 64, 2 * 64 + 5) == 40.0); /* 3 and 0 */
    assert_int_equal(topomap_machine_hops(m, 0, 63), 0);
    assert_int_equal(topomap_machine_hops(m, 0, 3 * 64), 2);
    assert_int_equal(topomap_machine_hops(m, 0, 64), 4);
    topomap_machine_free(m);
}

static void torus_and_mesh_distances(void **state)
{
    topomap_machine *m = parsed("torus:5x4", "");

    (void)state;
    assert_string_equal(topomap_machine_kind(m), "torus");
    assert_true(topomap_machine_distance(m, 0, 4) == 1.0); /* x wraps: 0 and 4 of 5 */
    assert_true(topomap_machine_distance(m, 0, 2) == 2.0);
    assert_true(topomap_machine_distance(m, 0, 15 + 3) == 3.0); /* (3,3): 2 + 1 */
    topomap_machine_free(m);
    m = parsed("mesh:5x4", "");
    assert_string_equal(topomap_machine_kind(m), "mesh");
    assert_true(topomap_machine_distance(m, 0, 4) == 4.0);
    assert_int_equal(topomap_machine_hops(m, 0, 19), 7);
    topomap_machine_free(m);
    m = parsed("torus:5x4*2@1:10,wrap=y,base=27,routers=2", "");
    assert_int_equal(topomap_machine_slots(m), 80);
    assert_true(topomap_machine_distance(m, 0, 1) == 1.0);   /* one node */
    assert_true(topomap_machine_distance(m, 0, 2) == 27.0);  /* one router: no hop, but the base */
    assert_true(topomap_machine_distance(m, 0, 16) == 67.0); /* x does not wrap: 4 hops */
    topomap_machine_free(m);
}

/* The numbering of the bench instances: slot p is on the (p / slots)-th listed node. */
static void torus_of_listed_nodes(void **state)
{
    topomap_machine *m =
        parsed("torus:12x12x12*8@1:10,alloc=%s", scratch_text("torus-nodes", "0\n11\n1727\n"));

    (void)state;
    assert_int_equal(topomap_machine_slots(m), 24);
    assert_true(topomap_machine_distance(m, 0, 7) == 1.0);
    assert_true(topomap_machine_distance(m, 7, 8) == 10.0);  /* x 0 and 11 */
    assert_true(topomap_machine_distance(m, 0, 16) == 30.0); /* corner to corner, all wrapping */
    topomap_machine_free(m);
}

static void matrix_distances(void **state)
{
    topomap_machine *m =
        parsed("matrix:%s*2@1", scratch_text("matrix", "# three\n0 5 7\n5 0 2.5\n7 2.5 0\n"));

    (void)state;
    assert_int_equal(topomap_machine_slots(m), 6);
    assert_true(topomap_machine_distance(m, 0, 1) == 1.0);
    assert_true(topomap_machine_distance(m, 1, 2) == 5.0);
    assert_true(topomap_machine_distance(m, 3, 4) == 2.5);
    topomap_machine_free(m);
}

/* Its second and its last row, in the file's order. */
static void matrix_of_listed_nodes(void **state)
{
    char spec[512];
    topomap_machine *m;

    (void)state;
    snprintf(spec, sizeof spec, "matrix:%s*2@1,alloc=%%s",
             scratch_text("matrix", "0 5 7\n5 0 2.5\n7 2.5 0\n"));
    m = parsed(spec, scratch_text("rows", "2\n0\n"));
    assert_int_equal(topomap_machine_nodes(m), 2);
    assert_int_equal(topomap_machine_slots(m), 4);
    assert_true(topomap_machine_distance(m, 0, 1) == 1.0);
    assert_true(topomap_machine_distance(m, 1, 2) == 7.0);
    topomap_machine_free(m);
    snprintf(spec, sizeof spec, "matrix:%s,alloc=%s", scratch_text("small", "0 1\n1 0\n"),
             scratch_text("third", "2\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "node 2");
}

/* Slots of a leaf are its node, at no cost, as a torus's are; or at one that is before the others.
 */
static void tree_of_several_slots_a_leaf(void **state)
{
    topomap_machine *m = parsed("tree:4:4:4*2@1:10:100", "");

    (void)state;
    assert_int_equal(topomap_machine_slots(m), 128);
    assert_int_equal(topomap_machine_nodes(m), 64);
    assert_true(topomap_machine_distance(m, 0, 1) == 0.0);
    assert_true(topomap_machine_distance(m, 1, 2) == 1.0);
    assert_true(topomap_machine_distance(m, 7, 8) == 10.0);
    assert_true(topomap_machine_distance(m, 0, 127) == 100.0);
    topomap_machine_free(m);
    m = parsed("tree:4:4*2@0.5:1:10", "");
    assert_true(topomap_machine_distance(m, 0, 1) == 0.5);
    assert_true(topomap_machine_distance(m, 1, 2) == 1.0);
    topomap_machine_free(m);
    assert_refused("tree:4:4*2@1", TOPOMAP_EUSAGE, "2 levels need 2 costs");
    assert_refused("tree:4:4*2@1:2:3:4", TOPOMAP_EUSAGE, "2 levels need 2 costs");
}

static void levels_name_every_pair(void **state)
{
    static const char *const specs[] = {"tree:2:3:2", "torus:4x3*2@1:10", "mesh:3x3x2"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        topomap_machine *m = parsed(specs[i], "");
        uint32_t n = topomap_machine_slots(m);

        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++) {
                uint32_t level = topomap_machine_level_of(m, p, q);

                assert_true(level < topomap_machine_levels(m));
                assert_non_null(topomap_machine_level_name(m, level));
                assert_true(topomap_machine_distance(m, p, q) == topomap_machine_distance(m, q, p));
            }
        topomap_machine_free(m);
    }
}

/* More nodes than slots: most of them have none. */
static void nodes_may_be_empty(void **state)
{
    static const uint32_t per_node[] = {0, 0, 0, 2, 0, 1, 0}, site[7] = {0};
    static const float cost[] = {20};
    topomap_machine *m;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_machine_frame(7, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 6, m->node_of, &err), 0);
    assert_int_equal(topomap_machine_set_matrix(m, "fabric", 1, site, cost, NULL, &err), 0);
    if (topomap_machine_finish(m, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(topomap_machine_distance(m, 0, 1) == 6.0);
    assert_true(topomap_machine_distance(m, 0, 2) == 20.0);
    topomap_machine_free(m);
}

/* Hoefler & Snir, section 5.3.2: diameter 3, 7 LL and 24 LR links a node, at most 9 D links. */
static void percs_is_the_papers(void **state)
{
    topomap_machine *m = NULL, *again = NULL;
    topomap_error err;
    uint32_t d_links = 0;

    (void)state;
    assert_int_equal(topomap_machine_parse("percs:supernodes=5,links=60", &m, &err), 0);
    assert_int_equal(topomap_machine_parse("percs:supernodes=5,links=60,seed=2", &again, &err), 0);
    assert_int_equal(topomap_machine_nodes(m), 160);
    for (uint32_t a = 0; a < 160; a++) {
        const topomap_network *n = m->network;
        uint32_t inside = 0, outside = 0;

        for (uint32_t link = n->first[a]; link < n->first[a + 1]; link++) {
            double gib = n->capacity[link] / 1073741824.0;

            if (n->head[link] / 32 != a / 32) {
                outside += n->cables[link];
                assert_true(gib == 10.0 * n->cables[link]);
            } else {
                inside++;
                assert_true(gib == (n->head[link] / 8 == a / 8 ? 24.0 : 5.0));
            }
        }
        assert_int_equal(inside, 31);
        assert_true(outside <= 9);
        d_links += outside;
        for (uint32_t b = 0; b < 160; b++) {
            const uint32_t hops = topomap_machine_hops(m, a, b);

            assert_true(hops >= (a != b) && hops <= (a == b ? 0 : a / 32 == b / 32 ? 1 : 3));
        }
    }
    assert_int_equal(d_links, 2 * 60 * 10);
    assert_true(again->network->links != m->network->links ||
                memcmp(again->network->head, m->network->head, m->network->links * 4) != 0);
    /* LR is the reference; LL costs 5/24 of it, and a D link half. */
    assert_true(topomap_machine_distance(m, 0, 8) == 1.0);
    assert_true(fabs(topomap_machine_distance(m, 0, 1) - 0.208) < 1e-6);
    topomap_machine_free(m);
    topomap_machine_free(again);
}

/* Two rails of different rates: the fast one is the cheaper of two equally short ways. A node
 * without links is two hops beyond the rest. */
static void links_have_rails_and_gaps(void **state)
{
    static const char text[] = "# hosts: a,b,c,d\n"
                               "a,1,s,1,100\na,2,t,1,50\nb,1,s,2,100\nb,2,t,2,50\n"
                               "c,1,t,3,50\ns,9,t,9,100\n";
    topomap_machine *m = NULL;
    topomap_error err;
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "links:%s*2@1:10", scratch_text("rails.csv", text));
    if (topomap_machine_parse(spec, &m, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(topomap_machine_slots(m), 8);
    assert_string_equal(topomap_machine_node_name(m, 2), "c");
    assert_true(topomap_machine_distance(m, 0, 1) == 1.0);
    assert_true(topomap_machine_distance(m, 0, 2) == 20.0); /* s */
    assert_true(topomap_machine_distance(m, 0, 4) == 40.0); /* t, both links of half the rate */
    assert_int_equal(topomap_machine_hops(m, 0, 4), 2);
    assert_int_equal(topomap_machine_hops(m, 0, 6), 4); /* d */
    assert_true(topomap_machine_distance(m, 0, 6) == 60.0);
    assert_string_equal(m->network->unit, "s");
    assert_true(m->network->capacity[topomap_network_link(m->network, 0, 4)] == 12.5e9);
    topomap_machine_free(m);
}

static void bad_specs_are_refused(void **state)
{
    (void)state;
    assert_refused("ring:8", TOPOMAP_EUSAGE, "tree:");
    assert_refused("tree:", TOPOMAP_EUSAGE, "expected");
    assert_refused("tree:4:0:8", TOPOMAP_EUSAGE, "group sizes");
    assert_refused("tree:4:16@1", TOPOMAP_EUSAGE, "2 costs");
    assert_refused("tree:4:16@1:x", TOPOMAP_EUSAGE, "expected");
    assert_refused("tree:65536:65536:65536", TOPOMAP_EUSAGE, "more than");
    assert_refused("tree:4:4,node=3", TOPOMAP_EUSAGE, "node=");
    assert_refused("tree:4:4,wrap=x", TOPOMAP_EUSAGE, "unknown key 'wrap'");
    assert_refused("torus:4x", TOPOMAP_EUSAGE, "dimensions");
    assert_refused("torus:70000", TOPOMAP_EUSAGE, "more than");
    assert_refused("torus:4x4,wrap=z", TOPOMAP_EUSAGE, "letters of 'xy'");
    assert_refused("torus:4x4,base=-1", TOPOMAP_EUSAGE, "base=");
    assert_refused("torus:4x4@1:2:3", TOPOMAP_EUSAGE, "@HOP");
    assert_refused("torus:4x4,alloc=/nonexistent/file", TOPOMAP_EINPUT, "/nonexistent/file");
}

static void bad_files_are_refused_with_their_line(void **state)
{
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "torus:4x4,alloc=%s", scratch_text("far", "1\n16\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "far:2:|node 16");
    snprintf(spec, sizeof spec, "torus:4x4,alloc=%s", scratch_text("twice", "1\n2\n1\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "twice:3:|node 1");
    snprintf(spec, sizeof spec, "torus:4x4,alloc=%s", scratch_text("words", "one\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "words:1:|node");
    snprintf(spec, sizeof spec, "torus:4x4,alloc=%s", scratch_text("empty", ""));
    assert_refused(spec, TOPOMAP_EINPUT, "found none");
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("lopsided", "0 1\n2 0\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "direction");
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("short", "0 1 2\n1 0 2\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "rows|columns");
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("ragged", "0 1\n1 0 3\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "ragged:2:|2 distances");
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("self", "1 1\n1 0\n"));
    assert_refused(spec, TOPOMAP_EINPUT, "itself");
}

/* Two leaf switches of three nodes: joining finds them as cliques, not as chains. */
static void joining_finds_many_way_groups(void **state)
{
    float distance[36];
    topomap_joining tree;
    topomap_error err;

    (void)state;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            distance[a * 6 + b] = a == b ? 0 : a % 2 == b % 2 ? 2 : 4;
    assert_int_equal(topomap_joining_build(6, distance, &tree, &err), 0);
    assert_int_equal(tree.vertices, 9);
    assert_int_equal(tree.first_child[7] - tree.first_child[6], 3);
    assert_int_equal(tree.child[tree.first_child[6]], 0);
    assert_int_equal(tree.child[tree.first_child[6] + 1], 2);
    assert_int_equal(tree.child[tree.first_child[6] + 2], 4);
    assert_int_equal(tree.first_child[9] - tree.first_child[8], 2);
    topomap_joining_clear(&tree);
}

/* On a line every node is one hop from the next; the closure at one hop would join them all. */
static void joining_of_a_line_is_binary(void **state)
{
    enum { N = 8 };
    float distance[N * N];
    topomap_joining tree;
    topomap_error err;

    (void)state;
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            distance[a * N + b] = (float)abs(a - b);
    assert_int_equal(topomap_joining_build(N, distance, &tree, &err), 0);
    for (uint32_t v = N; v < tree.vertices; v++)
        assert_int_equal(tree.first_child[v + 1] - tree.first_child[v], 2);
    topomap_joining_clear(&tree);
}

static void vicinity_of_a_torus_is_one_hop(void **state)
{
    topomap_machine *m = parsed("torus:4x5", "");
    topomap_vicinity near;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_vicinity_build(m, 64, &near, &err), 0);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(near.first[i + 1] - near.first[i], 4);
        for (uint32_t k = near.first[i]; k < near.first[i + 1]; k++)
            assert_int_equal(topomap_machine_hops(m, i, near.node[k]), 1);
    }
    topomap_vicinity_clear(&near);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_distances),
        cmocka_unit_test(tree_of_listed_nodes),
        cmocka_unit_test(torus_and_mesh_distances),
        cmocka_unit_test(torus_of_listed_nodes),
        cmocka_unit_test(matrix_distances),
        cmocka_unit_test(matrix_of_listed_nodes),
        cmocka_unit_test(tree_of_several_slots_a_leaf),
        cmocka_unit_test(levels_name_every_pair),
        cmocka_unit_test(nodes_may_be_empty),
        cmocka_unit_test(percs_is_the_papers),
        cmocka_unit_test(links_have_rails_and_gaps),
        cmocka_unit_test(bad_specs_are_refused),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(joining_finds_many_way_groups),
        cmocka_unit_test(joining_of_a_line_is_binary),
        cmocka_unit_test(vicinity_of_a_torus_is_one_hop),
    };

    return cmocka_run_group_tests_name("machine", tests, scratch_setup, scratch_teardown);
}
