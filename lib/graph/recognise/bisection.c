/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/recognise/name.h"

#include "graph/graph.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* What both arcs of a pair have, where they are its weight's halves; UINT64_MAX where not. An arc
 * of 0 bytes has to be there: what really goes one way has none back. */
static uint64_t sum_of_halves(const topomap_graph *graph, uint32_t u, uint64_t arc)
{
    uint32_t v = graph->target[arc];
    uint64_t end = graph->offset[v + 1];
    uint64_t back = topomap_sorted_u32(graph->target, graph->offset[v], end, u);
    uint64_t a = graph->bytes[arc], b;

    if (back == end || graph->target[back] != u)
        return UINT64_MAX;
    b = graph->bytes[back];
    return (a < b ? b - a : a - b) <= 1 ? a + b : UINT64_MAX;
}

int topomap_halves_even(const topomap_graph *graph, uint64_t **bytes, topomap_error *err)
{
    TOPOMAP_FREED uint64_t *sum = NULL;
    int uneven = 0;

    *bytes = NULL;
    /* Undirected files count no messages; and where sums are so large, a byte makes no direction.
     */
    if (topomap_graph_has_messages(graph) || graph->total_bytes >= TOPOMAP_GRAPH_SUM / 2)
        return 0;
    sum = topomap_alloc(graph->arcs, sizeof *sum, err);
    if (!sum)
        return -1;
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            sum[e] = sum_of_halves(graph, u, e);
            if (sum[e] == UINT64_MAX)
                return 0;
            uneven |= sum[e] % 2 != 0;
        }
    if (uneven)
        *bytes = topomap_take(&sum);
    return 0;
}
