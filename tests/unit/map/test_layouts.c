/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts that are known beforehand: candidates, and the answer only where nothing as good was
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "topomap/time.h"

enum { RANKS = 64 };

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    topomap_mapping *mapping;
    topomap_error err;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    return mapping;
}

static topomap_map_options fast(void)
{
    return (topomap_map_options){.size = sizeof(topomap_map_options), .seed = 1};
}

static const topomap_time_costs by_links_alone = {
    .size = sizeof by_links_alone, .rate = 12.5e9, .memory_rate = 1e10};

/* Slots dealt round robin to nodes of so many each. */
static void deal(uint32_t *slot_of, uint32_t nodes)
{
    for (uint32_t r = 0; r < RANKS; r++)
        slot_of[r] = r % nodes * (RANKS / nodes) + r / nodes;
}

static const topomap_candidate *candidate(const topomap_mapping *mapping, const char *name)
{
    for (size_t i = 0; i < mapping->candidates; i++)
        if (strcmp(mapping->candidate[i].name, name) == 0)
            return &mapping->candidate[i];
    return NULL;
}

/* What a long search has found is given to a short one, for each objective. */
static void a_better_one_is_the_answer(void **state)
{
    static const enum topomap_objective_kind kinds[] = {
        TOPOMAP_OBJECTIVE_J, TOPOMAP_OBJECTIVE_CONGESTION, TOPOMAP_OBJECTIVE_MIX,
        TOPOMAP_OBJECTIVE_TIME};
    topomap_machine *m = map_machine("fattree:k=4,levels=3*4@1:10");
    topomap_graph *graph = map_graph(RANKS, 300, 100000, 5);
    topomap_time_costs costs = by_links_alone;

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        topomap_map_options options = fast();
        topomap_mapping *best, *without, *with;
        topomap_layout layout = {.name = "known"};

        options.objective = kinds[k];
        options.time_costs = &costs;
        without = mapped(graph, m, options);
        options.effort = TOPOMAP_STRONG;
        options.seed = 9;
        best = mapped(graph, m, options);
        layout.slot_of_rank = best->slot_of_rank;
        options = fast();
        options.objective = kinds[k];
        options.time_costs = &costs;
        options.layout = &layout;
        options.layouts = 1;
        with = mapped(graph, m, options);
        assert_string_not_equal(without->algorithm, "known");
        assert_string_equal(with->algorithm, "known");
        assert_memory_equal(with->slot_of_rank, best->slot_of_rank, RANKS * sizeof(uint32_t));
        assert_true(with->J == best->J && with->time == best->time);
        assert_true(with->congestion == best->congestion);
        topomap_mapping_free(with);
        topomap_mapping_free(best);
        topomap_mapping_free(without);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* One that loses changes nothing but the list, in which it is behind the baseline. */
static void a_worse_one_changes_nothing(void **state)
{
    topomap_machine *m = map_machine("fattree:k=4,levels=3*4@1:10");
    topomap_graph *graph = map_graph(RANKS, 500, 1000, 3);
    uint32_t dealt[RANKS], same[RANKS];
    const topomap_layout layout[] = {{"cyclic", dealt}, {"baseline", same}, {"again", dealt}};

    (void)state;
    deal(dealt, 16);
    for (uint32_t r = 0; r < RANKS; r++)
        same[r] = r;
    for (int kind = TOPOMAP_OBJECTIVE_J; kind <= TOPOMAP_OBJECTIVE_TIME; kind++) {
        topomap_map_options options = fast();
        topomap_mapping *without, *with;

        options.objective = (enum topomap_objective_kind)kind;
        options.threads = 2;
        without = mapped(graph, m, options);
        options.layout = layout;
        options.layouts = 3;
        with = mapped(graph, m, options);
        assert_string_equal(with->algorithm, without->algorithm);
        assert_memory_equal(with->slot_of_rank, without->slot_of_rank, RANKS * sizeof(uint32_t));
        assert_int_equal(with->candidates, without->candidates + 1);
        assert_string_equal(with->candidate[0].name, without->candidate[0].name);
        assert_string_equal(with->candidate[1].name, "cyclic");
        for (size_t i = 1; i < without->candidates; i++)
            assert_string_equal(with->candidate[i + 1].name, without->candidate[i].name);
        topomap_mapping_free(with);
        topomap_mapping_free(without);
    }
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* By the time that is reported, too, which is not what the search goes by. */
static void no_layout_is_faster(void **state)
{
    topomap_machine *m = map_machine("fattree:k=4,levels=3*4@1:10");
    topomap_time_costs costs = by_links_alone;
    uint32_t dealt[4][RANKS];

    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        topomap_graph *graph = map_graph(RANKS, 40 + 20 * (uint32_t)seed, 1000000, seed);
        topomap_map_options options = fast();
        topomap_layout layout[4];
        topomap_mapping *mapping;
        topomap_error err;

        for (uint32_t k = 0; k < 4; k++) {
            deal(dealt[k], 4u << k);
            layout[k] = (topomap_layout){"dealt", dealt[k]};
        }
        options.objective = TOPOMAP_OBJECTIVE_TIME;
        options.time_costs = &costs;
        options.layout = layout;
        options.layouts = 4;
        mapping = mapped(graph, m, options);
        for (uint32_t k = 0; k < 4; k++) {
            topomap_time time;

            assert_int_equal(topomap_time_evaluate(graph, m, dealt[k], &costs, &time, &err), 0);
            assert_true(mapping->time <= time.seconds * (1 + 1e-9));
            topomap_time_clear(&time);
        }
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
    }
    topomap_machine_free(m);
}

static void contiguous_takes_those_that_are(void **state)
{
    topomap_machine *m = map_machine("fattree:k=4,levels=3*4@1:10");
    topomap_graph *graph = map_graph(RANKS, 300, 1000, 3);
    uint32_t dealt[RANKS], back[RANKS];
    const topomap_layout layout[] = {{"cyclic", dealt}, {"backwards", back}};
    topomap_map_options options = fast();
    topomap_mapping *mapping;

    (void)state;
    deal(dealt, 16);
    for (uint32_t r = 0; r < RANKS; r++)
        back[r] = RANKS - 4 - r / 4 * 4 + r % 4;
    options.contiguous = 1;
    options.layout = layout;
    options.layouts = 2;
    mapping = mapped(graph, m, options);
    assert_null(candidate(mapping, "cyclic"));
    assert_non_null(candidate(mapping, "backwards"));
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* Who names an algorithm gets that; with loads to balance no layout is a candidate. */
static void where_there_is_no_choice(void **state)
{
    topomap_machine *m = map_machine("tree:4:16@1:10");
    topomap_graph *graph = map_graph(RANKS, 300, 1000, 3);
    uint32_t dealt[RANKS];
    const topomap_layout layout = {"cyclic", dealt};
    topomap_map_options options = fast();
    topomap_mapping *mapping;

    (void)state;
    deal(dealt, 16);
    options.layout = &layout;
    options.layouts = 1;
    options.algorithm = "random";
    mapping = mapped(graph, m, options);
    assert_string_equal(mapping->algorithm, "random");
    assert_int_equal(mapping->candidates, 1);
    topomap_mapping_free(mapping);
    graph->load = malloc(RANKS * sizeof *graph->load);
    assert_non_null(graph->load);
    graph->loads = 1;
    for (uint32_t r = 0; r < RANKS; r++)
        graph->load[r] = 1 + r % 7;
    options.algorithm = NULL;
    mapping = mapped(graph, m, options);
    assert_non_null(candidate(mapping, "cyclic"));
    topomap_mapping_free(mapping);
    options.balance = 0.05;
    mapping = mapped(graph, m, options);
    assert_null(candidate(mapping, "cyclic"));
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static void what_is_no_placement_is_refused(void **state)
{
    topomap_machine *m = map_machine("tree:4:16@1:10");
    topomap_graph *graph = map_graph(RANKS, 300, 1000, 3);
    uint32_t twice[RANKS] = {0};
    const topomap_layout layout = {"cyclic", twice};
    topomap_map_options options = fast();
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    options.layout = &layout;
    options.layouts = 1;
    assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "cyclic|rank 1|slot 0");
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_better_one_is_the_answer),
        cmocka_unit_test(a_worse_one_changes_nothing),
        cmocka_unit_test(no_layout_is_faster),
        cmocka_unit_test(contiguous_takes_those_that_are),
        cmocka_unit_test(where_there_is_no_choice),
        cmocka_unit_test(what_is_no_placement_is_refused),
    };

    return cmocka_run_group_tests_name("map layouts", tests, NULL, NULL);
}
