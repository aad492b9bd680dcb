/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

#define PLAUSIBLE_RANKS ((uint64_t)1 << 24)
#define PLAUSIBLE_SHARE 64 /* ranks an arc may vouch for beyond that */

/* The caller's arrays, and where they go. */
struct arrays {
    uint32_t ranks;
    size_t count;
    const uint32_t *from, *to;
    const uint64_t *bytes, *messages;
};

static int too_large(const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "the sum of all %s reaches 2^63", what);
}

static int add_total(uint64_t *total, uint64_t value)
{
    if (value >= TOPOMAP_GRAPH_SUM - *total)
        return -1;
    *total += value;
    return 0;
}

int topomap_graph_plausible(uint64_t ranks, uint64_t arcs, topomap_error *err)
{
    if (ranks > TOPOMAP_GRAPH_RANKS || (ranks > PLAUSIBLE_RANKS && ranks / PLAUSIBLE_SHARE > arcs))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%llu ranks with only %llu arcs between them: is the largest rank "
                                 "number right?",
                                 (unsigned long long)ranks, (unsigned long long)arcs);
    return 0;
}

/* Where row `key` begins, for each key, once keys are counted: offset[key + 1] holds a count. */
static void offsets_from_counts(uint64_t *offset, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        offset[r + 1] += offset[r];
}

static int is_ordered(const struct arrays *in)
{
    for (size_t i = 1; i < in->count; i++)
        if (in->from[i] < in->from[i - 1] ||
            (in->from[i] == in->from[i - 1] && in->to[i] < in->to[i - 1]))
            return 0;
    return 1;
}

static void put_arc(topomap_graph *graph, uint64_t at, const struct arrays *in, size_t i)
{
    graph->target[at] = in->to[i];
    graph->bytes[at] = in->bytes[i];
    if (in->messages)
        graph->messages[at] = in->messages[i];
}

/* Counting sort by target, then, stable, by source: rows ascend by target. */
static int sort_arcs(topomap_graph *graph, const struct arrays *in, topomap_error *err)
{
    uint64_t *next = topomap_alloc((size_t)in->ranks + 1, sizeof *next, err);
    size_t *by_target = topomap_alloc(in->count, sizeof *by_target, err);
    int status = next && by_target ? 0 : -1;

    if (!status) {
        for (size_t i = 0; i < in->count; i++)
            next[in->to[i] + 1]++;
        offsets_from_counts(next, in->ranks);
        for (size_t i = 0; i < in->count; i++)
            by_target[next[in->to[i]]++] = i;
        memcpy(next, graph->offset, ((size_t)in->ranks + 1) * sizeof *next);
        for (size_t i = 0; i < in->count; i++)
            put_arc(graph, next[in->from[by_target[i]]]++, in, by_target[i]);
    }
    free(next);
    free(by_target);
    return status;
}

/* Adds up arcs that have the same ends and drops those from a rank to itself. */
static void merge_arcs(topomap_graph *graph)
{
    uint64_t kept = 0, at = 0;

    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint64_t end = graph->offset[u + 1], row = kept;

        for (; at < end; at++) {
            if (graph->target[at] == u)
                continue;
            if (kept > row && graph->target[kept - 1] == graph->target[at]) {
                graph->bytes[kept - 1] += graph->bytes[at];
                if (graph->messages)
                    graph->messages[kept - 1] += graph->messages[at];
                continue;
            }
            graph->target[kept] = graph->target[at];
            graph->bytes[kept] = graph->bytes[at];
            if (graph->messages)
                graph->messages[kept] = graph->messages[at];
            kept++;
        }
        graph->offset[u + 1] = kept;
    }
    graph->arcs = kept;
}

