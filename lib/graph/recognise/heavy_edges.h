/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program mainly does, without the light messages beside it. */
#ifndef TOPOMAP_GRAPH_RECOGNISE_HEAVY_EDGES_H
#define TOPOMAP_GRAPH_RECOGNISE_HEAVY_EDGES_H

#include "graph/graph.h"

/** The graph without the pairs that exchange next to nothing, such as a profile's barriers and
 *  reductions: less than 1/32 of what the pair has that the median byte goes between, where all
 *  these together have a twentieth of the bytes at most; else every pair stays. Deterministic,
 *  O(arcs log arcs). \p heavy ends with topomap_graph_free(); it has ranks, bytes and messages
 * only. */
int topomap_graph_heavy(const topomap_graph *graph, topomap_graph **heavy, topomap_error *err);
/** The same of weights. \p heavy ends with topomap_weights_clear(); it has as many vertices.
 *  \return 1 if some pairs were light, 0 if none was and nothing is made, -1 on failure */
int topomap_weights_heavy(const topomap_weights *weights, topomap_weights *heavy,
                          topomap_error *err);

#endif
