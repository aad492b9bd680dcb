/* SPDX-License-Identifier: BSD-3-Clause */
/* Arcs in any order become compressed rows, in place: beside the arcs there is only memory for
 * each rank. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { SHORT_ROW = 32 };

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

/* ---- Adding -------------------------------------------------------------------------------- */

static int reserve_messages(topomap_arcs *arcs, size_t count, topomap_error *err)
{
    if (arcs->messages64)
        return topomap_grow(&arcs->messages64, &arcs->capacity_messages64, count,
                            sizeof *arcs->messages64, err);
    return topomap_grow(&arcs->messages32, &arcs->capacity_messages32, count,
                        sizeof *arcs->messages32, err);
}

int topomap_arcs_reserve(topomap_arcs *arcs, size_t count, topomap_error *err)
{
    if (topomap_grow(&arcs->from, &arcs->capacity_from, count, sizeof *arcs->from, err) ||
        topomap_grow(&arcs->to, &arcs->capacity_to, count, sizeof *arcs->to, err) ||
        topomap_grow(&arcs->bytes, &arcs->capacity_bytes, count, sizeof *arcs->bytes, err))
        return -1;
    return arcs->has_messages ? reserve_messages(arcs, count, err) : 0;
}

/* Counts of 32 bits become counts of 64. */
static int widen(topomap_arcs *arcs, topomap_error *err)
{
    size_t room = arcs->capacity_messages32;
    uint64_t *wide = topomap_alloc(room, sizeof *wide, err);

    if (!wide)
        return -1;
    for (size_t i = 0; i < arcs->count; i++)
        wide[i] = arcs->messages32[i];
    free(arcs->messages32);
    arcs->messages32 = NULL;
    arcs->capacity_messages32 = 0;
    arcs->messages64 = wide;
    arcs->capacity_messages64 = room;
    return 0;
}

static int put_messages(topomap_arcs *arcs, size_t at, uint64_t messages, topomap_error *err)
{
    if (add_total(&arcs->total_messages, messages))
        return too_large("messages", err);
    if (messages > UINT32_MAX && arcs->messages32 && widen(arcs, err))
        return -1;
    if (arcs->messages64)
        arcs->messages64[at] = messages;
    else
        arcs->messages32[at] = (uint32_t)messages;
    return 0;
}

static int is_full(const topomap_arcs *arcs)
{
    return arcs->count >= arcs->capacity_from ||
           (arcs->has_messages && arcs->count >= (arcs->messages64 ? arcs->capacity_messages64
                                                                   : arcs->capacity_messages32));
}

int topomap_arcs_add(topomap_arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes,
                     uint64_t messages, topomap_error *err)
{
    size_t at = arcs->count;

    if (is_full(arcs) && topomap_arcs_reserve(arcs, at + 1, err))
        return -1;
    if (add_total(&arcs->total_bytes, bytes))
        return too_large("bytes", err);
    if (arcs->has_messages && put_messages(arcs, at, messages, err))
        return -1;
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
    free(arcs->messages32);
    free(arcs->messages64);
    memset(arcs, 0, sizeof *arcs);
}

/* ---- Sorting ------------------------------------------------------------------------------- */

static void swap_arcs(topomap_arcs *a, size_t i, size_t j)
{
    uint32_t to = a->to[i];
    uint64_t bytes = a->bytes[i];

    a->to[i] = a->to[j];
    a->to[j] = to;
    a->bytes[i] = a->bytes[j];
    a->bytes[j] = bytes;
    if (a->messages32) {
        uint32_t count = a->messages32[i];

        a->messages32[i] = a->messages32[j];
        a->messages32[j] = count;
    } else if (a->messages64) {
        uint64_t count = a->messages64[i];

        a->messages64[i] = a->messages64[j];
        a->messages64[j] = count;
    }
}

