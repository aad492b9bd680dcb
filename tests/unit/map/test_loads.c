/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of links, kept through swaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/links/links.h"
#include "map/objective.h"
#include "tests/unit/map/congested.h"
#include "tests/unit/scratch.h"

/* Slots of one line of the torus, joined to a fresh evaluation after every few swaps. */
static void compare_loads(const topomap_loads *loads, const topomap_graph *graph,
                          const topomap_machine *machine, const uint32_t *slot_of,
                          const char *model)
{
    topomap_congestion c = congested_measured(graph, machine, slot_of, model);
    double most = 0;

    congested_close(topomap_maxima_max(&loads->load), c.max);
    congested_close(topomap_loads_sum(loads), c.mean * c.links);
    for (uint32_t link = 0; link < loads->network->links; link++)
        most = fmax(most, topomap_maxima_get(&loads->load, link));
    assert_true(!(most < topomap_maxima_max(&loads->load)) &&
                !(most > topomap_maxima_max(&loads->load)));
}

static void follow_swaps(const char *spec, const char *model, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_machine *m = map_machine(spec);
    uint32_t n = topomap_machine_slots(m), ranks = n - n / 5;
    topomap_graph *graph = congested_graph(&random, ranks, 4, 1000);
    uint32_t *slot_of = calloc(n, sizeof *slot_of), *at = calloc(n, sizeof *at);
    topomap_objective o;
    topomap_shares *shares;
    topomap_traffic_rows rows;
    topomap_loads loads;
    topomap_error err;
    uint64_t looked = 0;

    assert_true(slot_of && at);
    assert_int_equal(topomap_objective_open(m, TOPOMAP_OBJECTIVE_CONGESTION, model, &o, &err), 0);
    for (uint32_t v = 0; v < n; v++)
        slot_of[v] = v;
    topomap_random_shuffle(&random, slot_of, n);
    for (uint32_t v = 0; v < n; v++)
        at[v] = o.network->vertex_of[m->node_of[slot_of[v]]];
    assert_int_equal(topomap_shares_new(m, o.network, model, 0, &shares, &err), 0);
    assert_int_equal(topomap_traffic_rows_new(graph, n, &rows, &err), 0);
    assert_int_equal(topomap_loads_init(&loads, shares, o.network, &rows, at, &looked, &err), 0);
    compare_loads(&loads, graph, m, slot_of, model);
    loads.scale = topomap_maxima_max(&loads.load);
    loads.floor = seed == 2 ? 0.6 : 0;
    loads.power = seed == 2 ? 1 : 4;
    loads.slope = 0.01;
    for (int i = 0; i < 60; i++) {
        uint32_t u = topomap_random_below(&random, n), x = topomap_random_below(&random, n), slot;
        double before = topomap_loads_potential(&loads), delta = topomap_loads_price(&loads, u, x);
        double peak = loads.peak;

        if (u == x || i % 3 == 0) /* priced, not done: nothing has changed */
            continue;
        topomap_loads_swap(&loads);
        slot = at[u];
        at[u] = at[x];
        at[x] = slot;
        slot = slot_of[u];
        slot_of[u] = slot_of[x];
        slot_of[x] = slot;
        if (fabs(topomap_loads_potential(&loads) - before - delta) > 1e-8 * (before + 1))
            fail_msg("%s: priced %.17g, is %.17g", spec, delta,
                     topomap_loads_potential(&loads) - before);
        assert_true(peak <= topomap_maxima_max(&loads.load) * (1 + 1e-9));
        compare_loads(&loads, graph, m, slot_of, model);
    }
    topomap_random_shuffle(&random, slot_of, n);
    for (uint32_t v = 0; v < n; v++)
        at[v] = o.network->vertex_of[m->node_of[slot_of[v]]];
    loads.epoch = UINT32_MAX - 1; /* a long search is behind it */
    assert_int_equal(topomap_loads_restart(&loads, &err), 0);
    compare_loads(&loads, graph, m, slot_of, model);
    assert_true(loads.power == 1 && !(loads.floor > 0) && loads.epoch <= n);
    topomap_loads_clear(&loads);
    topomap_traffic_rows_clear(&rows);
    topomap_shares_free(shares);
    topomap_objective_close(&o);
    topomap_graph_free(graph);
    topomap_machine_free(m);
    free(slot_of);
    free(at);
}

static void loads_are_those_of_an_evaluation(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONGESTED_SPECS; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            follow_swaps(congested_spec[i], "exact", seed);
            if (strncmp(congested_spec[i], "percs", 5) != 0)
                follow_swaps(congested_spec[i], "routes", seed);
        }
}

