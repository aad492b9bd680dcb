/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/map/congested.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

const char *const congested_spec[CONGESTED_SPECS] = {
    "torus:4x3*2@1:10",
    "torus:2x2x4",
    "torus:6x4@1:10,wrap=x,routers=2",
    "mesh:5x4",
    "fattree:k=4,levels=3*2@1:10",
    "fattree:leaves=4,hosts=3,spines=2,links=2",
    "fattree:k=8,levels=2,taper=2",
    "dragonfly:p=2,a=3,h=1",
    "percs:supernodes=2",
};

topomap_graph *congested_graph(topomap_random *random, uint32_t ranks, uint32_t degree,
                               uint32_t most)
{
    size_t arcs = (size_t)ranks * degree;
    uint32_t *from = calloc(arcs + 1, sizeof *from), *to = calloc(arcs + 1, sizeof *to);
    uint64_t *bytes = calloc(arcs + 1, sizeof *bytes);
    topomap_graph *graph;
    topomap_error err;

    assert_true(from && to && bytes);
    for (size_t i = 0; i < arcs; i++) {
        from[i] = topomap_random_below(random, ranks);
        to[i] = topomap_random_below(random, ranks);
        bytes[i] = 1 + topomap_random_below(random, most);
    }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err))
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}

topomap_congestion congested_measured(const topomap_graph *graph, const topomap_machine *machine,
                                      const uint32_t *slot_of, const char *model)
{
    topomap_congestion c;
    topomap_error err;

    if (topomap_congestion_evaluate(graph, machine, slot_of, model, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

void congested_close(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

topomap_mapping *congested_mapping(const topomap_graph *graph, const topomap_machine *m,
                                   topomap_map_options options)
{
    topomap_mapping *mapping;
    topomap_error err;

    options.objective = TOPOMAP_OBJECTIVE_CONGESTION;
    if (topomap_map(graph, m, &options, &mapping, &err))
        fail_msg("%s", err.text);
    return mapping;
}

void congested_permutation(const topomap_mapping *mapping, const topomap_machine *m)
{
    uint32_t n = topomap_machine_slots(m);
    uint8_t *used = calloc(n, 1);

    assert_non_null(used);
    for (uint32_t v = 0; v < n; v++) {
        assert_true(mapping->slot_of_rank[v] < n);
        assert_int_equal(used[mapping->slot_of_rank[v]]++, 0);
    }
    free(used);
}
