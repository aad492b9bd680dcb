/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/metric/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "fabric/network.h"
#include "metric/metric.h"
#include "tests/unit/messages.h"

static topomap_time time_of(const topomap_graph *graph, const topomap_machine *machine,
                            const topomap_time_costs *costs)
{
    topomap_time time;
    topomap_error err;
    uint32_t slots[256];

    for (uint32_t i = 0; i < 256; i++)
        slots[i] = i;
    if (topomap_time_evaluate(graph, machine, slots, costs, &time, &err))
        fail_msg("%s", err.text);
    return time;
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-12 * fabs(b))
        fail_msg("%.17g is not %.17g", a, b);
}

/* ---- Routes by rule ---------------------------------------------------------------------- */

/* The vertices from one node to another, the ends included. */
static uint32_t route(const topomap_network *n, uint32_t from, uint32_t to, uint32_t *at)
{
    uint32_t steps = 0;

    for (at[0] = n->vertex_of[from]; at[steps] != n->vertex_of[to]; steps++) {
        uint32_t link = topomap_network_next(n, at[steps], to);

        assert_true(steps < 30);
        assert_true(link >= n->first[at[steps]] && link < n->first[at[steps] + 1]);
        at[steps + 1] = n->head[link];
    }
    return steps;
}

/* Dimension by dimension, each the shorter way, and as many hops as the machine says. */
static void grids_are_routed_in_the_order_of_dimensions(void **state)
{
    static const char *const spec[] = {"torus:5x4x3", "mesh:5x4x3", "torus:4x4x2@1:10,wrap=xz",
                                       "torus:1x7"};

    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        topomap_machine *m = parsed(spec[i]);
        topomap_network *n;
        topomap_error err;
        uint32_t at[32];

        assert_int_equal(topomap_network_grid(m, &n, &err), 0);
        assert_true(topomap_network_routed(n));
        for (uint32_t a = 0; a < m->nodes; a++)
            for (uint32_t b = 0; b < m->nodes; b++) {
                uint32_t steps = route(n, a, b, at), stride = 1, done = 0;

                assert_int_equal(steps, topomap_machine_hops(m, a, b));
                for (uint32_t d = 0; d < m->dims; stride *= m->dim[d++])
                    while (done < steps &&
                           at[done] / stride % m->dim[d] != at[done + 1] / stride % m->dim[d]) {
                        done++;
                        assert_int_equal(at[done] % stride, b % stride);
                    }
                assert_int_equal(done, steps);
            }
        topomap_network_free(n);
        topomap_machine_free(m);
    }
}

static void half_way_round_is_upwards_but_to_the_first(void **state)
{
    topomap_machine *m = parsed("torus:4x4");
    topomap_network *n;
    topomap_error err;
    uint32_t at[32];

    (void)state;
    assert_int_equal(topomap_network_grid(m, &n, &err), 0);
    assert_int_equal(route(n, 3, 9, at), 4); /* (3,0) to (1,2) */
    assert_int_equal(at[1], 0);
    assert_int_equal(at[2], 1);
    assert_int_equal(at[3], 5);
    assert_int_equal(route(n, 2, 0, at), 2);
    assert_int_equal(at[1], 1);
    topomap_network_free(n);
    topomap_machine_free(m);
}

/* At most one link in each group and one between them; every cable to a group is somebody's way. */
static void dragonflies_are_routed_minimally(void **state)
{
    static const char *const spec[] = {"dragonfly:p=2,a=4,h=2", "dragonfly:p=2,a=4,h=2,groups=3",
                                       "dragonfly:p=1,a=3,h=4,groups=5",
                                       "dragonfly:p=3,a=2,h=1,groups=1"};

    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        topomap_machine *m = parsed(spec[i]);
        const topomap_network *n = m->network;
        uint8_t *used = calloc(n->links, 1);
        uint32_t at[32], unused = 0;

        assert_non_null(used);
        assert_true(topomap_network_routed(n));
        for (uint32_t a = 0; a < m->nodes; a++)
            for (uint32_t b = 0; b < m->nodes; b++) {
                uint32_t steps = route(n, a, b, at), away = 0;

                assert_true(steps <= 5);
                for (uint32_t k = 1; k + 1 < steps; k++) { /* "g12-r3" */
                    const char *x = n->name[at[k]], *y = n->name[at[k + 1]];

                    away += strtoul(x + 1, NULL, 10) != strtoul(y + 1, NULL, 10);
                }
                assert_true(away <= 1);
                for (uint32_t k = 0; k < steps; k++)
                    used[topomap_network_link(n, at[k], at[k + 1])] = 1;
            }
        for (uint32_t link = 0; link < n->links; link++)
            unused += !used[link];
        assert_int_equal(unused, 0);
        free(used);
        topomap_machine_free(m);
    }
}

