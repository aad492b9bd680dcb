/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph between blocks of vertices. */
#include "graph/graph.h"
#include "util/alloc.h"

typedef struct row {
    uint64_t *bytes, *messages; /* [blocks] out of the present block */
    uint32_t *to, count;        /* [blocks] blocks that it sends to */
    uint8_t *met;               /* [blocks] */
} row;

static void collect(const topomap_graph *graph, const uint32_t *block_of, uint32_t v, row *r)
{
    for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
        uint32_t to = block_of[graph->target[i]];

        if (to == block_of[v])
            continue;
        if (!r->met[to]) {
            r->met[to] = 1;
            r->to[r->count++] = to;
        }
        r->bytes[to] += graph->bytes[i];
        r->messages[to] += topomap_graph_arc_messages(graph, i);
    }
}

static int flush(row *r, uint32_t from, topomap_arcs *arcs, topomap_error *err)
{
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t to = r->to[i];

        if (topomap_arcs_add(arcs, from, to, r->bytes[to], r->messages[to], err))
            return -1;
        r->bytes[to] = r->messages[to] = 0;
        r->met[to] = 0;
    }
    r->count = 0;
    return 0;
}

/* A counting sort. */
int topomap_graph_by_block(const uint32_t *block_of, uint32_t vertices, uint32_t blocks,
                           uint32_t *order, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *next = topomap_alloc((size_t)blocks + 1, sizeof *next, err);

    if (!next)
        return -1;
    for (uint32_t v = 0; v < vertices; v++)
        next[block_of[v] + 1]++;
    for (uint32_t b = 0; b < blocks; b++)
        next[b + 1] += next[b];
    for (uint32_t v = 0; v < vertices; v++)
        order[next[block_of[v]]++] = v;
    return 0;
}

int topomap_graph_blocks(const topomap_graph *graph, const uint32_t *block_of, uint32_t blocks,
                         topomap_graph **out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear)
    topomap_arcs arcs = {.has_messages = topomap_graph_has_messages(graph)};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    uint32_t *order = topomap_arena_alloc(&arena, graph->ranks, sizeof *order, err);
    row r = {
        .bytes = topomap_arena_alloc(&arena, blocks, sizeof *r.bytes, err),
        .messages = topomap_arena_alloc(&arena, blocks, sizeof *r.messages, err),
        .to = topomap_arena_alloc(&arena, blocks, sizeof *r.to, err),
        .met = topomap_arena_alloc(&arena, blocks, sizeof *r.met, err),
    };

    if (arena.is_short || topomap_graph_by_block(block_of, graph->ranks, blocks, order, err))
        return -1;
    for (uint32_t i = 0; i < graph->ranks; i++) {
        uint32_t block = block_of[order[i]];

        collect(graph, block_of, order[i], &r);
        if ((i + 1 == graph->ranks || block_of[order[i + 1]] != block) &&
            flush(&r, block, &arcs, err))
            return -1;
    }
    return topomap_arcs_take(&arcs, blocks, out, err);
}
