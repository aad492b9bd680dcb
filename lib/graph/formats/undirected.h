/* SPDX-License-Identifier: BSD-3-Clause */
/* What formats of undirected graphs share: each edge stands at both of its ends. */
#ifndef TOPOMAP_GRAPH_FORMATS_UNDIRECTED_H
#define TOPOMAP_GRAPH_FORMATS_UNDIRECTED_H

#include "graph/graph.h"
#include "util/input.h"

/** Sorts the row from arc \p begin to the last by target. EINPUT where a target is there twice.
 *  \p u is the row's vertex, \p base the first vertex as the file has it */
int topomap_undirected_sort(const topomap_input *input, topomap_graph *graph, uint64_t begin,
                            uint64_t u, uint64_t base, topomap_error *err);

/** Finds for each arc its way back and splits the weight of the edge between the two: the half
 *  rounded up goes from the smaller id. Rows ascend. Sets pairs and total_bytes.
 *  \param line  [ranks] where each vertex stands, for messages
 *  \param base  the first vertex as the file has it */
int topomap_undirected_split(const topomap_input *input, topomap_graph *graph, const size_t *line,
                             uint64_t base, topomap_error *err);

#endif
