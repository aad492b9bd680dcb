/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/map/maps.h"

#include <stdlib.h>

#include "util/random.h"

topomap_machine *map_machine(const char *spec)
{
    topomap_machine *machine = NULL;
    topomap_error err;

    if (topomap_machine_parse(spec, &machine, &err) != 0)
        fail_msg("%s", err.text);
    return machine;
}

topomap_graph *map_graph(uint32_t ranks, uint32_t arcs, uint64_t most, uint64_t seed)
{
    topomap_random random = {seed};
    uint32_t *from = malloc((arcs + 1) * sizeof *from), *to = malloc((arcs + 1) * sizeof *to);
    uint64_t *bytes = malloc((arcs + 1) * sizeof *bytes);
    topomap_graph *graph = NULL;
    topomap_error err;

    for (uint32_t i = 0; i < arcs; i++) {
        from[i] = topomap_random_below(&random, ranks);
        to[i] = topomap_random_below(&random, ranks);
        bytes[i] = 1 + topomap_random_next(&random) % most;
    }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err) != 0)
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}
double map_J(const topomap_graph *graph, const topomap_machine *m, const uint32_t *slot_of)
{
    topomap_cost all;
    topomap_error err;
    double J;

    assert_int_equal(topomap_cost_evaluate(graph, m, slot_of, &all, &err), 0);
    J = all.J;
    topomap_cost_clear(&all);
    return J;
}

double map_cost(const topomap_graph *graph, const topomap_machine *m, const char *name)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = name, .seed = 3};
    uint32_t slots = topomap_machine_slots(m);
    uint8_t *seen = calloc(slots, 1);
    topomap_mapping *mapping;
    topomap_error err;
    double J;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    for (uint32_t v = 0; v < slots; v++)
        assert_int_equal(seen[mapping->slot_of_rank[v]]++, 0);
    free(seen);
    J = mapping->J;
    topomap_mapping_free(mapping);
    return J;
}
