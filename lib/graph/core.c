/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "graph/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/alloc.h"

#define PLAUSIBLE_RANKS ((uint64_t)1 << 20)
#define PLAUSIBLE_SHARE 4 /* ranks an arc may vouch for beyond that */

int topomap_graph_add_total(uint64_t *total, uint64_t value, const char *what, topomap_error *err)
{
    if (value >= TOPOMAP_GRAPH_SUM - *total)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the sum of all %s reaches 2^63", what);
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

/* Rows ascend, so that each row's arcs to lower ranks are met in the order of those ranks: one
 * cursor a row finds the way back of every arc in O(1) amortised. */
static int count_pairs(topomap_graph *graph, topomap_error *err)
{
    TOPOMAP_FREED uint64_t *cursor = topomap_alloc(graph->ranks, sizeof *cursor, err);
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
    graph->pairs = graph->arcs - both;
    return 0;
}

int topomap_graph_finish(topomap_graph *graph, topomap_error *err)
{
    graph->total_bytes = graph->total_messages = 0;
    for (uint64_t i = 0; i < graph->arcs; i++) {
        if (topomap_graph_add_total(&graph->total_bytes, graph->bytes[i], "bytes", err) ||
            topomap_graph_add_total(&graph->total_messages, topomap_graph_arc_messages(graph, i),
                                    "messages", err))
            return -1;
    }
    return count_pairs(graph, err);
}

/* Frees an array that is not part of a file's bytes; one without elements may be where they end. */
static void release(const topomap_graph *graph, void *array)
{
    uintptr_t at = (uintptr_t)array, base = (uintptr_t)graph->file;

    if (!graph->file || at < base || at - base > graph->file_size)
        free(array);
}

void topomap_graph_free_list(topomap_graph **graph, size_t count)
{
    for (size_t i = 0; graph && i < count; i++)
        topomap_graph_free(graph[i]);
    free(graph);
}

void topomap_graph_free(topomap_graph *graph)
{
    if (!graph)
        return;
    topomap_graph_free_list(graph->phase, graph->phases);
    release(graph, graph->offset);
    release(graph, graph->target);
    release(graph, graph->bytes);
    release(graph, graph->messages);
    release(graph, graph->load);
    release(graph, graph->load_more);
    release(graph, graph->size);
    release(graph, graph->coordinate);
    release(graph, graph->names);
    free(graph->name);
    free(graph->pattern);
    free(graph->source);
    free(graph->note);
    if (graph->file_is == TOPOMAP_FILE_MAPPED)
        munmap(graph->file, graph->file_size);
    if (graph->file_is == TOPOMAP_FILE_HEAP)
        free(graph->file);
    free(graph);
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

int topomap_graph_set_names(topomap_graph *graph, const char *text, size_t size, topomap_error *err)
{
    TOPOMAP_FREED char **name = topomap_alloc(graph->ranks, sizeof *name, err);
    TOPOMAP_FREED char *names = topomap_alloc(size, 1, err);
    char *at = names;

    if (!name || !names)
        return -1;
    memcpy(names, text, size);
    for (uint32_t r = 0; r < graph->ranks; r++) {
        name[r] = at;
        at += strlen(at) + 1;
    }
    free(graph->name);
    release(graph, graph->names);
    graph->name = topomap_take(&name);
    graph->names = topomap_take(&names);
    return 0;
}

int topomap_graph_set_text(char **slot, topomap_error *err, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    free(*slot);
    *slot = text;
    return 0;
}

uint32_t topomap_graph_ranks(const topomap_graph *graph)
{
    return graph->ranks;
}

uint64_t topomap_graph_edges(const topomap_graph *graph)
{
    return graph->pairs;
}

void topomap_graph_arcs(const topomap_graph *graph, const uint64_t **offset,
                        const uint32_t **target, const uint64_t **bytes)
{
    *offset = graph->offset;
    *target = graph->target;
    *bytes = graph->bytes;
}

const void *topomap_graph_counts(const topomap_graph *graph, unsigned *width)
{
    *width = graph->messages ? graph->message_width : 0;
    return graph->messages;
}

uint64_t topomap_graph_bytes(const topomap_graph *graph)
{
    return graph->total_bytes;
}

int topomap_graph_messages(const topomap_graph *graph, uint64_t *messages)
{
    if (!topomap_graph_has_messages(graph))
        return 0;
    *messages = graph->total_messages;
    return 1;
}

const char *topomap_graph_pattern(const topomap_graph *graph)
{
    return graph->pattern;
}

const uint64_t *topomap_graph_load(const topomap_graph *graph)
{
    return graph->load;
}

const double *topomap_graph_coordinates(const topomap_graph *graph, uint32_t *dimensions)
{
    *dimensions = graph->dimensions;
    return graph->coordinate;
}

double topomap_graph_compute(const topomap_graph *graph)
{
    return graph->compute;
}

uint32_t topomap_graph_phases(const topomap_graph *graph)
{
    return graph->phases;
}

const topomap_graph *topomap_graph_phase(const topomap_graph *graph, uint32_t i)
{
    return i < graph->phases ? graph->phase[i] : NULL;
}

const char *topomap_graph_name(const topomap_graph *graph, uint32_t rank)
{
    return graph->name && rank < graph->ranks ? graph->name[rank] : NULL;
}

const char *topomap_graph_source(const topomap_graph *graph)
{
    return graph->source;
}

const char *topomap_graph_note(const topomap_graph *graph)
{
    return graph->note;
}
