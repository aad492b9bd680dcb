/* SPDX-License-Identifier: BSD-3-Clause */
/* The objective mix: its value by hand, what it promises, and what its share decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topomap/time.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    uint32_t n = topomap_machine_slots(m);
    uint8_t *used = calloc(n, 1);
    topomap_mapping *mapping;
    topomap_error err;

    assert_non_null(used);
    options.objective = TOPOMAP_OBJECTIVE_MIX;
    if (topomap_map(graph, m, &options, &mapping, &err))
        fail_msg("%s", err.text);
    for (uint32_t v = 0; v < n; v++)
        assert_int_equal(used[mapping->slot_of_rank[v]]++, 0);
    free(used);
    return mapping;
}

/* What a placement reaches, by the public functions; NULL: rank r on slot r. */
static void measure(const topomap_graph *graph, const topomap_machine *m, const uint32_t *slot_of,
                    const char *model, double *J, double *max)
{
    uint32_t ranks = topomap_graph_ranks(graph), *own = malloc((ranks + 1) * sizeof *own);
    topomap_congestion load;
    topomap_cost cost;
    topomap_error err;

    for (uint32_t r = 0; r < ranks; r++)
        own[r] = slot_of ? slot_of[r] : r;
    assert_int_equal(topomap_cost_evaluate(graph, m, own, &cost, &err), 0);
    assert_int_equal(topomap_congestion_evaluate(graph, m, own, model, &load, &err), 0);
    *J = cost.J;
    *max = load.max;
    topomap_cost_clear(&cost);
    free(own);
}

/* 0 -> 2 -> 1 -> 3 with 6 bytes each on a row of four nodes. In rank order the edges are 2, 1 and 2
 * hops long, and the link from 1 to 2 has two of them (2 -> 1 comes the other way). In the order 0
 * 2 1 3 all are 1 hop long and no link has two: 0.25 * 3/5 + 0.75 * 1/2. */
static void value_by_hand(void **state)
{
    static const uint32_t from[] = {0, 2, 1}, to[] = {2, 1, 3};
    static const uint64_t bytes[] = {6, 6, 6};
    topomap_machine *m = map_machine("mesh:4");
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_graph_new(4, 3, from, to, bytes, NULL, &graph, &err), 0);
    mapping =
        mapped(graph, m, (topomap_map_options){.size = sizeof(topomap_map_options), .mix = 0.25});
    assert_true(mapping->candidate[0].mix == 1);
    assert_true(fabs(mapping->mix - 0.525) < 1e-12);
    assert_int_equal(mapping->objective, TOPOMAP_OBJECTIVE_MIX);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void check(const topomap_graph *graph, const topomap_machine *m, topomap_map_options options)
{
    topomap_mapping *mapping = mapped(graph, m, options);
    const char *model = mapping->congestion_model;
    double share = options.mix > 0 ? options.mix : 0.5, J0, max0, J, max, mix;

    measure(graph, m, NULL, model, &J0, &max0);
    measure(graph, m, mapping->slot_of_rank, model, &J, &max);
    mix = share * (J > 0 ? J / J0 : 0) + (1 - share) * (max > 0 ? max / max0 : 0);
    assert_true(mapping->mix <= 1 + 1e-9);
    assert_true(fabs(mapping->mix - mix) <= 1e-9);
    for (size_t i = 0; i < mapping->candidates; i++)
        assert_true(mapping->mix <= mapping->candidate[i].mix * (1 + 1e-8));
    topomap_mapping_free(mapping);
}

/* On every kind of machine with links, at each effort, contiguous, between nodes only; with
 * everybody silent, and where the baseline loads no link. */
static void never_worse_and_as_evaluated(void **state)
{
    static const char *const specs[] = {"torus:4x4*2@1:10", "mesh:5x3*2@1:10",
                                        "fattree:k=4,levels=2*4", "dragonfly:p=2,a=2,h=1*3"};
    topomap_graph *graph[] = {map_graph(30, 120, 1000, 4), map_graph(30, 0, 1, 1),
                              map_graph(2, 4, 9, 2)};

    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        topomap_machine *m = map_machine(specs[s]);

        for (size_t g = 0; g < 3; g++)
            for (int how = 0; how < 5; how++)
                if (topomap_graph_ranks(graph[g]) <= topomap_machine_slots(m) &&
                    (how != TOPOMAP_STRONG || g))
                    check(graph[g], m,
                          (topomap_map_options){.size = sizeof(topomap_map_options),
                                                .effort = how < 3 ? (enum topomap_effort)how
                                                                  : TOPOMAP_FAST,
                                                .mix = 0.2 * how,
                                                .contiguous = how == 3,
                                                .inter_only = how == 4});
        topomap_machine_free(m);
    }
    for (size_t g = 0; g < 3; g++)
        topomap_graph_free(graph[g]);
}

