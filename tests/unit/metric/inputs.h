/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines and graphs of a few words, for tests of what placements cost. */
#ifndef TESTS_UNIT_METRIC_INPUTS_H
#define TESTS_UNIT_METRIC_INPUTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "topomap/topomap.h"

static inline topomap_machine *parsed(const char *spec)
{
    topomap_machine *machine;
    topomap_error err;

    if (topomap_machine_parse(spec, &machine, &err))
        fail_msg("%s", err.text);
    return machine;
}

static inline topomap_graph *graph_of(uint32_t ranks, size_t arcs, const uint32_t *from,
                                      const uint32_t *to, const uint64_t *bytes,
                                      const uint64_t *messages)
{
    topomap_graph *graph;
    topomap_error err;

    if (topomap_graph_new(ranks, arcs, from, to, bytes, messages, &graph, &err))
        fail_msg("%s", err.text);
    return graph;
}

#endif