/* ---- Time -------------------------------------------------------------------------------- */

static void a_phase_takes_its_longest_part_and_a_latency(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 4}, to[] = {4, 4, 0, 0};
    static const uint64_t bytes[] = {3000, 1000, 500, 100}, messages[] = {3, 1, 1, 1};
    topomap_machine *m = parsed("fattree:k=4,levels=2*2"); /* nodes of ranks 0 1, 2 3, 4 5 ... */
    topomap_graph *g = graph_of(6, 4, from, to, bytes, messages);
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;
    topomap_time t;

    (void)state;
    costs = (topomap_time_costs){costs.size, 1000, 10, 0.5, 0, 1e9};
    t = time_of(g, m, &costs);
    assert_int_equal(t.phases, 1);
    assert_string_equal(t.model, "routes");
    assert_true(t.rates_assumed);
    assert_near(t.phase[0].node, 4);     /* both of node 0 send to node 2 */
    assert_near(t.phase[0].link, 4);     /* they go over one leaf's uplink */
    assert_near(t.phase[0].latency, 12); /* 4 hops */
    assert_near(t.phase[0].overhead, 0);
    assert_near(t.seconds, 16);
    assert_string_equal(t.phase[0].bound_by, "latency");
    assert_string_equal(t.phase[0].where, "rank 0 -> rank 4");
    topomap_time_clear(&t);

    costs.latency = 0;
    costs.hop_latency = 0;
    t = time_of(g, m, &costs);
    assert_near(t.seconds, 4);
    assert_string_equal(t.phase[0].bound_by, "link");
    assert_string_equal(t.phase[0].where, "leaf0 -> spine0");
    topomap_time_clear(&t);

    costs.overhead = 2; /* rank 0 sends 3 and receives 2, rank 4 receives 4 and sends 1 */
    t = time_of(g, m, &costs);
    assert_near(t.phase[0].overhead, 10);
    assert_near(t.seconds, 10);
    assert_string_equal(t.phase[0].bound_by, "latency");
    assert_string_equal(t.phase[0].where, "rank 0");
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