static void loads_above_lists_them(void **state)
{
    topomap_machine *m = map_machine("mesh:3");
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 0};
    static const uint64_t bytes[] = {10, 30, 25};
    uint32_t at[] = {0, 1, 2}, link[8];
    topomap_graph *graph;
    topomap_objective o;
    topomap_shares *shares;
    topomap_traffic_rows rows;
    topomap_loads loads;
    topomap_error err;
    uint64_t looked = 0;

    (void)state; /* links 0->1, 1->0, 1->2, 2->1 with 10, 25, 30, 25 */
    assert_int_equal(topomap_graph_new(3, 3, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_objective_open(m, TOPOMAP_OBJECTIVE_CONGESTION, "exact", &o, &err), 0);
    assert_string_equal(o.model, "exact");
    assert_int_equal(topomap_shares_new(m, o.network, "exact", 0, &shares, &err), 0);
    assert_int_equal(topomap_traffic_rows_new(graph, 3, &rows, &err), 0);
    assert_int_equal(topomap_loads_init(&loads, shares, o.network, &rows, at, &looked, &err), 0);
    assert_int_equal(topomap_maxima_above(&loads.load, 11, 8, link), 3);
    assert_true(link[0] == 1 && link[1] == 2 && link[2] == 3);
    assert_int_equal(topomap_maxima_above(&loads.load, 30, 8, link), 1);
    assert_int_equal(link[0], 2);
    assert_int_equal(topomap_maxima_above(&loads.load, 0, 2, link), 2);
    assert_int_equal(topomap_maxima_above(&loads.load, 31, 8, link), 0);
    loads.scale = 10;
    loads.floor = 2;
    congested_close(topomap_loads_potential(&loads), 0.5 + 1 + 0.5);
    loads.slope = 1;
    congested_close(topomap_loads_potential(&loads), 2 + 1 + 6.25 + 9 + 6.25);
    topomap_loads_clear(&loads);
    topomap_traffic_rows_clear(&rows);
    topomap_shares_free(shares);
    topomap_objective_close(&o);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* What a set of paths loads each link with, added up anew. */
static void compare_paths(const topomap_fast_loads *l)
{
    double *bytes = calloc(l->network->links + 1, sizeof *bytes), most = 0, sum = 0;

    assert_non_null(bytes);
    for (uint32_t i = 0; i < l->paths; i++) {
        const topomap_fast_path *p = &l->path[i];
        uint32_t at = l->at[p->to];

        for (uint32_t k = 0; k < p->links; k++) { /* from the end to the beginning */
            assert_int_equal(l->network->head[p->link[k]], at);
            for (at = 0; l->network->first[at + 1] <= p->link[k];)
                at++;
            bytes[p->link[k]] += p->bytes;
        }
        assert_int_equal(at, l->at[p->from]);
    }
    for (uint32_t link = 0; link < l->network->links; link++) {
        congested_close(bytes[link], l->bytes[link]);
        most = fmax(most, bytes[link] / l->network->capacity[link]);
        sum += bytes[link] / l->network->capacity[link];
    }
    congested_close(topomap_fast_loads_max(l), most);
    congested_close(l->sum, sum);
    free(bytes);
}

/* At first the loads are those of a whole evaluation; after swaps, those of the paths kept, each as
 * many hops as its ends are apart; and a swap taken back leaves no trace. */
static void fast_loads_are_those_of_their_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONGESTED_SPECS; i++) {
        topomap_random random = {i};
        topomap_machine *m = map_machine(congested_spec[i]);
        uint32_t n = topomap_machine_slots(m);
        topomap_graph *graph = congested_graph(&random, n, 3, 500);
        uint32_t *slot_of = calloc(n, sizeof *slot_of), *at = calloc(n, sizeof *at);
        topomap_objective o;
        topomap_fast_loads l;
        topomap_error err;

        assert_true(slot_of && at);
        assert_int_equal(topomap_objective_open(m, TOPOMAP_OBJECTIVE_CONGESTION, "exact", &o, &err),
                         0);
        for (uint32_t v = 0; v < n; v++) {
            slot_of[v] = v;
            at[v] = o.network->vertex_of[m->node_of[v]];
        }
        assert_int_equal(topomap_fast_loads_init(&l, graph, o.network, n, at, &err), 0);
        congested_close(topomap_fast_loads_max(&l),
                        congested_measured(graph, m, slot_of, "fast").max);
        for (int k = 0; k < 40; k++) {
            uint32_t u = topomap_random_below(&random, n), x = topomap_random_below(&random, n);
            double max = topomap_fast_loads_max(&l), sum = l.sum;

            if (u == x)
                continue;
            assert_int_equal(topomap_fast_loads_swap(&l, u, x), 0);
            if (k % 2)
                compare_paths(&l);
            else
                topomap_fast_loads_undo(&l);
            if (k % 2 == 0) {
                congested_close(topomap_fast_loads_max(&l), max);
                congested_close(l.sum, sum);
            }
        }
        compare_paths(&l);
        topomap_fast_loads_clear(&l);
        topomap_objective_close(&o);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(slot_of);
        free(at);
    }
}

/* Threshold accepting goes by the fast congestion: never above the start's, and mostly below. */
static void threshold_lowers_the_fast_congestion(void **state)
{
    topomap_random random = {9};
    uint32_t lower = 0;

    (void)state;
    for (size_t i = 0; i < CONGESTED_SPECS; i++) {
        topomap_machine *m = map_machine(congested_spec[i]);
        uint32_t n = topomap_machine_slots(m);
        topomap_graph *graph = congested_graph(&random, n, 3, 100);
        uint32_t *start = calloc(n, sizeof *start);
        topomap_map_options options = {.size = sizeof options,
                                       .algorithm = "threshold",
                                       .effort = TOPOMAP_FAST,
                                       .seed = 2,
                                       .start = start};
        topomap_mapping *mapping;
        double before, after;

        assert_non_null(start);
        for (uint32_t v = 0; v < n; v++)
            start[v] = v;
        mapping = congested_mapping(graph, m, options);
        congested_permutation(mapping, m);
        before = congested_measured(graph, m, start, "fast").max;
        after = congested_measured(graph, m, mapping->slot_of_rank, "fast").max;
        assert_true(after <= before * (1 + 1e-9));
        lower += after < before * (1 - 1e-9);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(start);
    }
    assert_true(lower >= CONGESTED_SPECS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_an_evaluation),
        cmocka_unit_test(loads_above_lists_them),
        cmocka_unit_test(fast_loads_are_those_of_their_paths),
        cmocka_unit_test(threshold_lowers_the_fast_congestion),
    };

    return cmocka_run_group_tests_name("loads", tests, scratch_setup, scratch_teardown);
}
