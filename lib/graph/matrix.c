/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"

static void add_up(const topomap_graph *graph, const uint32_t *place, topomap_matrix *matrix)
{
    for (uint32_t u = 0; u < graph->ranks; u++) {
        size_t row = (size_t)((place ? place[u] : u) / matrix->each) * matrix->cells;

        for (uint64_t arc = graph->offset[u]; arc < graph->offset[u + 1]; arc++) {
            uint32_t v = graph->target[arc];

            matrix->bytes[row + (place ? place[v] : v) / matrix->each] += (double)graph->bytes[arc];
        }
    }
}

int topomap_matrix_make(const topomap_graph *graph, const uint32_t *place, uint32_t cells,
                        topomap_matrix *matrix, topomap_error *err)
{
    uint32_t each = graph->ranks / cells + (graph->ranks % cells != 0), side;

    each += each == 0;
    side = graph->ranks / each + (graph->ranks % each != 0);
    *matrix = (topomap_matrix){.ranks = graph->ranks, .cells = side, .each = each};
    matrix->bytes = topomap_alloc((size_t)side * side, sizeof *matrix->bytes, err);
    if (!matrix->bytes)
        return -1;
    add_up(graph, place, matrix);
    for (size_t i = 0; i < (size_t)side * side; i++) {
        double bytes = matrix->bytes[i];

        if (bytes > 0 && (matrix->least == 0 || bytes < matrix->least))
            matrix->least = bytes;
        matrix->most = bytes > matrix->most ? bytes : matrix->most;
    }
    return 0;
}

void topomap_matrix_clear(topomap_matrix *matrix)
{
    free(matrix->bytes);
    *matrix = (topomap_matrix){0};
}

double topomap_matrix_strength(const topomap_matrix *matrix, uint32_t row, uint32_t column)
{
    double bytes = matrix->bytes[(size_t)row * matrix->cells + column];

    if (!(bytes > 0))
        return -1;
    return matrix->most > matrix->least
               ? log(bytes / matrix->least) / log(matrix->most / matrix->least)
               : 1;
}
