/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs made of graphs: sums, multiples, other numberings. */
#include <math.h>
#include <string.h>

#include "graph/graph.h"
#include "util/alloc.h"

/* ---- Copies -------------------------------------------------------------------------------- */

/* Whose part the new rank r is: old_rank is NULL for the same number. */
static uint32_t old_of(const uint32_t *old_rank, uint32_t r)
{
    return old_rank ? old_rank[r] : r;
}

/* array: where a pointer to the copy goes. */
static int copy_rows(void *array, const void *from, uint32_t ranks, size_t size,
                     const uint32_t *old_rank, topomap_error *err)
{
    void **to = array;
    char *made;

    if (!from || !size)
        return 0;
    made = topomap_alloc(ranks, size, err);
    if (!made)
        return -1;
    for (uint32_t r = 0; r < ranks; r++)
        memcpy(made + r * size, (const char *)from + old_of(old_rank, r) * size, size);
    *to = made;
    return 0;
}

static int copy_names(topomap_graph *to, const topomap_graph *from, const uint32_t *old_rank,
                      topomap_error *err)
{
    size_t size = 0, at = 0;
    TOPOMAP_FREED char *text = NULL;

    for (uint32_t r = 0; r < to->ranks; r++)
        size += strlen(from->name[r]) + 1;
    text = topomap_alloc(size, 1, err);
    if (!text)
        return -1;
    for (uint32_t r = 0; r < to->ranks; r++) {
        const char *name = from->name[old_of(old_rank, r)];

        memcpy(text + at, name, strlen(name) + 1);
        at += strlen(name) + 1;
    }
    return topomap_graph_set_names(to, text, size, err);
}

/* What a graph knows of its ranks, for a graph of as many. */
static int copy_parts(topomap_graph *to, const topomap_graph *from, const uint32_t *old_rank,
                      topomap_error *err)
{
    size_t more = from->load_more ? (size_t)from->loads - 1 : 0;

    to->loads = from->loads;
    to->dimensions = from->dimensions;
    return copy_rows(&to->load, from->load, to->ranks, sizeof *to->load, old_rank, err) ||
                   copy_rows(&to->load_more, from->load_more, to->ranks, more * sizeof *to->load,
                             old_rank, err) ||
                   copy_rows(&to->size, from->size, to->ranks, sizeof *to->size, old_rank, err) ||
                   copy_rows(&to->coordinate, from->coordinate, to->ranks,
                             from->dimensions * sizeof *to->coordinate, old_rank, err) ||
                   (from->name && copy_names(to, from, old_rank, err))
               ? -1
               : 0;
}

static int copy_texts(topomap_graph *to, const topomap_graph *from, topomap_error *err)
{
    if ((from->source && topomap_graph_set_text(&to->source, err, "%s", from->source)) ||
        (from->note && topomap_graph_set_text(&to->note, err, "%s", from->note)))
        return -1;
    return 0;
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

static int scaled(uint64_t bytes, double factor, uint64_t *value)
{
    long double product = roundl((long double)bytes * (long double)factor);

    if (!(product < 0x1p63L))
        return -1;
    *value = (uint64_t)product;
    return 0;
}

static int add_graph(topomap_arcs *arcs, const topomap_graph *graph, const uint32_t *new_rank,
                     double factor, topomap_error *err)
{
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            uint32_t v = graph->target[i];
            uint64_t bytes = graph->bytes[i];

            if (factor != 1 && scaled(bytes, factor, &bytes))
                return topomap_error_set(err, TOPOMAP_EINPUT, "the sum of all bytes reaches 2^63");
            if (topomap_arcs_add(arcs, old_of(new_rank, u), old_of(new_rank, v), bytes,
                                 topomap_graph_arc_messages(graph, i), err))
                return -1;
        }
    return 0;
}

static int remake(const topomap_graph *graph, const uint32_t *new_rank, const uint32_t *old_rank,
                  double factor, topomap_graph **out, topomap_error *err);

static int remake_phases(topomap_graph *to, const topomap_graph *from, const uint32_t *new_rank,
                         const uint32_t *old_rank, double factor, topomap_error *err)
{
    to->phase = topomap_alloc(from->phases, sizeof *to->phase, err);
    if (!to->phase)
        return -1;
    for (; to->phases < from->phases; to->phases++)
        if (remake(from->phase[to->phases], new_rank, old_rank, factor, &to->phase[to->phases],
                   err))
            return -1;
    return 0;
}

/* With other numbers of ranks or other bytes; new_rank and old_rank are inverse or both NULL. */
static int remake(const topomap_graph *graph, const uint32_t *new_rank, const uint32_t *old_rank,
                  double factor, topomap_graph **out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear)
    topomap_arcs arcs = {.has_messages = topomap_graph_has_messages(graph)};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if (topomap_arcs_reserve(&arcs, graph->arcs, err) ||
        add_graph(&arcs, graph, new_rank, factor, err) ||
        topomap_arcs_take(&arcs, graph->ranks, &made, err) ||
        copy_parts(made, graph, old_rank, err) || copy_texts(made, graph, err) ||
        (graph->phases && remake_phases(made, graph, new_rank, old_rank, factor, err)))
        return -1;
    made->barrier = graph->barrier;
    made->compute = graph->compute;
    *out = topomap_take(&made);
    return 0;
}

int topomap_graph_scale(const topomap_graph *graph, double factor, topomap_graph **out,
                        topomap_error *err)
{
    if (!(factor > 0) || !isfinite(factor))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a factor is positive and finite, not %g",
                                 factor);
    return remake(graph, NULL, NULL, factor, out, err);
}

int topomap_graph_permute(const topomap_graph *graph, const uint32_t *new_rank,
                          topomap_graph **permuted, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *old_rank = topomap_alloc(graph->ranks, sizeof *old_rank, err);

    if (!old_rank)
        return -1;
    for (uint32_t r = 0; r < graph->ranks; r++)
        old_rank[r] = UINT32_MAX;
    for (uint32_t r = 0; r < graph->ranks; r++) {
        if (new_rank[r] >= graph->ranks || old_rank[new_rank[r]] != UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "no permutation of %u ranks: rank %u becomes %u%s",
                                     graph->ranks, r, new_rank[r],
                                     new_rank[r] < graph->ranks ? ", as another rank does" : "");
        old_rank[new_rank[r]] = r;
    }
    return remake(graph, new_rank, old_rank, 1, permuted, err);
}

int topomap_graph_merge(const topomap_graph *const *graphs, size_t count, topomap_graph **sum,
                        topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {.has_messages = 1};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    uint32_t ranks = 0;

    if (!count)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a sum needs a graph at least");
    for (size_t i = 0; i < count; i++) {
        arcs.has_messages &= topomap_graph_has_messages(graphs[i]);
        ranks = graphs[i]->ranks > ranks ? graphs[i]->ranks : ranks;
    }
    for (size_t i = 0; i < count; i++)
        if (add_graph(&arcs, graphs[i], NULL, 1, err))
            return -1;
    if (topomap_arcs_take(&arcs, ranks, &made, err) ||
        (graphs[0]->ranks == ranks && copy_parts(made, graphs[0], NULL, err)))
        return -1;
    for (size_t i = 0; i < count; i++)
        made->compute += graphs[i]->compute;
    *sum = topomap_take(&made);
    return 0;
}