/* Each arc to the rows' place that its source has, by swaps: every swap puts one arc for good. */
static int sort_sources(topomap_arcs *arcs, const uint64_t *offset, uint32_t ranks,
                        topomap_error *err)
{
    uint64_t *next = topomap_alloc(ranks, sizeof *next, err);

    if (!next)
        return -1;
    memcpy(next, offset, ranks * sizeof *next);
    for (uint32_t r = 0; r < ranks; r++)
        while (next[r] < offset[r + 1]) {
            uint64_t at = next[r];
            uint32_t home = arcs->from[at];

            if (home != r) {
                arcs->from[at] = arcs->from[next[home]];
                arcs->from[next[home]] = home;
                swap_arcs(arcs, at, next[home]);
            }
            next[home]++;
        }
    free(next);
    return 0;
}

static void sort_short(topomap_arcs *arcs, size_t begin, size_t end)
{
    for (size_t i = begin + 1; i < end; i++)
        for (size_t j = i; j > begin && arcs->to[j - 1] > arcs->to[j]; j--)
            swap_arcs(arcs, j - 1, j);
}

/* The same within a row by its targets' bytes, from the highest. */
static void sort_row(topomap_arcs *arcs, size_t begin, size_t end, unsigned shift)
{
    size_t first[257] = {0}, next[256];

    if (end - begin <= SHORT_ROW) {
        sort_short(arcs, begin, end);
        return;
    }
    for (size_t i = begin; i < end; i++)
        first[(arcs->to[i] >> shift & 255) + 1]++;
    first[0] = begin;
    for (unsigned k = 0; k < 256; k++) {
        first[k + 1] += first[k];
        next[k] = first[k];
    }
    for (unsigned k = 0; k < 256; k++)
        while (next[k] < first[k + 1]) {
            unsigned home = arcs->to[next[k]] >> shift & 255;

            if (home != k)
                swap_arcs(arcs, next[k], next[home]);
            next[home]++;
        }
    for (unsigned k = 0; shift && k < 256; k++)
        sort_row(arcs, first[k], first[k + 1], shift - 8);
}

static int sort_rows(topomap_arcs *arcs, const uint64_t *offset, uint32_t ranks, topomap_error *err)
{
    unsigned shift = 0;
    int ordered = 1;

    for (size_t i = 1; ordered && i < arcs->count; i++)
        ordered = arcs->from[i] >= arcs->from[i - 1];
    if (!ordered && sort_sources(arcs, offset, ranks, err))
        return -1;
    while (shift < 24 && (ranks - 1) >> shift > 255)
        shift += 8;
    for (uint32_t r = 0; r < ranks; r++)
        for (uint64_t i = offset[r] + 1; i < offset[r + 1]; i++)
            if (arcs->to[i] < arcs->to[i - 1]) {
                sort_row(arcs, offset[r], offset[r + 1], shift);
                break;
            }
    return 0;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Adds arc `at` to arc `kept`, which has the same ends. The sums have been checked. */
static int add_arc(topomap_arcs *arcs, size_t kept, size_t at, topomap_error *err)
{
    arcs->bytes[kept] += arcs->bytes[at];
    if (arcs->messages32 && arcs->messages32[at] > UINT32_MAX - arcs->messages32[kept] &&
        widen(arcs, err))
        return -1;
    if (arcs->messages32)
        arcs->messages32[kept] += arcs->messages32[at];
    else if (arcs->messages64)
        arcs->messages64[kept] += arcs->messages64[at];
    return 0;
}

static void move_arc(topomap_arcs *arcs, size_t kept, size_t at)
{
    arcs->to[kept] = arcs->to[at];
    arcs->bytes[kept] = arcs->bytes[at];
    if (arcs->messages32)
        arcs->messages32[kept] = arcs->messages32[at];
    else if (arcs->messages64)
        arcs->messages64[kept] = arcs->messages64[at];
}

/* Adds up arcs that have the same ends and drops those from a rank to itself. */
static int merge_arcs(topomap_arcs *arcs, topomap_graph *graph, topomap_error *err)
{
    uint64_t kept = 0, at = 0;

    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint64_t end = graph->offset[u + 1], row = kept;

        for (; at < end; at++) {
            if (arcs->to[at] == u)
                continue;
            if (kept > row && arcs->to[kept - 1] == arcs->to[at]) {
                if (add_arc(arcs, kept - 1, at, err))
                    return -1;
                continue;
            }
            if (kept < at)
                move_arc(arcs, kept, at);
            kept++;
        }
        graph->offset[u + 1] = kept;
    }
    graph->arcs = kept;
    return 0;
}