/* With more weight on J, the result has the lower J; with less, the lower maximum. */
static void share_decides(void **state)
{
    topomap_machine *m = map_machine("torus:8x8");
    topomap_graph *graph = map_graph(64, 200, 1000, 12);
    topomap_mapping *low =
        mapped(graph, m, (topomap_map_options){.size = sizeof(topomap_map_options), .mix = 0.02});
    topomap_mapping *high =
        mapped(graph, m, (topomap_map_options){.size = sizeof(topomap_map_options), .mix = 0.98});

    (void)state;
    assert_true(low->congestion < high->congestion);
    assert_true(low->J > high->J);
    topomap_mapping_free(low);
    topomap_mapping_free(high);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void refused(void **state)
{
    topomap_machine *tree = map_machine("tree:2:4@1:10"), *torus = map_machine("torus:8");
    topomap_map_options options = {.size = sizeof options, .objective = TOPOMAP_OBJECTIVE_MIX};
    topomap_graph *graph = map_graph(8, 20, 9, 1);
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_map(graph, tree, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "mix");
    assert_message(err.text, "gpus:");
    options.mix = 1;
    assert_int_equal(topomap_map(graph, torus, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    topomap_machine_free(tree);
    topomap_machine_free(torus);
    topomap_graph_free(graph);
}

static void refuses(const topomap_map_options *options, const char *text)
{
    topomap_machine *torus = map_machine("torus:8");
    topomap_graph *graph = map_graph(8, 20, 9, 1);
    topomap_mapping *mapping = NULL;
    topomap_error err = {0};

    assert_int_equal(topomap_map(graph, torus, options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    if (!message_has(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    assert_null(mapping);
    topomap_machine_free(torus);
    topomap_graph_free(graph);
}

static void options_out_of_range_are_named(void **state)
{
    enum { SIZE = sizeof(topomap_map_options) };
    const struct {
        topomap_map_options options;
        const char *text;
    } wrong[] = {
        {{.size = SIZE, .effort = (enum topomap_effort)9}, "options.effort: TOPOMAP_FAST"},
        {{.size = SIZE, .objective = (enum topomap_objective_kind)17}, "options.objective: "},
        {{.size = SIZE, .seconds = NAN}, "options.seconds: 0 (no limit) or more"},
        {{.size = SIZE, .seconds = -1}, "options.seconds: "},
        {{.size = SIZE, .balance = NAN}, "options.balance: "},
        {{.size = SIZE, .balance = -0.5}, "options.balance: "},
        {{.size = SIZE, .message_bytes = -1}, "options.message_bytes: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses(&wrong[i].options, wrong[i].text);
}

/* By whatever objective: who asks for J today asks for the time tomorrow. */
static void costs_that_are_none_are_refused(void **state)
{
    const topomap_time_costs usual = TOPOMAP_TIME_COSTS;

    (void)state;
    for (int objective = TOPOMAP_OBJECTIVE_J; objective <= TOPOMAP_OBJECTIVE_TIME; objective++) {
        topomap_time_costs costs[6] = {usual, usual, usual, usual, usual, usual};
        topomap_map_options options = {.size = sizeof options,
                                       .objective = (enum topomap_objective_kind)objective};

        costs[0].size = 0;
        costs[1].size = 8;
        costs[2].rate = 0;
        costs[3].latency = -1;
        costs[4].overhead = NAN;
        costs[5].memory_rate = -1;
        for (int i = 0; i < 6; i++) {
            options.time_costs = &costs[i];
            refuses(&options, i < 2 ? "topomap_time_costs" : "time");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_by_hand),
        cmocka_unit_test(never_worse_and_as_evaluated),
        cmocka_unit_test(share_decides),
        cmocka_unit_test(refused),
        cmocka_unit_test(options_out_of_range_are_named),
        cmocka_unit_test(costs_that_are_none_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
