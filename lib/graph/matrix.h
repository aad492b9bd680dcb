/* SPDX-License-Identifier: BSD-3-Clause */
/* Who talks to whom, as a square of few cells: what pictures of a graph are made of. */
#ifndef TOPOMAP_GRAPH_MATRIX_H
#define TOPOMAP_GRAPH_MATRIX_H

#include "topomap/topomap.h"

typedef struct topomap_matrix {
    uint32_t ranks, cells; /* a side */
    uint32_t each;      /* ranks of a row or column: row i is those from i * each on; the last may
                           have fewer */
    double *bytes;      /* [cells * cells] what the ranks of a row send to those of a column */
    double least, most; /* of the cells that are not empty; 0: all are */
} topomap_matrix;

/** \param place  [ranks] a permutation: where each rank stands; NULL: rank r at r
 *  \param cells  at most so many, 1 or more; as many as there are rows of equally many ranks
 *  \param matrix ends with topomap_matrix_clear(), after a failure too */
int topomap_matrix_make(const topomap_graph *graph, const uint32_t *place, uint32_t cells,
                        topomap_matrix *matrix, topomap_error *err);
void topomap_matrix_clear(topomap_matrix *matrix);

/** How strong a cell is on a logarithmic scale: 0 for the least that is not empty, 1 for the most;
 *  below 0: it is empty. */
double topomap_matrix_strength(const topomap_matrix *matrix, uint32_t row, uint32_t column);

#endif
