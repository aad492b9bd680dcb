/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines whose slots are GPUs: gpus:..., and rails of trees and matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fabric/network.h"
#include "machine/closeness.h"
#include "machine/machine.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

static topomap_machine *parsed(const char *format, const char *path)
{
    topomap_machine *machine = NULL;
    topomap_error err;
    char spec[512];

    snprintf(spec, sizeof spec, format, path);
    if (topomap_machine_parse(spec, &machine, &err))
        fail_msg("%s", err.text);
    return machine;
}

static double distance(const char *spec, uint32_t p, uint32_t q)
{
    topomap_machine *m = parsed(spec, "");
    double d = topomap_machine_distance(m, p, q);

    assert_true(topomap_machine_distance(m, q, p) == d);
    topomap_machine_free(m);
    return d;
}

static uint32_t hops(const char *spec, uint32_t p, uint32_t q)
{
    topomap_machine *m = parsed(spec, "");
    uint32_t h = topomap_machine_hops(m, p, q);

    topomap_machine_free(m);
    return h;
}

/* Eight GPUs a node behind NVSwitches, a rail each; units of 4 nodes, 2 of them a pod. */
static void rail_optimised(void **state)
{
    static const char spec[] = "gpus:nodes=16,gpus=8,rails=8,unit=4,pod=8";

    (void)state;
    assert_true(distance(spec, 0, 7) == 1);
    assert_true(distance(spec, 3, 8 + 3) == 20);     /* the same rail: one leaf */
    assert_true(distance(spec, 3, 8 + 4) == 21);     /* NVLink first, then that rail's leaf */
    assert_true(distance(spec, 3, 4 * 8 + 3) == 40); /* another unit: a spine */
    assert_true(distance(spec, 3, 4 * 8 + 4) == 40); /* where rails meet */
    assert_true(distance(spec, 3, 8 * 8 + 3) == 60); /* another pod */
    assert_int_equal(hops(spec, 0, 7), 0);
    assert_int_equal(hops(spec, 3, 8 + 4), 2);
    assert_int_equal(hops(spec, 3, 4 * 8 + 4), 4);
    assert_int_equal(hops(spec, 0, 8 * 8), 6);
    /* Two GPUs on a NIC. */
    assert_true(distance("gpus:nodes=2,gpus=8,rails=4", 0, 8 + 1) == 20);
    assert_true(distance("gpus:nodes=2,gpus=8,rails=4", 0, 8 + 2) == 21);
    assert_true(distance("gpus:nodes=2,gpus=8", 0, 8 + 2) == 20);
    /* Costs as given; a spine where that is nearer, and where nothing joins the GPUs. */
    assert_true(distance("gpus:nodes=2,gpus=8,rails=8@3:5", 0, 8 + 2) == 13);
    assert_true(distance("gpus:nodes=2,gpus=8,rails=8@30:5", 0, 8 + 2) == 20);
    assert_true(distance("gpus:nodes=2,gpus=4,rails=4,nvlink=1", 0, 4 + 2) == 40);
    assert_int_equal(hops("gpus:nodes=2,gpus=4,rails=4,nvlink=1", 0, 4 + 2), 4);
}

/* PCI switches, NUMA nodes and packages, where NVLink does not join the GPUs. */
static void inside_without_nvlink(void **state)
{
    static const char spec[] = "gpus:nodes=2,gpus=8,nvlink=1,switch=2,numa=4";

    (void)state;
    assert_true(distance(spec, 0, 1) == 4);
    assert_true(distance(spec, 1, 2) == 6);
    assert_true(distance(spec, 3, 4) == 8);
    assert_true(distance(spec, 0, 8) == 20);
    assert_true(distance("gpus:nodes=1,gpus=8,nvlink=2,package=4", 0, 1) == 1);
    assert_true(distance("gpus:nodes=1,gpus=8,nvlink=2,package=4", 1, 2) == 7);
    assert_true(distance("gpus:nodes=1,gpus=8,nvlink=2,package=4", 3, 4) == 8);
    assert_true(distance("gpus:nodes=1,gpus=8,switch=2,numa=4", 0, 7) == 1); /* all by NVLink */
    assert_true(distance("gpus:nodes=3,gpus=1,rails=1", 0, 2) == 20);
}

