/* SPDX-License-Identifier: BSD-3-Clause */
/* Arcs in any order become compressed rows, in place: beside the arcs there is only memory for
 * each rank. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { FEW = 32 }; /* arcs that are sorted by insertion */

/* ---- Adding -------------------------------------------------------------------------------- */

int topomap_arcs_reserve(topomap_arcs *arcs, size_t count, topomap_error *err)
{
    if (!arcs->message_width)
        arcs->message_width = sizeof(uint32_t);
    if (topomap_grow_beside(&arcs->from, arcs->capacity, count, sizeof *arcs->from, err) ||
        topomap_grow_beside(&arcs->to, arcs->capacity, count, sizeof *arcs->to, err) ||
        (arcs->has_messages &&
         topomap_grow_beside(&arcs->messages, arcs->capacity, count, arcs->message_width, err)))
        return -1;
    return topomap_grow(&arcs->bytes, &arcs->capacity, count, sizeof *arcs->bytes, err);
}

static inline uint64_t messages_at(const topomap_arcs *arcs, size_t i)
{
    return arcs->messages ? topomap_count_at(arcs->messages, arcs->message_width, i) : 0;
}

static inline void put_messages(topomap_arcs *arcs, size_t i, uint64_t messages)
{
    if (!arcs->messages)
        return;
    if (arcs->message_width == sizeof(uint32_t))
        ((uint32_t *)arcs->messages)[i] = (uint32_t)messages;
    else
        ((uint64_t *)arcs->messages)[i] = messages;
}

/* Counts of 32 bits become counts of 64 where one is to have `messages`. */
static int widen(topomap_arcs *arcs, uint64_t messages, topomap_error *err)
{
    uint64_t *wide;

    if (messages <= UINT32_MAX || arcs->message_width == sizeof *wide)
        return 0;
    wide = topomap_alloc(arcs->capacity, sizeof *wide, err);
    if (!wide)
        return -1;
    for (size_t i = 0; i < arcs->count; i++)
        wide[i] = messages_at(arcs, i);
    free(arcs->messages);
    arcs->messages = wide;
    arcs->message_width = sizeof *wide;
    return 0;
}

