/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds are told from switches and cables alone, without a database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/kinds.h"
#include "tests/unit/messages.h"

enum { MOST = 64 };

/* Which switches are joined, and how many ports of hosts each has. */
struct plan {
    uint32_t count, ports[MOST];
    uint8_t joined[MOST][MOST];
};

static void join(struct plan *plan, uint32_t a, uint32_t b)
{
    plan->joined[a < b ? a : b][a < b ? b : a] = 1;
}

static void judge(const struct plan *plan, topomap_part *part, topomap_verdict *verdict)
{
    topomap_trunk trunk[MOST * MOST];
    uint32_t cables[MOST * MOST];
    topomap_error err;
    size_t count = 0;

    memset(part, 0, sizeof *part);
    part->switches.count = plan->count;
    part->ports = calloc(plan->count, sizeof *part->ports);
    assert_non_null(part->ports);
    memcpy(part->ports, plan->ports, plan->count * sizeof *part->ports);
    for (uint32_t a = 0; a < plan->count; a++)
        for (uint32_t b = a + 1; b < plan->count; b++)
            if (plan->joined[a][b]) {
                trunk[count] = (topomap_trunk){a, b, TOPOMAP_HOP};
                cables[count++] = 2;
            }
    assert_int_equal(topomap_part_join(part, trunk, cables, count, &err), 0);
    assert_int_equal(part->pairs, count);
    assert_int_equal(part->all_cables, 2 * count);
    assert_int_equal(topomap_part_judge(part, verdict, &err), 0);
}

static void test_tree(void **data)
{
    struct plan plan = {.count = 6};
    topomap_verdict verdict;
    topomap_part part;

    (void)data;
    for (uint32_t leaf = 0; leaf < 4; leaf++) {
        plan.ports[leaf] = 8;
        join(&plan, leaf, 4);
        join(&plan, leaf, 5);
    }
    judge(&plan, &part, &verdict);
    assert_string_equal(verdict.topology, "fat-tree");
    assert_true(verdict.confidence == 1);
    for (uint32_t i = 0; i < plan.count; i++)
        assert_int_equal(part.level[i], i >= 4);
    assert_null(part.place);
    topomap_part_clear(&part);
}

static void test_torus(void **data)
{
    struct plan plan = {.count = 5 * 6};
    topomap_verdict verdict;
    topomap_part part;

    (void)data;
    for (uint32_t i = 0; i < plan.count; i++) {
        plan.ports[i] = 1;
        join(&plan, i, i / 5 * 5 + (i + 1) % 5);
        if (i < 25) /* the second dimension is open */
            join(&plan, i, i + 5);
    }
    judge(&plan, &part, &verdict);
    assert_string_equal(verdict.topology, "torus");
    assert_int_equal(part.dims, 2);
    assert_int_equal(part.dim[0] * part.dim[1], 30);
    assert_int_equal(part.wrap[0] + part.wrap[1], 1);
    assert_int_equal(part.wrap[part.dim[1] == 5], 1);
    for (uint32_t i = 0; i < plan.count; i++)
        assert_true(part.place[i * TOPOMAP_DIMS] >= 0 &&
                    part.place[i * TOPOMAP_DIMS + 1] >= 0);
    topomap_part_clear(&part);
}

/* Groups of four, all joined; a link between every two groups. */
static void test_dragonfly(void **data)
{
    struct plan plan = {.count = 20};
    topomap_verdict verdict;
    topomap_part part;

    (void)data;
    for (uint32_t i = 0; i < plan.count; i++) {
        uint32_t group = i / 4;

        plan.ports[i] = 2;
        for (uint32_t k = i + 1; k < group * 4 + 4; k++)
            join(&plan, i, k);
        join(&plan, i, (group + 1 + i % 4) % 5 * 4 + 3 - i % 4);
    }
    judge(&plan, &part, &verdict);
    assert_string_equal(verdict.topology, "dragonfly");
    assert_message(verdict.evidence, "5 groups|4 switches");
    topomap_part_clear(&part);
}

static void test_none(void **data)
{
    struct plan plan = {.count = 7};
    topomap_verdict verdict;
    topomap_part part;

    (void)data;
    for (uint32_t i = 0; i + 1 < plan.count; i++) {
        plan.ports[i] = 1;
        join(&plan, i, i + 1);
        join(&plan, 0, i + 1);
        join(&plan, i / 2, i + 1);
    }
    judge(&plan, &part, &verdict);
    assert_string_equal(verdict.topology, "irregular");
    assert_message(verdict.evidence, "no torus");
    topomap_part_clear(&part);
}

/* Of a ring of six without two of its links. */
static void test_parts(void **data)
{
    struct plan plan = {.count = 6, .ports = {1}};
    uint8_t keep[12];
    uint32_t part_of[6];
    topomap_verdict verdict;
    topomap_part part;
    const topomap_switches *s = &part.switches;

    (void)data;
    for (uint32_t i = 0; i < plan.count; i++)
        join(&plan, i, (i + 1) % 6);
    judge(&plan, &part, &verdict);
    for (uint32_t i = 0; i < plan.count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            keep[k] = i + s->neighbour[k] != 3 && i + s->neighbour[k] != 9; /* 1-2, 4-5 */
    assert_int_equal(topomap_switches_parts(&part.switches, NULL, part_of), 1);
    assert_int_equal(topomap_switches_parts(&part.switches, keep, part_of), 2);
    for (uint32_t i = 0; i < plan.count; i++)
        assert_int_equal(part_of[i], i >= 2 && i <= 4);
    topomap_part_clear(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree), cmocka_unit_test(test_torus), cmocka_unit_test(test_dragonfly),
        cmocka_unit_test(test_none), cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