static int check_arrays(const struct arrays *in, topomap_error *err)
{
    uint64_t bytes = 0, messages = 0;

    if (in->ranks < 1 || in->ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a graph has 1 to 2^31 ranks, not %lu",
                                 (unsigned long)in->ranks);
    for (size_t i = 0; i < in->count; i++) {
        if (in->from[i] >= in->ranks || in->to[i] >= in->ranks)
            return topomap_error_set(
                err, TOPOMAP_EINPUT, "arc %zu goes from rank %lu to %lu, but there are %lu ranks",
                i, (unsigned long)in->from[i], (unsigned long)in->to[i], (unsigned long)in->ranks);
        if (add_total(&bytes, in->bytes[i]))
            return too_large("bytes", err);
        if (in->messages && add_total(&messages, in->messages[i]))
            return too_large("messages", err);
    }
    return 0;
}

static int fill_rows(topomap_graph *graph, const struct arrays *in, topomap_error *err)
{
    for (size_t i = 0; i < in->count; i++)
        graph->offset[in->from[i] + 1]++;
    offsets_from_counts(graph->offset, in->ranks);
    if (is_ordered(in)) {
        for (size_t i = 0; i < in->count; i++)
            put_arc(graph, i, in, i);
    } else if (sort_arcs(graph, in, err)) {
        return -1;
    }
    merge_arcs(graph);
    return topomap_graph_finish(graph, err);
}

static int build(const struct arrays *in, topomap_graph **graph, topomap_error *err)
{
    topomap_graph *made;

    if (check_arrays(in, err))
        return -1;
    made = topomap_alloc(1, sizeof *made, err);
    if (!made)
        return -1;
    made->ranks = in->ranks;
    made->offset = topomap_alloc((size_t)in->ranks + 1, sizeof *made->offset, err);
    made->target = topomap_alloc(in->count, sizeof *made->target, err);
    made->bytes = topomap_alloc(in->count, sizeof *made->bytes, err);
    if (in->messages)
        made->messages = topomap_alloc(in->count, sizeof *made->messages, err);
    if (!made->offset || !made->target || !made->bytes || (in->messages && !made->messages) ||
        fill_rows(made, in, err)) {
        topomap_graph_free(made);
        return -1;
    }
    *graph = made;
    return 0;
}

/* Rows ascend, so that each row's arcs to lower ranks are met in the order of those ranks: one
 * cursor a row finds the way back of every arc in O(1) amortised. */
static int count_pairs(topomap_graph *graph, topomap_error *err)
{
    uint64_t *cursor = topomap_alloc(graph->ranks, sizeof *cursor, err);
    uint64_t both = 0;

    if (!cursor)
        return -1;
    memcpy(cursor, graph->offset, graph->ranks * sizeof *cursor);
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            uint32_t v = graph->target[i];

            if (v < u)
                continue;
            while (cursor[v] < graph->offset[v + 1] && graph->target[cursor[v]] < u)
                cursor[v]++;
            both += cursor[v] < graph->offset[v + 1] && graph->target[cursor[v]] == u;
        }
    free(cursor);
    graph->pairs = graph->arcs - both;
    return 0;
}

int topomap_graph_finish(topomap_graph *graph, topomap_error *err)
{
    graph->total_bytes = graph->total_messages = 0;
    for (uint64_t i = 0; i < graph->arcs; i++) {
        if (add_total(&graph->total_bytes, graph->bytes[i]))
            return too_large("bytes", err);
        if (graph->messages && add_total(&graph->total_messages, graph->messages[i]))
            return too_large("messages", err);
    }
    return count_pairs(graph, err);
}

int topomap_graph_new(uint32_t ranks, size_t arcs, const uint32_t *from, const uint32_t *to,
                      const uint64_t *bytes, const uint64_t *messages, topomap_graph **graph,
                      topomap_error *err)
{
    struct arrays in = {ranks, arcs, from, to, bytes, messages};

    return build(&in, graph, err);
}

int topomap_arcs_reserve(topomap_arcs *arcs, size_t count, topomap_error *err)
{
    if (topomap_grow(&arcs->from, &arcs->capacity_from, count, sizeof *arcs->from, err) ||
        topomap_grow(&arcs->to, &arcs->capacity_to, count, sizeof *arcs->to, err) ||
        topomap_grow(&arcs->bytes, &arcs->capacity_bytes, count, sizeof *arcs->bytes, err))
        return -1;
    if (!arcs->has_messages)
        return 0;
    return topomap_grow(&arcs->messages, &arcs->capacity_messages, count, sizeof *arcs->messages,
                        err);
}