int topomap_arcs_add(topomap_arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes,
                     uint64_t messages, topomap_error *err)
{
    size_t at = arcs->count;

    if (at >= arcs->capacity && topomap_arcs_reserve(arcs, at + 1, err))
        return -1;
    if (topomap_graph_add_total(&arcs->total_bytes, bytes, "bytes", err))
        return -1;
    if (arcs->has_messages &&
        (topomap_graph_add_total(&arcs->total_messages, messages, "messages", err) ||
         widen(arcs, messages, err)))
        return -1;
    arcs->from[at] = from;
    arcs->to[at] = to;
    arcs->bytes[at] = bytes;
    put_messages(arcs, at, messages);
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

/* ---- Sorting ------------------------------------------------------------------------------- */

static inline unsigned digit_of(const topomap_arcs *a, size_t i, unsigned shift)
{
    return (shift < 32 ? a->to[i] >> shift : a->from[i] >> (shift - 32)) & 255;
}

/* Order is by source, then target: one key of 64 bits. */
struct arc {
    uint64_t key, bytes, messages;
};

static inline struct arc get_arc(const topomap_arcs *a, size_t at)
{
    return (struct arc){(uint64_t)a->from[at] << 32 | a->to[at], a->bytes[at], messages_at(a, at)};
}

static inline void put_arc(topomap_arcs *a, size_t at, struct arc arc)
{
    a->from[at] = (uint32_t)(arc.key >> 32);
    a->to[at] = (uint32_t)arc.key;
    a->bytes[at] = arc.bytes;
    put_messages(a, at, arc.messages);
}

static void sort_few(topomap_arcs *a, size_t begin, size_t end)
{
    struct arc few[FEW];

    for (size_t i = begin; i < end; i++) {
        struct arc arc = get_arc(a, i);
        size_t at = i - begin;

        for (; at && few[at - 1].key > arc.key; at--)
            few[at] = few[at - 1];
        few[at] = arc;
    }
    for (size_t i = begin; i < end; i++)
        put_arc(a, i, few[i - begin]);
}

/* Radix sort from the highest digit, in place: every swap puts one arc for good. Digits from
 * `shift` up are the same for all. `low` is the highest digit of targets that is not 0 for all. */
static void sort_arcs(topomap_arcs *a, size_t begin, size_t end, unsigned shift, unsigned low)
{
    size_t first[257] = {0}, next[256];

    if (end - begin <= FEW) {
        sort_few(a, begin, end);
        return;
    }
    for (size_t i = begin; i < end; i++)
        first[digit_of(a, i, shift) + 1]++;
    first[0] = begin;
    for (unsigned k = 0; k < 256; k++) {
        first[k + 1] += first[k];
        next[k] = first[k];
    }
    for (unsigned k = 0; k < 256; k++)
        while (next[k] < first[k + 1]) {
            unsigned home = digit_of(a, next[k], shift);

            if (home != k) {
                struct arc arc = get_arc(a, next[k]);

                put_arc(a, next[k], get_arc(a, next[home]));
                put_arc(a, next[home], arc);
            }
            next[home]++;
        }
    if (!shift)
        return;
    shift = shift == 32 ? low : shift - 8;
    for (unsigned k = 0; k < 256; k++)
        if (first[k + 1] - first[k] > 1)
            sort_arcs(a, first[k], first[k + 1], shift, low);
}

static void sort_all(topomap_arcs *arcs, const uint64_t *offset, uint32_t ranks)
{
    unsigned low = 0;
    int ordered = 1;

    while (low < 24 && (ranks - 1) >> low > 255)
        low += 8;
    for (size_t i = 1; ordered && i < arcs->count; i++)
        ordered = arcs->from[i] >= arcs->from[i - 1];
    if (!ordered) {
        sort_arcs(arcs, 0, arcs->count, 32 + low, low);
        return;
    }
    for (uint32_t r = 0; r < ranks; r++)
        for (uint64_t i = offset[r] + 1; i < offset[r + 1]; i++)
            if (arcs->to[i] < arcs->to[i - 1]) {
                sort_arcs(arcs, offset[r], offset[r + 1], low, low);
                break;
            }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Adds arc `at` to arc `kept`, which has the same ends. The sums have been checked. */
static int add_arc(topomap_arcs *arcs, size_t kept, size_t at, topomap_error *err)
{
    uint64_t messages = messages_at(arcs, kept) + messages_at(arcs, at);

    if (widen(arcs, messages, err))
        return -1;
    arcs->bytes[kept] += arcs->bytes[at];
    put_messages(arcs, kept, messages);
    return 0;
}

static void move_arc(topomap_arcs *arcs, size_t kept, size_t at)
{
    arcs->to[kept] = arcs->to[at];
    arcs->bytes[kept] = arcs->bytes[at];
    put_messages(arcs, kept, messages_at(arcs, at));
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

/* At rest, counts of messages that all fit in 16 bits take no more; in place. */
static void narrow(topomap_graph *graph)
{
    const uint32_t *wide = graph->messages;

    if (!graph->arcs || !wide || graph->message_width != sizeof *wide)
        return;
    for (uint64_t i = 0; i < graph->arcs; i++)
        if (wide[i] > UINT16_MAX)
            return;
    for (uint64_t i = 0; i < graph->arcs; i++) {
        uint16_t count = (uint16_t)wide[i];

        memcpy((char *)graph->messages + i * sizeof count, &count, sizeof count);
    }
    graph->message_width = sizeof(uint16_t);
}

static void take_arrays(topomap_arcs *arcs, topomap_graph *graph)
{
    graph->target = fit(topomap_take(&arcs->to), graph->arcs, sizeof *graph->target);
    graph->bytes = fit(topomap_take(&arcs->bytes), graph->arcs, sizeof *graph->bytes);
    graph->messages = topomap_take(&arcs->messages);
    graph->message_width = arcs->message_width;
    narrow(graph);
    graph->messages = fit(graph->messages, graph->arcs, graph->message_width);
}

static int bad_ends(size_t arc, uint32_t from, uint32_t to, uint32_t ranks, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "arc %zu goes from rank %u to %u, but there are %u ranks", arc, from,
                             to, ranks);
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
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if (ranks < 1 || ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a graph has 1 to 2^31 ranks, not %u", ranks);
    made = topomap_alloc(1, sizeof *made, err);
    if (!made)
        return -1;
    made->ranks = ranks;
    /* Where there is no arc, there still are arrays, so that messages of none are known. */
    if (topomap_arcs_reserve(arcs, 1, err) || count_rows(arcs, made, err))
        return -1;
    sort_all(arcs, made->offset, ranks);
    if (merge_arcs(arcs, made, err))
        return -1;
    free(topomap_take(&arcs->from));
    take_arrays(arcs, made);
    if (topomap_graph_finish(made, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

int topomap_graph_new(uint32_t ranks, size_t count, const uint32_t *from, const uint32_t *to,
                      const uint64_t *bytes, const uint64_t *messages, topomap_graph **graph,
                      topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {.has_messages = messages != NULL};

    if (topomap_arcs_reserve(&arcs, count, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (from[i] >= ranks || to[i] >= ranks)
            return bad_ends(i, from[i], to[i], ranks, err);
    for (size_t i = 0; i < count; i++)
        if (topomap_arcs_add(&arcs, from[i], to[i], bytes[i], messages ? messages[i] : 0, err))
            return -1;
    return build(&arcs, ranks, graph, err);
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
