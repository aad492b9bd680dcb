/* SPDX-License-Identifier: BSD-3-Clause */
/* Every pair of ranks, for who looks closer at a matrix, while they are few enough for a page; else
 * smaller cells than the whole has. */
#include <stdlib.h>

#include "cli/page/pairs.h"
#include "graph/graph.h"
#include "graph/matrix.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* About 1.5 MB of text, whether bytes are written out or stand in a table of few. */
enum { ARCS_MOST = 250000, LONG_MOST = 120000, VALUES_MOST = 4096 };
enum { CELLS_MOST = 2048, FILLED_MOST = 40000 };

/* The different numbers of bytes, ascending. \return how many */
static size_t sort_values(const topomap_graph *graph, uint64_t *value)
{
    size_t values = 0;

    for (uint64_t arc = 0; arc < graph->arcs; arc++)
        value[arc] = graph->bytes[arc];
    if (graph->arcs)
        qsort(value, graph->arcs, sizeof *value, topomap_by_u64);
    for (uint64_t arc = 0; arc < graph->arcs; arc++)
        if (arc == 0 || value[arc] != value[arc - 1])
            value[values++] = value[arc];
    return values;
}

/* How many pairs a rank has; then each one's way from the one before, and its bytes or their number
 * in the table. */
static json_t *arcs_json(const topomap_graph *graph, const uint64_t *value, size_t values)
{
    json_t *list = json_array();

    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint32_t last = 0;

        json_array_append_new(
            list, json_integer((json_int_t)(graph->offset[rank + 1] - graph->offset[rank])));
        for (uint64_t arc = graph->offset[rank]; arc < graph->offset[rank + 1]; arc++) {
            const uint64_t *at =
                values ? bsearch(&graph->bytes[arc], value, values, sizeof *value, topomap_by_u64)
                       : NULL;

            json_array_append_new(list, json_integer(graph->target[arc] - last));
            json_array_append_new(list,
                                  json_integer(at ? at - value : (json_int_t)graph->bytes[arc]));
            last = graph->target[arc];
        }
    }
    return list;
}

static json_t *values_json(const uint64_t *value, size_t values)
{
    json_t *list = json_array();

    for (size_t i = 0; i < values; i++)
        json_array_append_new(list, json_integer((json_int_t)value[i]));
    return list;
}

json_t *page_pairs(const page_job *job, topomap_error *err)
{
    const topomap_graph *graph = job->graph;
    uint64_t *value;
    size_t values;
    json_t *made;

    if (graph->arcs > ARCS_MOST)
        return json_null();
    value = topomap_alloc((size_t)graph->arcs, sizeof *value, err);
    if (!value)
        return NULL;
    values = sort_values(graph, value);
    if (values > VALUES_MOST)
        values = 0;
    made = values == 0 && graph->arcs > LONG_MOST
               ? json_null()
               : json_pack("{s:o, s:o}", "value", values_json(value, values), "arc",
                           arcs_json(graph, value, values));
    free(value);
    return made;
}

static size_t count_filled(const topomap_matrix *matrix)
{
    size_t filled = 0;

    for (size_t i = 0; i < (size_t)matrix->cells * matrix->cells; i++)
        filled += matrix->bytes[i] > 0;
    return filled;
}

/* Each filled cell's way from the one before, and its bytes. */
static json_t *fine_json(const topomap_matrix *matrix)
{
    size_t last = 0;
    json_t *list = json_array();

    for (size_t i = 0; i < (size_t)matrix->cells * matrix->cells; i++)
        if (matrix->bytes[i] > 0) {
            json_array_append_new(list, json_integer((json_int_t)(i - last)));
            json_array_append_new(list, json_integer((json_int_t)matrix->bytes[i]));
            last = i;
        }
    return json_pack("{s:I, s:I, s:o}", "cells", (json_int_t)matrix->cells, "each",
                     (json_int_t)matrix->each, "cell", list);
}

json_t *page_finer(const topomap_graph *graph, const uint32_t *place, topomap_error *err)
{
    for (uint32_t cells = CELLS_MOST; cells > PAGE_CELLS; cells /= 2) {
        topomap_matrix matrix;
        json_t *made = NULL;

        if (cells / 2 >= graph->ranks)
            continue;
        if (topomap_matrix_make(graph, place, cells, &matrix, err) != 0)
            return NULL;
        if (count_filled(&matrix) <= FILLED_MOST)
            made = fine_json(&matrix);
        topomap_matrix_clear(&matrix);
        if (made)
            return made;
    }
    return json_null();
}