int topomap_arcs_add(topomap_arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes,
                     uint64_t messages, topomap_error *err)
{
    size_t at = arcs->count;

    if ((at >= arcs->capacity_from || (arcs->has_messages && at >= arcs->capacity_messages)) &&
        topomap_arcs_reserve(arcs, at + 1, err))
        return -1;
    if (add_total(&arcs->total_bytes, bytes))
        return too_large("bytes", err);
    if (arcs->has_messages) {
        if (add_total(&arcs->total_messages, messages))
            return too_large("messages", err);
        arcs->messages[at] = messages;
    }
    arcs->from[at] = from;
    arcs->to[at] = to;
    arcs->bytes[at] = bytes;
    arcs->count++;
    return 0;
}

void topomap_arcs_clear(topomap_arcs *arcs)
{
    free(arcs->from);
    free(arcs->to);
    free(arcs->bytes);
    free(arcs->messages);
    memset(arcs, 0, sizeof *arcs);
}

static uint64_t ranks_of_arcs(const topomap_arcs *arcs)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < arcs->count; i++) {
        if (arcs->from[i] >= largest)
            largest = (uint64_t)arcs->from[i] + 1;
        if (arcs->to[i] >= largest)
            largest = (uint64_t)arcs->to[i] + 1;
    }
    return largest;
}

int topomap_arcs_take(topomap_arcs *arcs, uint32_t ranks, topomap_graph **graph, topomap_error *err)
{
    uint64_t count = ranks ? ranks : ranks_of_arcs(arcs);
    int status = -1;

    if (ranks || !topomap_graph_plausible(count, arcs->count, err)) {
        struct arrays in = {(uint32_t)count, arcs->count,
                            arcs->from,      arcs->to,
                            arcs->bytes,     arcs->has_messages ? arcs->messages : NULL};

        status = build(&in, graph, err);
    }
    topomap_arcs_clear(arcs);
    return status;
}

void topomap_graph_free(topomap_graph *graph)
{
    if (!graph)
        return;
    for (uint32_t i = 0; i < graph->phases; i++)
        topomap_graph_free(graph->phase[i]);
    free(graph->phase);
    free(graph->offset);
    free(graph->target);
    free(graph->bytes);
    free(graph->messages);
    free(graph->load);
    free(graph->pattern);
    free(graph);
}

uint32_t topomap_graph_ranks(const topomap_graph *graph)
{
    return graph->ranks;
}

uint64_t topomap_graph_edges(const topomap_graph *graph)
{
    return graph->pairs;
}

uint64_t topomap_graph_bytes(const topomap_graph *graph)
{
    return graph->total_bytes;
}

int topomap_graph_messages(const topomap_graph *graph, uint64_t *messages)
{
    if (!graph->messages)
        return 0;
    *messages = graph->total_messages;
    return 1;
}

const char *topomap_graph_pattern(const topomap_graph *graph)
{
    return graph->pattern;
}

int topomap_graph_set_phases(topomap_graph *graph, topomap_graph **phase, uint32_t phases,
                             topomap_error *err)
{
    topomap_graph **list;

    for (uint32_t i = 0; i < phases; i++)
        if (phase[i]->ranks != graph->ranks || phase[i]->phases)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "phase %lu has %lu ranks and %lu phases; expected %lu and 0",
                                     (unsigned long)i, (unsigned long)phase[i]->ranks,
                                     (unsigned long)phase[i]->phases, (unsigned long)graph->ranks);
    list = topomap_alloc(phases, sizeof *list, err);
    if (!list)
        return -1;
    memcpy(list, phase, phases * sizeof(topomap_graph *));
    graph->phase = list;
    graph->phases = phases;
    return 0;
}