/* Racks of 18 nodes of 4 GPUs, NVLink throughout; rails between racks. */
static void domains(void **state)
{
    static const char spec[] = "gpus:nodes=72,gpus=4,rails=4,domain=18,unit=36";
    topomap_machine *m = parsed(spec, "");

    (void)state;
    assert_int_equal(topomap_machine_slots(m), 288);
    assert_string_equal(m->outer[0].name, "domain");
    assert_string_equal(m->outer[1].name, "leaf");
    assert_string_equal(m->outer[2].name, "spine");
    assert_true(topomap_machine_distance(m, 0, 1) == 1);
    assert_true(topomap_machine_distance(m, 0, 17 * 4 + 3) == 2);
    assert_true(topomap_machine_distance(m, 0, 18 * 4) == 20);
    assert_true(topomap_machine_distance(m, 0, 18 * 4 + 1) == 21);
    assert_true(topomap_machine_distance(m, 0, 36 * 4 + 1) == 40);
    assert_int_equal(topomap_machine_hops(m, 0, 17 * 4 + 3), 1);
    topomap_machine_free(m);
}

static void listed_nodes(void **state)
{
    topomap_machine *m = parsed("gpus:nodes=16,gpus=2,rails=2,unit=4,alloc=%s",
                                scratch_text("nodes", "9\n0\n3\n8\n"));

    (void)state;
    assert_int_equal(topomap_machine_nodes(m), 4);
    assert_true(topomap_machine_distance(m, 0, 6) == 20); /* 9 and 8 */
    assert_true(topomap_machine_distance(m, 0, 7) == 21);
    assert_true(topomap_machine_distance(m, 2, 4) == 20); /* 0 and 3 */
    assert_true(topomap_machine_distance(m, 0, 3) == 40);
    topomap_machine_free(m);
}

