/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/undirected.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct entry {
    uint32_t target;
    uint64_t bytes;
};

static int by_target(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->target, y = ((const struct entry *)b)->target;

    return (x > y) - (x < y);
}

int topomap_undirected_sort(const topomap_input *input, topomap_graph *graph, uint64_t begin,
                            uint64_t u, uint64_t base, topomap_error *err)
{
    uint64_t count = graph->arcs - begin;
    struct entry *row = topomap_alloc(count, sizeof *row, err);
    int twice = 0;
    uint32_t which = 0;

    if (!row)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        row[i] = (struct entry){graph->target[begin + i], graph->bytes[begin + i]};
    qsort(row, count, sizeof *row, by_target);
    for (uint64_t i = 0; i < count; i++) {
        graph->target[begin + i] = row[i].target;
        graph->bytes[begin + i] = row[i].bytes;
        if (i && row[i].target == row[i - 1].target) {
            twice = 1;
            which = row[i].target;
        }
    }
    free(row);
    if (twice)
        return topomap_input_fail(input, err, "vertex %llu lists vertex %llu twice",
                                  (unsigned long long)(u + base),
                                  (unsigned long long)(which + base));
    return 0;
}

struct split {
    const topomap_input *input;
    topomap_graph *graph;
    const size_t *line;
    uint64_t base;
    uint64_t *cursor; /* [ranks] the next arc of each row that has no way back yet */
};

static int one_sided(const struct split *in, uint32_t from, uint32_t to, topomap_error *err)
{
    return topomap_error_set(
        err, TOPOMAP_EINPUT,
        "%s:%zu: vertex %llu lists vertex %llu, which (line %zu) does not list "
        "it",
        topomap_input_path(in->input), in->line[from], (unsigned long long)(from + in->base),
        (unsigned long long)(to + in->base), in->line[to]);
}

/* Arc `i` is u -> v with u < v. Rows ascend, so cursor[v] meets the u's in order. */
static int split_edge(struct split *in, uint32_t u, uint64_t i, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint32_t v = graph->target[i];
    uint64_t back = in->cursor[v], weight = graph->bytes[i];

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
    in->cursor[v]++;
    if (weight >= TOPOMAP_GRAPH_SUM - graph->total_bytes)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:%zu: the sum of edge weights reaches 2^63",
                                 topomap_input_path(in->input), in->line[u]);
    graph->total_bytes += weight;
    graph->bytes[i] = weight - weight / 2;
    graph->bytes[back] = weight / 2;
    return 0;
}

int topomap_undirected_split(const topomap_input *input, topomap_graph *graph, const size_t *line,
                             uint64_t base, topomap_error *err)
{
    struct split in = {input, graph, line, base, NULL};
    int status;

    in.cursor = topomap_alloc(graph->ranks, sizeof *in.cursor, err);
    status = in.cursor ? 0 : -1;
    if (in.cursor)
        memcpy(in.cursor, graph->offset, graph->ranks * sizeof *in.cursor);
    for (uint32_t u = 0; !status && u < graph->ranks; u++) {
        uint64_t i = in.cursor[u];

        if (i < graph->offset[u + 1] && graph->target[i] < u)
            status = one_sided(&in, u, graph->target[i], err);
        for (; !status && i < graph->offset[u + 1]; i++)
            status = split_edge(&in, u, i, err);
    }
    free(in.cursor);
    graph->pairs = graph->arcs / 2;
    return status;
}
