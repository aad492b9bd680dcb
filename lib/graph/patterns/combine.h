/* SPDX-License-Identifier: BSD-3-Clause */
/* Several graphs become one. */
#ifndef TOPOMAP_GRAPH_PATTERNS_COMBINE_H
#define TOPOMAP_GRAPH_PATTERNS_COMBINE_H

#include "graph/graph.h"

typedef struct topomap_part {
    const topomap_graph *graph;
    double factor; /* of bytes and messages; what is not nothing stays at least 1 */
} topomap_part;

/** All at the same time, on the same ranks: rank r of each is rank r, there are as many as the
 *  largest has. Phase k is the sum of the phases k; a graph without phases is in the first. */
int topomap_combine_sum(const topomap_part *part, size_t parts, topomap_graph **graph,
                        topomap_error *err);
/** One after the other, on the same ranks; the phases of a graph that has some stay apart. */
int topomap_combine_phases(const topomap_part *part, size_t parts, topomap_graph **graph,
                           topomap_error *err);
/** Side by side in rank space, the whole list \p repeat times. Phase k is that of the phases k.
 *  \p couple > 0: each block and the next share an interface of \p couple bytes each way, of which
 *  every rank holds an equal, contiguous share in rank order. */
int topomap_combine_blocks(const topomap_part *part, size_t parts, uint64_t repeat, uint64_t couple,
                           topomap_graph **graph, topomap_error *err);

#endif