static void refused(void **state)
{
    static const struct {
        const char *spec, *says;
    } bad[] = {
        {"gpus:nodes=4", "gpus= "},
        {"gpus:gpus=4", "nodes= "},
        {"gpus:nodes=4,gpus=8,rails=3", "divides gpus=8"},
        {"gpus:nodes=4,gpus=8,nvlink=3", "divides gpus=8"},
        {"gpus:nodes=4,gpus=8,nvlink=1,switch=4,numa=6", "4|gpus=8"},
        {"gpus:nodes=40,gpus=8,domain=6,unit=20", "unit=20|6"},
        {"gpus:nodes=40,gpus=8,unit=16,pod=24", "pod=24|16"},
        {"gpus:nodes=4,gpus=8*2", "no '*2'"},
        {"gpus:nodes=4,gpus=8,colour=2", "colour=2"},
        {"gpus:nodes=4,gpus=8@1:2:3", "expected @NVLINK:HOP"},
        {"gpus:nodes=16777216,gpus=256", "more than"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_machine *machine = NULL;
        topomap_error err;

        if (topomap_machine_parse(bad[i].spec, &machine, &err) == 0)
            fail_msg("%s was accepted", bad[i].spec);
        if (!message_has(err.text, bad[i].says))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
    }
}

/* Every level of places has the machine's own distances. */
static void closeness(void **state)
{
    topomap_machine *m = parsed("gpus:nodes=12,gpus=4,rails=4,domain=2,unit=4", "");
    topomap_closeness c;

    (void)state;
    assert_int_equal(topomap_closeness_init(&c, m, TOPOMAP_CLOSE_SLOTS, 0, NULL), 0);
    assert_int_equal(c.how, TOPOMAP_CLOSE_RAILS);
    for (uint32_t p = 0; p < m->slots; p++)
        for (uint32_t q = 0; q < m->slots; q++)
            assert_true(topomap_closeness_distance(&c, c.how, c.code[p], c.code[q]) ==
                        (float)topomap_machine_distance(m, c.slot[p], c.slot[q]));
    topomap_closeness_clear(&c);
    assert_int_equal(topomap_closeness_init(&c, m, 0, 0, NULL), 0);
    assert_int_equal(c.places, 12);
    assert_int_equal(c.how, TOPOMAP_CLOSE_BITS);
    topomap_closeness_clear(&c);
    topomap_machine_free(m);
}

/* Two nodes of two GPUs on four leaves, a leaf a node and rail. */
static void rails_of_a_matrix(void **state)
{
    static const uint32_t per_node[] = {2, 2, 2}, site_of[] = {0, 0, 1},
                          rail[] = {0, 1, 0, 1, 0, 1}, one[6] = {0};
    static const float cost[] = {20, 40, 40, 20}, cross[] = {1, 0, 0, 1};
    topomap_machine *m;

    (void)state;
    for (int rails = 0; rails < 2; rails++) {
        assert_int_equal(topomap_machine_frame(3, per_node, NULL, &m, NULL), 0);
        assert_int_equal(topomap_machine_set_matrix(m, "fabric", 2, site_of, cost, NULL, NULL), 0);
        assert_int_equal(topomap_machine_set_rails(m, rails ? rail : one, cross, NULL, NULL), 0);
        assert_int_equal(topomap_machine_finish(m, NULL), 0);
        assert_true(topomap_machine_distance(m, 0, 2) == 20);
        assert_true(topomap_machine_distance(m, 0, 3) == 20 + rails);
        assert_true(topomap_machine_distance(m, 0, 5) == 40);
        assert_true(topomap_machine_distance(m, 0, 1) == 0);
        topomap_machine_free(m);
    }
}

static uint32_t vertex_named(const topomap_network *n, const char *name)
{
    for (uint32_t v = 0; v < n->vertices; v++)
        if (strcmp(n->name[v], name) == 0)
            return v;
    fail_msg("no vertex %s", name);
    return 0;
}

static uint32_t cables(const topomap_network *n, const char *a, const char *b)
{
    uint32_t link = topomap_network_link(n, vertex_named(n, a), vertex_named(n, b));

    return link == UINT32_MAX ? 0 : n->cables[link];
}

static void links(void **state)
{
    topomap_machine *m = parsed("gpus:nodes=16,gpus=4,rails=2,unit=4,pod=8,taper=2,domain=2", "");
    const topomap_network *n = m->network;

    (void)state;
    assert_non_null(n);
    assert_int_equal(n->vertices, 16 + 8 + 2 + 1 + 8 * 18);
    assert_int_equal(cables(n, "node5", "leaf1.0"), 1);
    assert_int_equal(cables(n, "node5", "leaf1.1"), 1);
    assert_int_equal(cables(n, "node5", "leaf0.0"), 0);
    assert_int_equal(cables(n, "leaf1.1", "spine0"), 2);
    assert_int_equal(cables(n, "leaf3.1", "spine1"), 2);
    assert_int_equal(cables(n, "leaf3.1", "spine0"), 0);
    assert_int_equal(cables(n, "spine1", "core"), 8);
    assert_int_equal(cables(n, "node5", "nvswitch2.17"), 4);
    topomap_machine_free(m);
    m = parsed("gpus:nodes=4,gpus=4,rails=4,unit=4", "");
    assert_int_equal(m->network->vertices, 4 + 4);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rail_optimised),    cmocka_unit_test(inside_without_nvlink),
        cmocka_unit_test(domains),           cmocka_unit_test(listed_nodes),
        cmocka_unit_test(refused),           cmocka_unit_test(closeness),
        cmocka_unit_test(rails_of_a_matrix), cmocka_unit_test(links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