static void what_stays_in_a_node_is_copied(void **state)
{
    static const uint32_t from[] = {0, 1, 3}, to[] = {1, 0, 1};
    static const uint64_t bytes[] = {300, 100, 200};
    topomap_machine *m = parsed("torus:3*4");
    topomap_graph *g = graph_of(4, 3, from, to, bytes, NULL);
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;
    topomap_time t;

    (void)state;
    costs.memory_rate = 100;
    t = time_of(g, m, &costs);
    assert_near(t.seconds, 5);
    assert_near(t.phase[0].latency, 0);
    assert_string_equal(t.phase[0].bound_by, "node");
    assert_string_equal(t.phase[0].where, "rank 1");
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* A cost that is known of the cables says nothing of the memory. */
static void a_memory_rate_of_0_is_the_machine_s(void **state)
{
    static const char *const spec[] = {"gpus:nodes=2,gpus=4", "torus:3*4",
                                       "fattree:k=4,levels=3*4"};
    static const uint32_t from[] = {0, 1, 3}, to[] = {1, 0, 1};
    static const uint64_t bytes[] = {300, 100, 200};
    topomap_graph *g = graph_of(4, 3, from, to, bytes, NULL);
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;

    (void)state;
    costs.memory_rate = 0;
    for (size_t i = 0; i < 3; i++) {
        topomap_machine *m = parsed(spec[i]);
        topomap_time usual = time_of(g, m, NULL), t = time_of(g, m, &costs);

        assert_true(t.phase[0].node > 0);
        assert_near(t.seconds, usual.seconds);
        assert_near(t.phase[0].node, usual.phase[0].node);
        topomap_time_clear(&usual);
        topomap_time_clear(&t);
        topomap_machine_free(m);
    }
    topomap_graph_free(g);
}

/* A graph of phases is as long as all of them; the sum of their graphs would be shorter. */
static void phases_follow_one_another(void **state)
{
    topomap_machine *m = parsed("torus:4x4");
    topomap_graph *g;
    topomap_error err;
    topomap_time t;
    double sum = 0;

    (void)state;
    if (topomap_graph_read("nas-cg:16", NULL, &g, &err))
        fail_msg("%s", err.text);
    t = time_of(g, m, NULL);
    assert_int_equal(t.phases, topomap_graph_phases(g) ? topomap_graph_phases(g) : 1);
    for (uint32_t k = 0; k < t.phases; k++)
        sum += t.phase[k].seconds;
    assert_near(t.seconds, sum);
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* 0 sends to 1 a little, then much, and 2 to 3 only at first, in one phase with the little. */
static topomap_graph *two_phases(void)
{
    static const uint32_t from[] = {0, 2}, to[] = {1, 3};
    static const uint64_t first[] = {100, 300}, second[] = {300};
    topomap_graph *phase[] = {graph_of(4, 2, from, to, first, NULL),
                              graph_of(4, 1, from, to, second, NULL)};
    topomap_graph *g;
    topomap_error err;

    assert_int_equal(topomap_graph_merge((const topomap_graph *const *)phase, 2, &g, &err), 0);
    assert_int_equal(topomap_graph_set_phases(g, phase, 2, &err), 0);
    return g;
}

/* Without a barrier 0 and 1 are in the second phase while 2 and 3 are in the first. */
static void ranks_go_on_by_themselves_where_no_barrier_is(void **state)
{
    topomap_machine *m = parsed("mesh:4");
    topomap_graph *g = two_phases();
    topomap_time_costs costs = {sizeof costs, 1, 0, 0, 0, 1};
    const uint32_t slots[] = {0, 1, 2, 3};
    topomap_error err;
    topomap_time t = time_of(g, m, &costs);

    (void)state;
    assert_false(t.is_bound);
    assert_true(fabs(t.seconds - 400) < 0.5);
    assert_near(t.phase[0].seconds, 300);
    assert_near(t.phase[1].seconds, 300);
    topomap_time_clear(&t);
    assert_int_equal(topomap_time_predict(g, m, slots, &costs, NULL, 0, &t, NULL, &err), 0);
    assert_true(t.is_bound);
    assert_near(t.seconds, 600);
    topomap_time_clear(&t);
    costs.latency = 1000; /* once for each phase of a rank */
    t = time_of(g, m, &costs);
    assert_true(fabs(t.seconds - 2400) < 2.5);
    topomap_time_clear(&t);
    costs.latency = 0;
    g->phase[1]->barrier = 1;
    t = time_of(g, m, &costs);
    assert_near(t.seconds, 600);
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* What a rank copies takes as long as it does in one phase; who sends much waits for its end. */
static void copies_and_long_messages_hold_ranks(void **state)
{
    static const uint32_t from[] = {0, 1}, to[] = {1, 2};
    topomap_machine *m = parsed("mesh:2*2");
    topomap_time_costs costs = {sizeof costs, 1e6, 0, 0, 0, 1e5};

    (void)state;
    for (uint64_t bytes = 50000; bytes <= 100000; bytes += 50000) {
        topomap_graph *phase[] = {graph_of(3, 1, from, to, &bytes, NULL),
                                  graph_of(3, 1, from + 1, to + 1, &bytes, NULL)};
        topomap_graph *g;
        topomap_error err;
        topomap_time t;

        assert_int_equal(topomap_graph_merge((const topomap_graph *const *)phase, 2, &g, &err), 0);
        assert_int_equal(topomap_graph_set_phases(g, phase, 2, &err), 0);
        t = time_of(g, m, &costs);
        assert_true(fabs(t.seconds - (double)bytes * 1.1e-5) < 1e-3 * t.seconds);
        topomap_time_clear(&t);
        topomap_graph_free(g);
    }
    topomap_machine_free(m);
}

/* Two flows that are slow elsewhere at first meet on a link that was half idle until then: the most
 * loaded links would take 500. */
static void sharing_is_followed_to_its_end(void **state)
{
    static const uint32_t from[] = {0, 1, 2, 3, 7, 9, 10, 11}, to[] = {8, 4, 5, 6, 12, 13, 14, 15};
    static const uint64_t bytes[] = {200, 100, 100, 100, 200, 100, 100, 100};
    topomap_machine *m = parsed("mesh:4*4");
    topomap_graph *g = graph_of(16, 8, from, to, bytes, NULL);
    topomap_time_costs costs = {sizeof costs, 1, 0, 0, 0, 1};
    uint32_t slots[16];
    topomap_time t;
    topomap_error err;

    (void)state;
    for (uint32_t i = 0; i < 16; i++)
        slots[i] = i;
    t = time_of(g, m, &costs);
    assert_false(t.is_bound);
    assert_near(t.phase[0].link, 500);
    assert_near(t.seconds, 600);
    assert_string_equal(t.phase[0].bound_by, "link");
    topomap_time_clear(&t);
    assert_int_equal(topomap_time_predict(g, m, slots, &costs, NULL, 0, &t, NULL, &err), 0);
    assert_true(t.is_bound);
    assert_near(t.seconds, 500);
    topomap_time_clear(&t);
    assert_int_equal(topomap_time_predict(g, m, slots, &costs, NULL, 70, &t, NULL, &err), 0);
    assert_true(t.is_bound);
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* Never less than the most loaded link, but for what counts as together. */
static void sharing_is_no_faster_than_the_most_loaded_link(void **state)
{
    static const char *const spec[] = {"torus:4x3x2", "fattree:k=4,levels=3*2",
                                       "dragonfly:p=2,a=3,h=1*2"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        topomap_machine *m = parsed(spec[i]);
        topomap_graph *g;
        topomap_time_costs costs = {sizeof costs, 1, 0, 0, 0, 1e12};
        topomap_error err;
        topomap_time t;

        assert_int_equal(topomap_graph_read("random:24,deg=6,spread=0.9", NULL, &g, &err), 0);
        t = time_of(g, m, &costs);
        assert_false(t.is_bound);
        assert_true(t.seconds >= fmax(t.phase[0].link, t.phase[0].node));
        assert_true(t.seconds <= 1.5 * fmax(t.phase[0].link, t.phase[0].node));
        topomap_time_clear(&t);
        topomap_graph_free(g);
        topomap_machine_free(m);
    }
}

static void nothing_takes_no_time(void **state)
{
    topomap_machine *m = parsed("torus:4x4");
    topomap_graph *g = graph_of(16, 0, NULL, NULL, NULL, NULL);
    topomap_time t;

    (void)state;
    t = time_of(g, m, NULL);
    assert_near(t.seconds, 0);
    assert_string_equal(t.phase[0].bound_by, "");
    topomap_time_clear(&t);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

static void what_cannot_be_is_refused(void **state)
{
    static const uint32_t slots[] = {0, 1, 99};
    static const uint32_t from[] = {0, 1}, to[] = {1, 2};
    static const uint64_t bytes[] = {1, 1};
    topomap_machine *tree = parsed("tree:2:2@1:10"), *torus = parsed("torus:4");
    topomap_graph *g = graph_of(3, 2, from, to, bytes, NULL);
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;
    topomap_time t;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_time_evaluate(g, tree, slots, NULL, &t, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_time_evaluate(g, torus, slots, NULL, &t, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "rank 2");
    costs.rate = 0;
    assert_int_equal(topomap_time_evaluate(g, torus, slots, &costs, &t, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    costs.rate = 1;
    costs.memory_rate = -1;
    assert_int_equal(topomap_time_evaluate(g, torus, slots, &costs, &t, &err), -1);
    assert_message(err.text, "memory_rate 0");
    costs.memory_rate = 0;
    costs.latency = NAN;
    assert_int_equal(topomap_time_evaluate(g, torus, slots, &costs, &t, &err), -1);
    costs.latency = 0;
    costs.size = 3;
    assert_int_equal(topomap_time_evaluate(g, torus, slots, &costs, &t, &err), -1);
    assert_message(err.text, "topomap_time_costs");
    topomap_graph_free(g);
    topomap_machine_free(tree);
    topomap_machine_free(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_routed_in_the_order_of_dimensions),
        cmocka_unit_test(half_way_round_is_upwards_but_to_the_first),
        cmocka_unit_test(dragonflies_are_routed_minimally),
        cmocka_unit_test(a_phase_takes_its_longest_part_and_a_latency),
        cmocka_unit_test(what_stays_in_a_node_is_copied),
        cmocka_unit_test(a_memory_rate_of_0_is_the_machine_s),
        cmocka_unit_test(phases_follow_one_another),
        cmocka_unit_test(ranks_go_on_by_themselves_where_no_barrier_is),
        cmocka_unit_test(copies_and_long_messages_hold_ranks),
        cmocka_unit_test(sharing_is_followed_to_its_end),
        cmocka_unit_test(sharing_is_no_faster_than_the_most_loaded_link),
        cmocka_unit_test(nothing_takes_no_time),
        cmocka_unit_test(what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
