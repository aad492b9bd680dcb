/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_MATCHING_H
#define TOPOMAP_MATCHING_H

#include "graph/graph.h"
#include "util/random.h"

/** Pairs the vertices of a graph, an even number of them, so that pairs weigh much: each in random
 *  order with the heaviest neighbour that is free (heavy-edge matching: Karypis, Kumar, SIAM J.
 *  Sci. Comput. 20, 1998), what is left with who shares a neighbour, then in order.
 *  \param half  [vertices] filled: the vertices of pair i are half[2 i] and half[2 i + 1] */
int topomap_matching(const topomap_weights *graph, topomap_random *random, uint32_t *half,
                     topomap_error *err);

/** The graph of the pairs; edges between the same pairs are added up. */
int topomap_matching_contract(const topomap_weights *graph, const uint32_t *half,
                              topomap_weights *pairs, topomap_error *err);

#endif
