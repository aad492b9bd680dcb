/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* The arcs turned round: for each rank, who sends to it. */
struct incoming {
    uint64_t *offset; /* [ranks + 1] */
    uint32_t *source; /* [arcs] ascending in each row */
    uint64_t *bytes;  /* [arcs] */
};

static void incoming_clear(struct incoming *in)
{
    free(in->offset);
    free(in->source);
    free(in->bytes);
}

static int incoming_new(const topomap_graph *graph, struct incoming *in, topomap_error *err)
{
    in->offset = topomap_alloc((size_t)graph->ranks + 2, sizeof *in->offset, err);
    in->source = topomap_alloc(graph->arcs, sizeof *in->source, err);
    in->bytes = topomap_alloc(graph->arcs, sizeof *in->bytes, err);
    if (!in->offset || !in->source || !in->bytes)
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
            in->bytes[at] = graph->bytes[i];
        }
    return 0;
}

/* Merges the rows out of u and into u. Where target is NULL it only counts. */
static uint64_t merge_row(const topomap_graph *graph, const struct incoming *in, uint32_t u,
                          int keep_zero, uint32_t *target, uint64_t *weight)
{
    uint64_t i = graph->offset[u], j = in->offset[u], count = 0;

    while (i < graph->offset[u + 1] || j < in->offset[u + 1]) {
        uint32_t out_to = i < graph->offset[u + 1] ? graph->target[i] : UINT32_MAX;
        uint32_t in_from = j < in->offset[u + 1] ? in->source[j] : UINT32_MAX;
        uint32_t v = out_to < in_from ? out_to : in_from;
        uint64_t w = 0;

        if (out_to == v)
            w += graph->bytes[i++];
        if (in_from == v)
            w += in->bytes[j++];
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

static int weights_fill(const topomap_graph *graph, const struct incoming *in, int keep_zero,
                        topomap_weights *made, topomap_error *err)
{
    uint64_t total = 0;

    for (uint32_t u = 0; u < graph->ranks; u++)
        total = made->offset[u + 1] = total + merge_row(graph, in, u, keep_zero, NULL, NULL);
    for (uint32_t u = graph->ranks; u < made->vertices; u++)
        made->offset[u + 1] = total;
    made->target = topomap_alloc(total, sizeof *made->target, err);
    made->weight = topomap_alloc(total, sizeof *made->weight, err);
    if (!made->target || !made->weight)
        return -1;
    for (uint32_t u = 0; u < graph->ranks; u++)
        merge_row(graph, in, u, keep_zero, made->target + made->offset[u],
                  made->weight + made->offset[u]);
    made->total = graph->total_bytes;
    return 0;
}

static int pairs_new(const topomap_graph *graph, uint32_t vertices, int keep_zero,
                     topomap_weights *weights, topomap_error *err)
{
    topomap_weights made = {.vertices = vertices};
    struct incoming in = {0};
    int status = -1;

    if (vertices < graph->ranks)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%lu vertices for %lu ranks",
                                 (unsigned long)vertices, (unsigned long)graph->ranks);
    made.offset = topomap_alloc((size_t)vertices + 1, sizeof *made.offset, err);
    if (made.offset && !incoming_new(graph, &in, err))
        status = weights_fill(graph, &in, keep_zero, &made, err);
    incoming_clear(&in);
    if (status)
        topomap_weights_clear(&made);
    else
        *weights = made;
    return status;
}

int topomap_weights_new(const topomap_graph *graph, uint32_t vertices, topomap_weights *weights,
                        topomap_error *err)
{
    return pairs_new(graph, vertices, 0, weights, err);
}

int topomap_pairs_new(const topomap_graph *graph, topomap_weights *pairs, topomap_error *err)
{
    return pairs_new(graph, graph->ranks, 1, pairs, err);
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