/* Gives back what an array has beyond `count`; that cannot fail in a way that matters. */
static void *fit(void *array, uint64_t count, size_t size)
{
    void *smaller = array && count ? realloc(array, count * size) : NULL;

    return smaller ? smaller : array;
}

static void take_arrays(topomap_arcs *arcs, topomap_graph *graph)
{
    graph->target = fit(arcs->to, graph->arcs, sizeof *graph->target);
    graph->bytes = fit(arcs->bytes, graph->arcs, sizeof *graph->bytes);
    graph->messages32 = fit(arcs->messages32, graph->arcs, sizeof *graph->messages32);
    graph->messages64 = fit(arcs->messages64, graph->arcs, sizeof *graph->messages64);
    arcs->to = NULL;
    arcs->bytes = NULL;
    arcs->messages32 = NULL;
    arcs->messages64 = NULL;
}

static int bad_ends(size_t arc, uint32_t from, uint32_t to, uint32_t ranks, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "arc %zu goes from rank %lu to %lu, but there are %lu ranks", arc,
                             (unsigned long)from, (unsigned long)to, (unsigned long)ranks);
}

static int count_rows(const topomap_arcs *arcs, topomap_graph *graph, topomap_error *err)
{
    graph->offset = topomap_alloc((size_t)graph->ranks + 1, sizeof *graph->offset, err);
    if (!graph->offset)
        return -1;
    for (size_t i = 0; i < arcs->count; i++) {
        if (arcs->from[i] >= graph->ranks || arcs->to[i] >= graph->ranks)
            return bad_ends(i, arcs->from[i], arcs->to[i], graph->ranks, err);
        graph->offset[arcs->from[i] + 1]++;
    }
    for (uint32_t r = 0; r < graph->ranks; r++)
        graph->offset[r + 1] += graph->offset[r];
    return 0;
}

static int build(topomap_arcs *arcs, uint32_t ranks, topomap_graph **graph, topomap_error *err)
{
    topomap_graph *made;

    if (ranks < 1 || ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a graph has 1 to 2^31 ranks, not %lu",
                                 (unsigned long)ranks);
    made = topomap_alloc(1, sizeof *made, err);
    if (!made)
        return -1;
    made->ranks = ranks;
    /* Where there is no arc, there still are arrays, so that messages of none are known. */
    if (topomap_arcs_reserve(arcs, 1, err) || count_rows(arcs, made, err) ||
        sort_rows(arcs, made->offset, ranks, err) || merge_arcs(arcs, made, err)) {
        topomap_graph_free(made);
        return -1;
    }
    free(arcs->from);
    arcs->from = NULL;
    take_arrays(arcs, made);
    if (topomap_graph_finish(made, err)) {
        topomap_graph_free(made);
        return -1;
    }
    *graph = made;
    return 0;
}

int topomap_graph_new(uint32_t ranks, size_t count, const uint32_t *from, const uint32_t *to,
                      const uint64_t *bytes, const uint64_t *messages, topomap_graph **graph,
                      topomap_error *err)
{
    topomap_arcs arcs = {.has_messages = messages != NULL};
    int status = topomap_arcs_reserve(&arcs, count, err);

    for (size_t i = 0; !status && i < count; i++)
        if (from[i] >= ranks || to[i] >= ranks)
            status = bad_ends(i, from[i], to[i], ranks, err);
    for (size_t i = 0; !status && i < count; i++)
        status = topomap_arcs_add(&arcs, from[i], to[i], bytes[i], messages ? messages[i] : 0, err);
    if (!status)
        status = build(&arcs, ranks, graph, err);
    topomap_arcs_clear(&arcs);
    return status;
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

    if (ranks || !topomap_graph_plausible(count, arcs->count, err))
        status = build(arcs, (uint32_t)count, graph, err);
    topomap_arcs_clear(arcs);
    return status;
}
