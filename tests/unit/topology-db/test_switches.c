/* SPDX-License-Identifier: BSD-3-Clause */
/* Hops between many sets of switches at once are those of one search after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/fabric/load.h"

enum { SWITCHES = 300, SETS = 150, MEMBERS = 3 };

static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

/* A random graph with \p joins links a switch, in as many parts as it falls into. */
static void make_graph(topomap_switches *s, uint32_t joins)
{
    static uint8_t joined[SWITCHES][SWITCHES];

    memset(joined, 0, sizeof joined);
    memset(s, 0, sizeof *s);
    s->count = SWITCHES;
    s->first = calloc(SWITCHES + 1, sizeof *s->first);
    s->neighbour = calloc((size_t)SWITCHES * SWITCHES, sizeof *s->neighbour);
    s->queue = calloc(SWITCHES, sizeof *s->queue);
    assert_true(s->first && s->neighbour && s->queue);
    for (uint32_t i = 0; i < SWITCHES; i++)
        for (uint32_t k = 0; k < joins; k++) {
            /* Near ones, so that there are long ways; every fiftieth is alone. */
            uint32_t j = (i + 1 + draw(4)) % SWITCHES;

            if (i % 50 && j % 50 && i != j)
                joined[i][j] = joined[j][i] = 1;
        }
    for (uint32_t i = 0; i < SWITCHES; i++) {
        s->first[i + 1] = s->first[i];
        for (uint32_t j = 0; j < SWITCHES; j++)
            if (joined[i][j])
                s->neighbour[s->first[i + 1]++] = j;
    }
}

static void check_graph(topomap_switches *s)
{
    static uint32_t member[SETS][MEMBERS];
    static uint16_t hops[SETS * SETS], one[SWITCHES];
    topomap_switch_set set[SETS];
    size_t far = 0, longest = 0;
    topomap_error err;

    for (size_t i = 0; i < SETS; i++) {
        set[i] = (topomap_switch_set){member[i], draw(MEMBERS) + 1};
        for (size_t k = 0; k < MEMBERS; k++)
            member[i][k] = draw(SWITCHES);
    }
    member[0][0] = 50; /* alone */
    set[0].count = 1;
    assert_int_equal(topomap_switches_between(s, set, SETS, hops, &err), 0);
    for (size_t i = 0; i < SETS; i++) {
        topomap_switches_spread(s, set[i].at, set[i].count, one);
        for (size_t j = 0; j < SETS; j++) {
            uint16_t best = TOPOMAP_FAR;

            for (size_t k = 0; k < set[j].count; k++)
                best = one[set[j].at[k]] < best ? one[set[j].at[k]] : best;
            assert_int_equal(hops[i * SETS + j], best);
            far += best == TOPOMAP_FAR;
            longest = best != TOPOMAP_FAR && best > longest ? best : longest;
        }
    }
    assert_true(far > 0);
    assert_true(longest > 5);
}

static void test_between(void **data)
{
    (void)data;
    for (state = 1; state < 2000000000u; state += 400000000u)
        for (uint32_t joins = 1; joins < 4; joins++) {
            uint32_t kept = state;
            topomap_switches s;

            make_graph(&s, joins);
            check_graph(&s);
            topomap_switches_clear(&s);
            state = kept;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_between)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
