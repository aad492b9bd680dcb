/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program brings along: algorithms and readers of its own (topomap/extend.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "topomap/extend.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

enum how { BACKWARDS, TWICE, NOTHING, SILENT, TOLD, KEPT };

struct seen {
    enum how how;
    unsigned calls;
    uint64_t seed;
    uint32_t ranks, slots;
};

static int own(const topomap_problem *problem, uint32_t *slot_of_rank, void *data,
               topomap_error *err)
{
    struct seen *seen = data;
    uint32_t n = topomap_graph_ranks(topomap_problem_graph(problem));

    seen->calls++;
    seen->seed = topomap_problem_seed(problem);
    seen->ranks = n;
    seen->slots = topomap_machine_slots(topomap_problem_machine(problem));
    assert_int_equal(topomap_problem_late(problem), 0);
    switch (seen->how) {
    case BACKWARDS:
    case TWICE:
        for (uint32_t r = 0; r < n; r++)
            slot_of_rank[r] = n - 1 - r;
        if (seen->how == TWICE)
            slot_of_rank[0] = slot_of_rank[1];
        return 0;
    case TOLD:
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no licence");
    case SILENT:
        return -1;
    default:
        return 0;
    }
}

static int run_with(topomap_map_options options, struct seen *seen, topomap_own_algorithm *given,
                    size_t count, topomap_mapping **mapping, topomap_error *err)
{
    topomap_graph *graph = map_graph(6, 20, 100, 1);
    topomap_machine *machine = map_machine("tree:4:2@1:10");
    int status;

    given->data = seen;
    options.size = sizeof options;
    options.seed = 42;
    options.own_algorithms = count;
    options.own_algorithm = given;
    status = topomap_map(graph, machine, &options, mapping, err);
    topomap_machine_free(machine);
    topomap_graph_free(graph);
    return status;
}

static int run(const char *algorithm, struct seen *seen, topomap_own_algorithm *given, size_t count,
               topomap_mapping **mapping, topomap_error *err)
{
    topomap_map_options options = {.algorithm = algorithm};

    return run_with(options, seen, given, count, mapping, err);
}

static const topomap_own_algorithm good = {.size = sizeof good, .name = "backwards", .run = own};

static void its_placement_is_the_result(void **state)
{
    struct seen seen = {BACKWARDS, 0, 0, 0, 0};
    topomap_own_algorithm it = good;
    topomap_mapping *mapping;
    topomap_error err;
    double J;

    (void)state;
    assert_int_equal(run("backwards", &seen, &it, 1, &mapping, &err), 0);
    for (uint32_t r = 0; r < 6; r++)
        assert_int_equal(mapping->slot_of_rank[r], 5 - r);
    assert_int_equal(mapping->slot_of_rank[6] + mapping->slot_of_rank[7], 6 + 7);
    assert_string_equal(mapping->algorithm, "backwards");
    assert_true(seen.calls == 1 && seen.seed == 42 && seen.ranks == 6 && seen.slots == 8);
    J = mapping->J;
    topomap_mapping_free(mapping);
    assert_int_equal(run("backwards+swap", &seen, &it, 1, &mapping, &err), 0);
    assert_true(mapping->J <= J);
    topomap_mapping_free(mapping);
}

static void one_that_refines_has_a_placement(void **state)
{
    struct seen seen = {KEPT, 0, 0, 0, 0};
    topomap_own_algorithm it = good;
    topomap_mapping *mapping, *random;
    topomap_error err;

    (void)state;
    assert_int_equal(run("random+backwards", &seen, &it, 1, &mapping, &err), -1);
    assert_message(err.text, "'backwards'|'+'");
    it.refines = 1;
    assert_int_equal(run("backwards", &seen, &it, 1, &mapping, &err), 0);
    for (uint32_t r = 0; r < 6; r++)
        assert_int_equal(mapping->slot_of_rank[r], r);
    topomap_mapping_free(mapping);
    assert_int_equal(run("random", &seen, &it, 1, &random, &err), 0);
    assert_int_equal(run("random+backwards", &seen, &it, 1, &mapping, &err), 0);
    assert_int_equal(seen.calls, 2);
    assert_memory_equal(mapping->slot_of_rank, random->slot_of_rank, 6 * sizeof(uint32_t));
    for (uint32_t r = 0; r < 6 && random->slot_of_rank[r] == r; r++)
        assert_true(r < 5); /* it is another placement than that which it would get alone */
    topomap_mapping_free(random);
    topomap_mapping_free(mapping);
}

/* What stays together is one rank of the problem: its graph has the blocks or groups. */
static void blocks_and_groups_are_its_ranks(void **state)
{
    static const uint32_t pairs[] = {0, 1, 2, 0, 1, 2};
    struct seen seen = {BACKWARDS, 0, 0, 0, 0};
    topomap_own_algorithm it = good;
    topomap_map_options options = {.algorithm = "backwards", .contiguous = 1};
    topomap_machine *machine = map_machine("tree:4:2@1:10");
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(run_with(options, &seen, &it, 1, &mapping, &err), 0);
    assert_true(seen.calls > 0 && seen.ranks < 6);
    for (uint32_t r = 0; r < 6; r += 2)
        assert_int_equal(topomap_machine_node_of(machine, mapping->slot_of_rank[r]),
                         topomap_machine_node_of(machine, mapping->slot_of_rank[r + 1]));
    topomap_mapping_free(mapping);
    seen = (struct seen){BACKWARDS, 0, 0, 0, 0};
    options = (topomap_map_options){.algorithm = "backwards", .together = pairs};
    assert_int_equal(run_with(options, &seen, &it, 1, &mapping, &err), 0);
    assert_true(seen.calls > 0 && seen.ranks == 3);
    for (uint32_t r = 0; r < 3; r++)
        assert_int_equal(topomap_machine_node_of(machine, mapping->slot_of_rank[r]),
                         topomap_machine_node_of(machine, mapping->slot_of_rank[r + 3]));
    topomap_mapping_free(mapping);
    topomap_machine_free(machine);
}

static void what_is_no_placement_is_refused(void **state)
{
    static const struct {
        enum how how;
        enum topomap_code code;
        const char *text;
    } cases[] = {
        {TWICE, TOPOMAP_EINPUT, "backwards|rank 1|slot 4"},
        {NOTHING, TOPOMAP_EINPUT, "rank 0|slot 4294967295"},
        {SILENT, TOPOMAP_ESYSTEM, "'backwards'"},
        {TOLD, TOPOMAP_ESYSTEM, "no licence"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = {cases[i].how, 0, 0, 0, 0};
        topomap_own_algorithm it = good;
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(run("backwards", &seen, &it, 1, &mapping, &err), -1);
        assert_null(mapping);
        assert_int_equal(err.code, cases[i].code);
        assert_message(err.text, cases[i].text);
    }
}

static void a_row_that_is_wrong_is_refused(void **state)
{
    topomap_own_algorithm two[2] = {good, good};
    struct seen seen = {BACKWARDS, 0, 0, 0, 0};
    topomap_mapping *mapping;
    topomap_error err;

    (void)state;
    assert_int_equal(run("backwards", &seen, two, 2, &mapping, &err), -1);
    assert_message(err.text, "'backwards'");
    two[0].name = "swap";
    assert_int_equal(run("swap", &seen, two, 1, &mapping, &err), -1);
    assert_message(err.text, "'swap'");
    two[0].name = "a+b";
    assert_int_equal(run("a+b", &seen, two, 1, &mapping, &err), -1);
    assert_message(err.text, "1|31");
    two[0] = good;
    two[0].run = NULL;
    assert_int_equal(run("backwards", &seen, two, 1, &mapping, &err), -1);
    assert_message(err.text, "function");
    two[0] = good;
    two[0].size = 0;
    assert_int_equal(run("backwards", &seen, two, 1, &mapping, &err), -1);
    assert_message(err.text, "sizeof(topomap_own_algorithm)");
    two[0] = good;
    assert_int_equal(run("backwards,depth=3", &seen, two, 1, &mapping, &err), -1);
    assert_message(err.text, "parameters");
    assert_int_equal(seen.calls, 0);
}

static int read_pairs(topomap_input *input, void *data, topomap_graph **graph, topomap_error *err)
{
    uint32_t from[] = {0}, to[] = {1};
    uint64_t bytes[] = {0};
    char *line;
    size_t length;

    if (topomap_input_line(input, 0, &line, &length, err) != 1)
        return -1;
    if (strcmp(line, "nothing") == 0)
        return 0;
    if (strcmp(line, "silence") == 0)
        return -1;
    if (strncmp(line, "bytes ", 6) != 0)
        return topomap_input_fail(input, err, "expected `bytes N`");
    bytes[0] = strtoull(line + 6, NULL, 10);
    *(size_t *)data = topomap_input_lineno(input);
    return topomap_graph_new(2, 1, from, to, bytes, NULL, graph, err);
}

static int read_text(const char *text, size_t *lines, topomap_graph **graph, topomap_error *err)
{
    const char *path = scratch_text("trace", text);

    return topomap_graph_read_with(path, read_pairs, lines, graph, err);
}

static void a_reader_makes_the_graph(void **state)
{
    topomap_graph *graph = NULL;
    const uint64_t *offset, *bytes;
    const uint32_t *target;
    topomap_error err;
    size_t lines = 0;
    unsigned width = 1;

    (void)state;
    assert_int_equal(read_text("bytes 77\n", &lines, &graph, &err), 0);
    assert_int_equal(lines, 1);
    topomap_graph_arcs(graph, &offset, &target, &bytes);
    assert_true(offset[0] == 0 && offset[1] == 1 && offset[2] == 1);
    assert_true(target[0] == 1 && bytes[0] == 77);
    assert_null(topomap_graph_counts(graph, &width));
    assert_int_equal(width, 0);
    topomap_graph_free(graph);
    graph = NULL;
    assert_int_equal(read_text("words\n", &lines, &graph, &err), -1);
    assert_message(err.text, ":1: expected `bytes N`");
    assert_int_equal(read_text("silence\n", &lines, &graph, &err), -1);
    assert_message(err.text, "reader");
    assert_int_equal(read_text("nothing\n", &lines, &graph, &err), -1);
    assert_message(err.text, "reader");
    assert_int_equal(topomap_graph_read_with("/nowhere", read_pairs, &lines, &graph, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_null(graph);
}

static void counts_have_a_width(void **state)
{
    uint32_t from[] = {0, 1}, to[] = {1, 0};
    uint64_t bytes[] = {5, 6}, messages[] = {3, 70000};
    topomap_graph *graph;
    topomap_error err;
    unsigned width;
    const void *counts;

    (void)state;
    assert_int_equal(topomap_graph_new(2, 2, from, to, bytes, messages, &graph, &err), 0);
    counts = topomap_graph_counts(graph, &width);
    assert_int_equal(width, 4);
    assert_true(((const uint32_t *)counts)[0] == 3 && ((const uint32_t *)counts)[1] == 70000);
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_placement_is_the_result),
        cmocka_unit_test(one_that_refines_has_a_placement),
        cmocka_unit_test(blocks_and_groups_are_its_ranks),
        cmocka_unit_test(what_is_no_placement_is_refused),
        cmocka_unit_test(a_row_that_is_wrong_is_refused),
        cmocka_unit_test(a_reader_makes_the_graph),
        cmocka_unit_test(counts_have_a_width),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
