/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/recognise/name.h"

#include <stdlib.h>

#include "graph/graph.h"
#include "util/alloc.h"
#include "util/sorted.h"

enum { LIGHTER = 32, SHARE = 20 };

static unsigned power_of(uint64_t weight)
{
    return 63 - (unsigned)__builtin_clzll(weight | 1);
}

/* The power of two at or below the weight of the pair that the median byte goes between; lighter
 * powers have `*below` bytes. */
static unsigned median_power(const uint64_t *weight, uint64_t pairs, uint64_t total,
                             uint64_t *below)
{
    uint64_t sum[64] = {0};
    unsigned power = 0;

    for (uint64_t i = 0; i < pairs; i++)
        sum[power_of(weight[i])] += weight[i];
    for (*below = 0; power < 63 && *below + sum[power] < total - total / 2; power++)
        *below += sum[power];
    return power;
}

/* The weight of the pair that the median byte goes between. Changes the order. */
static uint64_t median_weight(uint64_t *weight, uint64_t pairs, uint64_t total)
{
    uint64_t sum, near = 0, median = 0;
    unsigned power = median_power(weight, pairs, total, &sum);

    for (uint64_t i = 0; i < pairs; i++)
        if (power_of(weight[i]) == power) {
            uint64_t other = weight[near];

            weight[near++] = weight[i];
            weight[i] = other;
        }
    qsort(weight, near, sizeof *weight, topomap_by_u64);
    for (uint64_t i = 0; i < near && sum < total - total / 2; i++)
        sum += median = weight[i];
    return median;
}

/* The least weight that a pair must have to stay. */
static uint64_t least_weight(uint64_t *weight, uint64_t pairs, uint64_t total)
{
    uint64_t light = 0, least = median_weight(weight, pairs, total) / LIGHTER;

    for (uint64_t i = 0; i < pairs; i++)
        light += weight[i] < least ? weight[i] : 0;
    return light <= total / SHARE ? least : 0;
}

static int threshold(const topomap_weights *weights, uint64_t *least, topomap_error *err)
{
    uint64_t pairs = weights->offset[weights->vertices] / 2;
    TOPOMAP_FREED uint64_t *weight = topomap_alloc(pairs, sizeof *weight, err);

    if (!weight)
        return -1;
    pairs = topomap_weights_list(weights, weight);
    *least = least_weight(weight, pairs, weights->total);
    return 0;
}

static uint64_t count_heavy(const topomap_weights *weights, uint64_t least)
{
    uint64_t arcs = weights->offset[weights->vertices], count = 0;

    for (uint64_t e = 0; e < arcs; e++)
        count += weights->weight[e] >= least;
    return count;
}

static void take_heavy(const topomap_weights *weights, uint64_t least, topomap_weights *heavy)
{
    uint64_t next = 0, twice = 0;

    for (uint32_t u = 0; u < weights->vertices; u++) {
        for (uint64_t e = weights->offset[u]; e < weights->offset[u + 1]; e++)
            if (weights->weight[e] >= least) {
                heavy->target[next] = weights->target[e];
                heavy->weight[next++] = weights->weight[e];
                twice += weights->weight[e];
            }
        heavy->offset[u + 1] = next;
    }
    heavy->total = twice / 2;
}

int topomap_weights_heavy(const topomap_weights *weights, topomap_weights *heavy,
                          topomap_error *err)
{
    uint64_t least, count;

    if (threshold(weights, &least, err) != 0)
        return -1;
    count = count_heavy(weights, least);
    if (count == weights->offset[weights->vertices])
        return 0;
    *heavy = (topomap_weights){.vertices = weights->vertices};
    heavy->offset = topomap_alloc((size_t)weights->vertices + 1, sizeof *heavy->offset, err);
    heavy->target = topomap_alloc(count, sizeof *heavy->target, err);
    heavy->weight = topomap_alloc(count, sizeof *heavy->weight, err);
    if (!heavy->offset || !heavy->target || !heavy->weight) {
        topomap_weights_clear(heavy);
        return -1;
    }
    take_heavy(weights, least, heavy);
    return 1;
}

int topomap_graph_heavy(const topomap_graph *graph, topomap_graph **heavy, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear)
    topomap_arcs arcs = {.has_messages = topomap_graph_has_messages(graph)};
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    uint64_t least;

    if (topomap_weights_new(graph, graph->ranks, &weights, err) || threshold(&weights, &least, err))
        return -1;
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            uint64_t weight = topomap_weights_between(&weights, u, graph->target[e]);

            if (weight && weight >= least &&
                topomap_arcs_add(&arcs, u, graph->target[e], graph->bytes[e],
                                 topomap_graph_arc_messages(graph, e), err))
                return -1;
        }
    return topomap_arcs_take(&arcs, graph->ranks, heavy, err);
}
