/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network it is: fabrics made by rule, whole and with faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/fabrics.h"
#include "topology-db/db.h"
#include "util/random.h"

static topomap_error err;

static topomap_db *database(const char *path)
{
    const char *db_path = scratch_path("c.db");
    topomap_db *db;

    unlink(db_path);
    assert_int_equal(topomap_db_create(db_path, &db, &err), 0);
    if (topomap_db_import(db, "ibnetdiscover", path, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return db;
}

static topomap_db_summary classify(struct fabric *f)
{
    topomap_db_summary s;
    topomap_db *db = database(fabric_write(f, "fabric"));

    assert_int_equal(topomap_db_summarise(db, &s, &err), 0);
    topomap_db_close(db);
    return s;
}

/* The verdict is \p topology with \p part in its evidence and a confidence in (least, most]. */
static void expect(struct fabric *f, const char *topology, const char *part, double least,
                   double most)
{
    topomap_db_summary s = classify(f);

    if (strcmp(s.topology, topology) || !message_has(s.evidence, part) || s.confidence <= least ||
        s.confidence > most)
        fail_msg("'%s' %g: %s; expected '%s' with '%s' in (%g, %g]", s.topology, s.confidence,
                 s.evidence, topology, part, least, most);
}

/* ---- Trees ------------------------------------------------------------------------------- */

static void trees(void **state)
{
    struct fabric *f;

    (void)state;
    expect(fabric_tree(1, 1, 0, 0, 5, 1), "fat-tree", "one switch, 5 ports", 0.99, 1);
    expect(fabric_tree(1, 6, 3, 0, 8, 2), "fat-tree", "2 levels|6|3", 0.99, 1);
    expect(fabric_tree(1, 6, 3, 0, 8, 2), "fat-tree", "36 links|2|8 hosts|6 links|1.33:1", 0.99, 1);
    expect(fabric_tree(4, 4, 4, 4, 4, 1), "fat-tree", "3 levels|16, 16, 16|128 links", 0.99, 1);
    /* Service nodes on a spine, and on a core. */
    f = fabric_tree(4, 4, 4, 4, 4, 1);
    f->hosts[4] = 1;
    f->hosts[40] = 2;
    expect(f, "fat-tree", "3 ports", 0.9, 0.99);
    /* Broken cables. */
    f = fabric_tree(4, 4, 4, 4, 4, 1);
    fabric_cut(f, 5, 40);
    expect(f, "fat-tree", "16, 16, 16|124 links|4 hosts|4 links", 0.9, 0.999);
    /* A cable between two leaves. */
    f = fabric_tree(1, 6, 3, 0, 8, 2);
    fabric_join(f, 0, 0, 1, 0);
    expect(f, "fat-tree", "1|19", 0.9, 0.999);
    /* A leaf whose hosts are away, and one with few. */
    f = fabric_tree(1, 6, 3, 0, 8, 1);
    f->hosts[2] = 0;
    f->hosts[3] = 1;
    expect(f, "fat-tree", "6, 3", 0.9, 1);
}

static void no_trees(void **state)
{
    struct fabric *f = fabric_new(7);

    (void)state;
    /* One leaf in the middle of three spines with a leaf each: levels, but no way up and down
     * between the outer ones. */
    for (uint32_t i = 1; i < 4; i++) {
        fabric_join(f, 0, 0, i, 0);
        fabric_join(f, i, 0, i + 3, 0);
    }
    f->hosts[0] = f->hosts[4] = f->hosts[5] = f->hosts[6] = 4;
    expect(f, "irregular", "up|down", 0.5, 1);
    f = fabric_new(2);
    fabric_join(f, 0, 0, 1, 0);
    f->hosts[0] = f->hosts[1] = 4;
    expect(f, "irregular", "2 switches, 1 joined pairs", 0.5, 1);
}

/* Two rails without a link between them. */
static void planes(void **state)
{
    struct fabric *f = fabric_new(6);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        fabric_join(f, i, 0, 4 + i / 2, 0);
        f->hosts[i] = 3;
    }
    expect(f, "fat-tree", "2 of 2", 0.99, 1);
    f = fabric_new(9); /* a tree of 8 ports and a ring of 5 */
    for (uint32_t i = 0; i < 3; i++)
        fabric_join(f, i, 0, 3, 0);
    for (uint32_t i = 0; i < 5; i++)
        fabric_join(f, 4 + i, 0, 4 + (i + 1) % 5, 0);
    for (uint32_t i = 0; i < 9; i++)
        f->hosts[i] = i == 3 ? 0 : i < 3 ? 5 : 1;
    expect(f, "fat-tree", "1 of 2", 0.7, 0.8);
}

/* ---- Tori -------------------------------------------------------------------------------- */

static void tori(void **state)
{
    static const struct {
        uint32_t dims, dim[5], wrap;
        const char *topology, *part;
    } row[] = {
        {3, {8, 8, 8}, 7, "torus", "8x8x8 torus|xyz|512"},
        {3, {4, 4, 4}, 7, "torus", "4x4x4 torus|xyz|64"},
        {3, {6, 5, 3}, 7, "torus", "6x5x3 torus|xyz|90"},
        {3, {8, 4, 2}, 7, "torus", "8x4x2 torus|xy:|64"},
        {3, {6, 4, 5}, 5, "torus", "6x4x5 torus|xz:"},
        {2, {4, 4}, 3, "torus", "4x4 torus"},
        {2, {3, 3}, 3, "torus", "3x3 torus"},
        {4, {4, 3, 5, 2}, 15, "torus", "4x3x5x2 torus|xyz"},
        {5, {4, 4, 4, 2, 2}, 31, "torus", "4x4x4x2x2 torus"},
        {1, {9}, 1, "torus", "9 torus"},
        {3, {5, 4, 3}, 0, "mesh", "5x4x3 mesh|60"},
        {3, {2, 2, 2}, 0, "torus", "2x2x2 mesh|hypercube"},
        {1, {7}, 0, "mesh", "7 mesh"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        expect(fabric_grid(row[i].dims, row[i].dim, row[i].wrap, 2, 0), row[i].topology,
               row[i].part, 0.999, 1);
}

static void tori_with_faults(void **state)
{
    const uint32_t eight[] = {8, 8, 8}, four[] = {4, 4, 4}, flat[] = {7, 6};
    struct fabric *f = fabric_grid(3, eight, 7, 2, 0);

    (void)state;
    f->gone[77] = f->gone[300] = f->gone[301] = 1;
    fabric_cut(f, 3, 100);
    expect(f, "torus", "8x8x8 torus|xyz|509|512", 0.95, 0.999);
    f = fabric_grid(3, four, 7, 2, 0);
    f->gone[21] = 1;
    expect(f, "torus",
           "4x4x4 torus of switches, around in xyz: 63 of 64 switches, 186 of 186 "
           "joined pairs",
           0.95, 0.999);
    f = fabric_grid(3, four, 7, 2, 0);
    fabric_cut(f, 10, 70);
    expect(f, "torus", "64 of 64 switches, 189 of 192 joined pairs", 0.95, 0.999);
    f = fabric_grid(2, flat, 3, 1, 0);
    f->gone[8] = f->gone[20] = 1;
    expect(f, "torus", "7x6 torus|40|42", 0.9, 0.999);
    /* Two switches of one column gone: the column is in two pieces. */
    f = fabric_grid(2, flat, 3, 1, 0);
    f->gone[2] = f->gone[2 + 3 * 7] = 1;
    expect(f, "torus", "7x6 torus|40|42", 0.9, 0.999);
}

/* Ports that tell nothing: the graph is the same, as a hypercube or a torus, and so are hops. */
static void tori_without_ports(void **state)
{
    const uint32_t four[] = {4, 4}, six[] = {6, 5, 7};
    topomap_db_summary s;

    (void)state;
    s = classify(fabric_grid(2, four, 3, 1, 1));
    assert_string_equal(s.topology, "torus");
    s = classify(fabric_grid(3, six, 7, 1, 1));
    assert_string_equal(s.topology, "torus");
    assert_message(s.evidence, "210 of 210 switches, 630 of 630");
}

/* ---- Machines on tori -------------------------------------------------------------------- */

static topomap_machine *machine(topomap_db *db, uint32_t switches, uint32_t skip, uint32_t hosts)
{
    topomap_names names = {0, calloc((size_t)switches * hosts, sizeof(char *))};
    uint32_t *tasks = calloc((size_t)switches * hosts, sizeof *tasks);
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &names,
                                        .tasks = tasks,
                                        .cpus_per_task = 1,
                                        .bind = TOPOMAP_BIND_CORE};
    topomap_machine *made = NULL;

    for (uint32_t s = 0; s < switches; s++)
        for (uint32_t h = 0; h < hosts && s != skip; h++) {
            char name[32];

            sprintf(name, "h%u-%u", s, h);
            tasks[names.count] = 1;
            names.name[names.count++] = strdup(name);
        }
    if (topomap_db_machine(db, &allocation, &made, NULL, &err))
        fail_msg("%s", err.text);
    topomap_names_clear(&names);
    free(tasks);
    return made;
}

/* A torus machine has the hops and costs that a search over the links gives. */
static void same_as_links(topomap_db *db, const topomap_machine *m, uint32_t every)
{
    for (uint32_t p = 0; p < topomap_machine_nodes(m); p += every)
        for (uint32_t q = 0; q < topomap_machine_nodes(m); q += 3) {
            topomap_db_distance d;

            if (p == q)
                continue;
            if (topomap_db_distance_between(db, topomap_machine_node_name(m, p),
                                            topomap_machine_node_name(m, q), &d, &err))
                fail_msg("%s", err.text);
            if (topomap_machine_hops(m, p, q) != d.hops ||
                topomap_machine_distance(m, p, q) != d.cost)
                fail_msg("%s to %s: %u hops, %g; the links say %u, %g",
                         topomap_machine_node_name(m, p), topomap_machine_node_name(m, q),
                         topomap_machine_hops(m, p, q), topomap_machine_distance(m, p, q), d.hops,
                         d.cost);
            free(d.route);
        }
}

static void torus_machines(void **state)
{
    static const struct {
        uint32_t dims, dim[3], wrap, gone, cut;
        const char *kind;
    } row[] = {
        {3, {4, 4, 4}, 7, UINT32_MAX, 0, "torus"}, {3, {5, 4, 3}, 5, UINT32_MAX, 0, "torus"},
        {2, {5, 7}, 0, UINT32_MAX, 0, "mesh"},     {3, {5, 5, 4}, 7, UINT32_MAX, 7, "fabric"},
        {3, {4, 4, 4}, 7, 21, 0, "torus"}, /* around the gap is as short */
        {2, {7, 7}, 3, 10, 0, "fabric"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct fabric *f = fabric_grid(row[i].dims, row[i].dim, row[i].wrap, 2, 0);
        uint32_t switches = f->switches;
        topomap_machine *m;
        topomap_db *db;

        if (row[i].gone != UINT32_MAX)
            f->gone[row[i].gone] = 1;
        if (row[i].cut)
            f->cut[row[i].cut] = 1;
        db = database(fabric_write(f, "fabric"));
        m = machine(db, switches, row[i].gone, 2);
        assert_string_equal(topomap_machine_kind(m), row[i].kind);
        same_as_links(db, m, 7);
        topomap_machine_free(m);
        topomap_db_close(db);
    }
}

/* ---- Dragonflies ------------------------------------------------------------------------- */

static struct fabric *dragonfly_plus(uint32_t groups)
{
    struct fabric *f = fabric_new(groups * 8);
    uint32_t next[64] = {0};

    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t l = 0; l < 4; l++) {
            f->hosts[g * 8 + l] = 4;
            for (uint32_t s = 4; s < 8; s++)
                fabric_join(f, g * 8 + l, 0, g * 8 + s, 0);
        }
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t h = g + 1; h < groups; h++)
            fabric_join(f, g * 8 + 4 + next[g]++ % 4, 0, h * 8 + 4 + next[h]++ % 4, 0);
    return f;
}

static void dragonflies(void **state)
{
    struct fabric *f;

    (void)state;
    expect(fabric_dragonfly(9, 1, 4, 2, 1), "dragonfly",
           "9 groups of 4 switches, joined all to "
           "all (54 of 54 joined pairs); 36 of 36 pairs of groups joined; a=4 p=2 h=2",
           0.999, 1);
    expect(fabric_dragonfly(17, 1, 8, 4, 1), "dragonfly", "17 groups of 8", 0.999, 1);
    expect(fabric_dragonfly(5, 6, 16, 4, 40), "dragonfly",
           "5 groups of 96 switches in 6 rows of "
           "16, each row and column joined all to all (4800 of 4800",
           0.999, 1);
    f = fabric_dragonfly(9, 1, 6, 2, 2);
    f->gone[7] = 1;
    fabric_cut(f, 2, 50);
    expect(f, "dragonfly", "9 groups of 6 switches", 0.9, 0.999);
    expect(dragonfly_plus(9), "dragonfly", "dragonfly+: 9 groups of 8 switches", 0.999, 1);
}

static void irregular(void **state)
{
    struct fabric *f = fabric_new(60);
    topomap_random random = {4};

    (void)state;
    for (uint32_t i = 1; i < 60; i++)
        fabric_join(f, i, 0, topomap_random_below(&random, i), 0);
    for (uint32_t i = 0; i < 60; i++)
        fabric_join(f, i, 0, (i + 1 + topomap_random_below(&random, 58)) % 60, 0);
    for (uint32_t i = 0; i < 60; i++)
        f->hosts[i] = 1 + i % 3;
    expect(f, "irregular", "60 switches", 0.99, 1);
    f = fabric_new(12); /* all to all: one group is no dragonfly */
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t j = 0; j < i; j++)
            fabric_join(f, i, 0, j, 0);
    for (uint32_t i = 0; i < 12; i++)
        f->hosts[i] = 2;
    expect(f, "irregular", "66 joined pairs", 0.99, 1);
    f = fabric_new(30); /* stars in a star, hosts everywhere */
    for (uint32_t i = 1; i < 30; i++)
        fabric_join(f, i, 0, (i - 1) / 4, 0);
    for (uint32_t i = 0; i < 30; i++)
        f->hosts[i] = 1;
    expect(f, "irregular", "30 switches", 0.99, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(no_trees),
        cmocka_unit_test(planes),
        cmocka_unit_test(tori),
        cmocka_unit_test(tori_with_faults),
        cmocka_unit_test(tori_without_ports),
        cmocka_unit_test(torus_machines),
        cmocka_unit_test(dragonflies),
        cmocka_unit_test(irregular),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
