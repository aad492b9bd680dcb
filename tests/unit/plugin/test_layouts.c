/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's distributions, by hand: nodes of unequal size keep their counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "machine/machine.h"
#include "plugin/planner/plan/plan.h"

enum { NODES = 4, TASKS = 12 };

/* Nodes of 5, 1, 4 and 2 tasks, of which the first and third hang on one switch. */
static topomap_machine *uneven(int tree)
{
    static const uint32_t tasks[NODES] = {5, 1, 4, 2}, site[NODES] = {0, 1, 0, 1}, all[NODES] = {0};
    static const float cost[] = {2, 4, 4, 2};
    static const uint16_t hops[] = {2, 4, 4, 2};
    topomap_machine *m;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(NODES, tasks, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_add_inner(m, "node", 1, m->node_of, &err), 0);
    if (tree) {
        assert_int_equal(topomap_machine_add_outer(m, "leaf", 2, 2, site, &err), 0);
        assert_int_equal(topomap_machine_add_outer(m, "all", 4, 4, all, &err), 0);
    } else {
        assert_int_equal(topomap_machine_set_matrix(m, "fabric", 2, site, cost, hops, &err), 0);
    }
    assert_int_equal(topomap_machine_finish(m, &err), 0);
    return m;
}

/* The node of each task. */
static void assert_layout(const topomap_machine *m, const topomap_layout *layout, const char *name,
                          const char *nodes)
{
    char found[TASKS + 1] = "";
    uint32_t last[NODES], seen = 0;

    assert_string_equal(layout->name, name);
    for (uint32_t t = 0; t < TASKS; t++) {
        uint32_t slot = layout->slot_of_rank[t], node = m->node_of[slot];

        found[t] = (char)('a' + node);
        if (seen >> node & 1)
            assert_true(slot == last[node] + 1);
        else
            assert_int_equal(slot, m->slot_first[node]);
        seen |= 1u << node;
        last[node] = slot;
    }
    assert_string_equal(found, nodes);
}

static void by_hand(void **state)
{
    static const uint32_t sequence[] = {3, 1, 0, 2};
    planner_layouts layouts;
    topomap_error err;

    (void)state;
    for (int tree = 0; tree < 2; tree++) {
        topomap_machine *m = uneven(tree);

        assert_int_equal(planner_layouts_make(m, NULL, &layouts, &err), 0);
        assert_int_equal(layouts.count, 4);
        assert_layout(m, &layouts.row[0], "block", "aaaaabccccdd");
        assert_layout(m, &layouts.row[1], "cyclic", "abcdacdacaca");
        assert_layout(m, &layouts.row[2], "plane=2", "aabccddaacca");
        assert_layout(m, &layouts.row[3], "topology", "aaaaaccccbdd");
        planner_layouts_clear(&layouts);
        assert_int_equal(planner_layouts_make(m, sequence, &layouts, &err), 0);
        assert_layout(m, &layouts.row[3], "topology", "ddbaaaaacccc");
        planner_layouts_clear(&layouts);
        topomap_machine_free(m);
    }
}

static void planes_are_half_a_node(void **state)
{
    static const struct {
        const char *spec, *name;
    } rows[] = {{"tree:1:3@1:10", "plane=2"},
                {"tree:4:3@1:10", "plane=2"},
                {"tree:7:3@1:10", "plane=3"},
                {"tree:128:3@1:10", "plane=64"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planner_layouts layouts;
        topomap_machine *m;
        topomap_error err;

        assert_int_equal(topomap_machine_parse(rows[i].spec, &m, &err), 0);
        assert_int_equal(planner_layouts_make(m, NULL, &layouts, &err), 0);
        assert_string_equal(layouts.row[2].name, rows[i].name);
        planner_layouts_clear(&layouts);
        topomap_machine_free(m);
    }
}

static void one_node_has_none(void **state)
{
    planner_layouts layouts;
    topomap_machine *m;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_machine_parse("tree:8:1@1:10", &m, &err), 0);
    assert_int_equal(planner_layouts_make(m, NULL, &layouts, &err), 0);
    assert_int_equal(layouts.count, 0);
    planner_layouts_clear(&layouts);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(planes_are_half_a_node),
        cmocka_unit_test(one_node_has_none),
    };

    return cmocka_run_group_tests_name("plugin layouts", tests, NULL, NULL);
}
