/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/io.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

int topomap_undirected_open(topomap_undirected *in, topomap_error *err)
{
    const char *bytes;
    size_t size;

    if (topomap_input_peek(in->input, 1, &bytes, &size, err))
        return -1;
    in->graph = topomap_alloc(1, sizeof *in->graph, err);
    return in->graph ? 0 : -1;
}

int topomap_undirected_reserve(topomap_undirected *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    int known = topomap_input_most(in->input) != SIZE_MAX;

    in->vertex_room = (known ? in->ranks : 1024) + 1;
    in->entry_room = known ? in->entries : 4096;
    graph->ranks = (uint32_t)in->ranks;
    graph->offset = topomap_alloc(in->vertex_room, sizeof *graph->offset, err);
    graph->target = topomap_alloc(in->entry_room, sizeof *graph->target, err);
    graph->bytes = topomap_alloc(in->entry_room, sizeof *graph->bytes, err);
    in->line = topomap_alloc(in->vertex_room, sizeof *in->line, err);
    if (in->loads)
        graph->load = topomap_alloc(in->vertex_room, sizeof *graph->load, err);
    return graph->offset && graph->target && graph->bytes && in->line && (graph->load || !in->loads)
               ? 0
               : -1;
}

int topomap_undirected_vertex(topomap_undirected *in, uint64_t u, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    size_t room = in->vertex_room, need = u + 2; /* an offset more than vertices */

    if ((in->loads && topomap_grow_beside(&graph->load, room, need, sizeof *graph->load, err)) ||
        topomap_grow_beside(&in->line, room, need, sizeof *in->line, err))
        return -1;
    return topomap_grow(&graph->offset, &in->vertex_room, need, sizeof *graph->offset, err);
}

int topomap_undirected_entry(topomap_undirected *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t need = graph->arcs + 1;

    if (topomap_grow_beside(&graph->target, in->entry_room, need, sizeof *graph->target, err))
        return -1;
    return topomap_grow(&graph->bytes, &in->entry_room, need, sizeof *graph->bytes, err);
}

int topomap_undirected_sum(const topomap_undirected *in, const char *what, uint64_t value,
                           uint64_t *total, topomap_error *err)
{
    if (value >= TOPOMAP_GRAPH_SUM - *total)
        return topomap_input_fail(in->input, err, "the sum of vertex %s reaches 2^63", what);
    *total += value;
    return 0;
}

struct entry {
    uint32_t target;
    uint64_t bytes;
};

TOPOMAP_COMPARE(by_target, struct entry, TOPOMAP_ORDER(x->target, y->target), 0)

int topomap_undirected_sort(topomap_undirected *in, uint64_t u, uint64_t end, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t begin = graph->offset[u], count = end - begin;
    TOPOMAP_FREED struct entry *row = topomap_alloc(count, sizeof *row, err);

    if (!row)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        row[i] = (struct entry){graph->target[begin + i], graph->bytes[begin + i]};
    qsort(row, count, sizeof *row, by_target);
    for (uint64_t i = 0; i < count; i++) {
        graph->target[begin + i] = row[i].target;
        graph->bytes[begin + i] = row[i].bytes;
    }
    for (uint64_t i = count; i-- > 1;)
        if (row[i].target == row[i - 1].target)
            return topomap_input_fail(in->input, err, "vertex %llu lists vertex %llu twice",
                                      (unsigned long long)(u + in->base),
                                      (unsigned long long)(row[i].target + in->base));
    return 0;
}

static int one_sided(const topomap_undirected *in, uint32_t from, uint32_t to, topomap_error *err)
{
    return topomap_error_set(
        err, TOPOMAP_EINPUT,
        "%s:%zu: vertex %llu lists vertex %llu, which (line %zu) does not list "
        "it",
        topomap_input_path(in->input), in->line[from], (unsigned long long)(from + in->base),
        (unsigned long long)(to + in->base), in->line[to]);
}

/* Arc `i` is u -> v with u < v. Rows ascend, so cursor[v] meets the u's in order. */
static int split_edge(topomap_undirected *in, uint64_t *cursor, uint32_t u, uint64_t i,
                      topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint32_t v = graph->target[i];
    uint64_t back = cursor[v], weight = graph->bytes[i];

    if (back < graph->offset[v + 1] && graph->target[back] < u)
        return one_sided(in, v, graph->target[back], err);
    if (back == graph->offset[v + 1] || graph->target[back] > u)
        return one_sided(in, u, v, err);
    if (graph->bytes[back] != weight)
        return topomap_error_set(
            err, TOPOMAP_EINPUT, "%s:%zu: edge %llu-%llu has weight %llu here and %llu on line %zu",
            topomap_input_path(in->input), in->line[v], (unsigned long long)(v + in->base),
            (unsigned long long)(u + in->base), (unsigned long long)graph->bytes[back],
            (unsigned long long)weight, in->line[u]);
    cursor[v]++;
    if (weight >= TOPOMAP_GRAPH_SUM - graph->total_bytes)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:%zu: the sum of edge weights reaches 2^63",
                                 topomap_input_path(in->input), in->line[u]);
    graph->total_bytes += weight;
    graph->bytes[i] = weight - weight / 2;
    graph->bytes[back] = weight / 2;
    return 0;
}

static int split(topomap_undirected *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    /* The next arc of each row that has no way back yet. */
    TOPOMAP_FREED uint64_t *cursor = topomap_alloc(graph->ranks, sizeof *cursor, err);

    if (!cursor)
        return -1;
    memcpy(cursor, graph->offset, graph->ranks * sizeof *cursor);
    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint64_t i = cursor[u];

        if (i < graph->offset[u + 1] && graph->target[i] < u)
            return one_sided(in, u, graph->target[i], err);
        for (; i < graph->offset[u + 1]; i++)
            if (split_edge(in, cursor, u, i, err))
                return -1;
    }
    graph->pairs = graph->arcs / 2;
    return 0;
}

int topomap_undirected_close(topomap_undirected *in, int status, topomap_graph **graph,
                             topomap_error *err)
{
    if (!status)
        status = split(in, err);
    free(in->line);
    if (status)
        topomap_graph_free(in->graph);
    else
        *graph = in->graph;
    return status ? -1 : 0;
}
