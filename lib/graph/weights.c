/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* The arcs turned round: for each rank, who sends to it. */
struct incoming {
    uint64_t *offset; /* [ranks + 1] */
    uint32_t *source; /* [arcs] ascending in each row */
    uint64_t *weight; /* [arcs] */
};

/* Below TOPOMAP_GRAPH_SUM in all, as topomap_message_bytes() has seen to. */
static uint64_t weight_of(const topomap_graph *graph, uint64_t arc, uint64_t message_bytes)
{
    return graph->bytes[arc] +
           (message_bytes ? message_bytes * topomap_graph_arc_messages(graph, arc) : 0);
}

static int incoming_new(const topomap_graph *graph, uint64_t message_bytes, topomap_arena *memory,
                        struct incoming *in, topomap_error *err)
{
    in->offset = topomap_arena_alloc(memory, (size_t)graph->ranks + 2, sizeof *in->offset, err);
    in->source = topomap_arena_alloc(memory, graph->arcs, sizeof *in->source, err);
    in->weight = topomap_arena_alloc(memory, graph->arcs, sizeof *in->weight, err);
    if (memory->is_short)
        return -1;
    /* Counted two places on, so that offset[v + 1] is where the next arc to v goes, and ends as
     * where the row of v + 1 begins. */
    for (uint64_t i = 0; i < graph->arcs; i++)
        in->offset[graph->target[i] + (size_t)2]++;
    for (uint32_t r = 0; r < graph->ranks; r++)
        in->offset[r + (size_t)2] += in->offset[r + (size_t)1];
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            uint64_t at = in->offset[graph->target[i] + (size_t)1]++;

            in->source[at] = u;
            in->weight[at] = weight_of(graph, i, message_bytes);
        }
    return 0;
}

/* Merges the rows out of u and into u. Where target is NULL it only counts. */
static uint64_t merge_row(const topomap_graph *graph, const struct incoming *in, uint32_t u,
                          uint64_t message_bytes, int keep_zero, uint32_t *target, uint64_t *weight)
{
    uint64_t i = graph->offset[u], j = in->offset[u], count = 0;

    while (i < graph->offset[u + 1] || j < in->offset[u + 1]) {
        uint32_t out_to = i < graph->offset[u + 1] ? graph->target[i] : UINT32_MAX;
        uint32_t in_from = j < in->offset[u + 1] ? in->source[j] : UINT32_MAX;
        uint32_t v = out_to < in_from ? out_to : in_from;
        uint64_t w = 0;

        if (out_to == v)
            w += weight_of(graph, i++, message_bytes);
        if (in_from == v)
            w += in->weight[j++];
        if (!w && !keep_zero)
            continue;
        if (target) {
            target[count] = v;
            weight[count] = w;
        }
        count++;
    }
    return count;
}

static int weights_fill(const topomap_graph *graph, const struct incoming *in,
                        uint64_t message_bytes, int keep_zero, topomap_weights *made,
                        topomap_error *err)
{
    uint64_t total = 0;

    for (uint32_t u = 0; u < graph->ranks; u++)
        total = made->offset[u + 1] =
            total + merge_row(graph, in, u, message_bytes, keep_zero, NULL, NULL);
    for (uint32_t u = graph->ranks; u < made->vertices; u++)
        made->offset[u + 1] = total;
    made->target = topomap_alloc(total, sizeof *made->target, err);
    made->weight = topomap_alloc(total, sizeof *made->weight, err);
    if (!made->target || !made->weight)
        return -1;
    for (uint32_t u = 0; u < graph->ranks; u++)
        merge_row(graph, in, u, message_bytes, keep_zero, made->target + made->offset[u],
                  made->weight + made->offset[u]);
    made->total = graph->total_bytes + message_bytes * graph->total_messages;
    return 0;
}

static int pairs_new(const topomap_graph *graph, uint32_t vertices, uint64_t message_bytes,
                     int keep_zero, topomap_weights *weights, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights made = {.vertices = vertices};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    struct incoming in;

    if (vertices < graph->ranks)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%u vertices for %u ranks", vertices,
                                 graph->ranks);
    made.offset = topomap_alloc((size_t)vertices + 1, sizeof *made.offset, err);
    if (!made.offset || incoming_new(graph, message_bytes, &memory, &in, err) ||
        weights_fill(graph, &in, message_bytes, keep_zero, &made, err))
        return -1;
    *weights = made;
    made = (topomap_weights){0};
    return 0;
}

int topomap_weights_new(const topomap_graph *graph, uint32_t vertices, topomap_weights *weights,
                        topomap_error *err)
{
    return pairs_new(graph, vertices, 0, 0, weights, err);
}

uint64_t topomap_message_bytes(const topomap_graph *graph, double bytes)
{
    uint64_t most = TOPOMAP_GRAPH_SUM - 1 - graph->total_bytes;

    if (!topomap_graph_has_messages(graph) || graph->total_messages == 0 || !(bytes > 0))
        return 0;
    most /= graph->total_messages;
    if (bytes >= (double)most)
        return most;
    return bytes < 1 ? 1 : (uint64_t)(bytes + 0.5);
}

int topomap_weights_of_messages(const topomap_graph *graph, uint32_t vertices,
                                uint64_t message_bytes, topomap_weights *weights,
                                topomap_error *err)
{
    return pairs_new(graph, vertices, message_bytes, 0, weights, err);
}

int topomap_pairs_new(const topomap_graph *graph, topomap_weights *pairs, topomap_error *err)
{
    return pairs_new(graph, graph->ranks, 0, 1, pairs, err);
}

uint64_t topomap_weights_list(const topomap_weights *weights, uint64_t *weight)
{
    uint64_t count = 0;

    for (uint32_t u = 0; u < weights->vertices; u++)
        for (uint64_t e = weights->offset[u]; e < weights->offset[u + 1]; e++)
            if (weights->target[e] > u)
                weight[count++] = weights->weight[e];
    return count;
}

void topomap_weights_clear(topomap_weights *weights)
{
    free(weights->offset);
    free(weights->target);
    free(weights->weight);
    memset(weights, 0, sizeof *weights);
}
