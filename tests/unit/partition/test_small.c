/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "partition/partition.h"
#include "util/random.h"

enum { MOST = 12 };

struct graph {
    uint32_t count;
    idx_t weight[MOST][MOST], offset[MOST + 1], target[MOST * MOST], listed[MOST * MOST];
};

static void draw(topomap_random *random, struct graph *g)
{
    idx_t at = 0;

    *g = (struct graph){.count = 2 + topomap_random_below(random, MOST - 1)};
    for (uint32_t u = 0; u < g->count; u++)
        for (uint32_t v = 0; v < u; v++)
            if (topomap_random_below(random, 3) == 0)
                g->weight[u][v] = g->weight[v][u] = 1 + (idx_t)topomap_random_below(random, 9);
    for (uint32_t u = 0; u < g->count; u++) {
        for (uint32_t v = 0; v < g->count; v++)
            if (g->weight[u][v]) {
                g->target[at] = (idx_t)v;
                g->listed[at++] = g->weight[u][v];
            }
        g->offset[u + 1] = at;
    }
}

static idx_t cut(const struct graph *g, uint32_t chosen)
{
    idx_t sum = 0;

    for (uint32_t u = 0; u < g->count; u++)
        for (uint32_t v = 0; v < u; v++)
            sum += (chosen >> u & 1) != (chosen >> v & 1) ? g->weight[u][v] : 0;
    return sum;
}

static void none_cuts_less(void **state)
{
    topomap_random random = {3};

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct graph g;
        idx_t part[MOST];
        uint32_t first, chosen = 0;

        draw(&random, &g);
        first = 1 + topomap_random_below(&random, g.count - 1);
        assert_true(topomap_small_fits(g.count, first));
        topomap_small_halve(g.count, g.offset, g.target, g.listed, first, part);
        for (uint32_t u = 0; u < g.count; u++)
            chosen |= (uint32_t)(part[u] == 0) << u;
        assert_int_equal(__builtin_popcount(chosen), first);
        for (uint32_t other = 0; other < 1u << g.count; other++)
            if ((uint32_t)__builtin_popcount(other) == first)
                assert_true(cut(&g, chosen) <= cut(&g, other));
    }
}

static void few_ways_fit(void **state)
{
    (void)state;
    assert_true(topomap_small_fits(13, 6));
    assert_false(topomap_small_fits(14, 7));
    assert_true(topomap_small_fits(16, 3));
    assert_false(topomap_small_fits(17, 1));
    assert_false(topomap_small_fits(8, 0));
    assert_false(topomap_small_fits(8, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_cuts_less),
        cmocka_unit_test(few_ways_fit),
    };

    return cmocka_run_group_tests_name("small", tests, NULL, NULL);
}
