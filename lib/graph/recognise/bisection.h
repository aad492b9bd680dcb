/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of undirected files, without the direction that halving them makes. */
#ifndef TOPOMAP_GRAPH_RECOGNISE_BISECTION_H
#define TOPOMAP_GRAPH_RECOGNISE_BISECTION_H

#include "topomap/topomap.h"

/** Readers of undirected files give each arc of an edge half of its weight, and of an odd one the
 *  first arc a byte more: of a weight of 1 all there is. Where that is how every pair is split,
 *  *bytes becomes an array of the arcs' bytes that are twice as many and the same both ways, to be
 *  freed; else NULL. \return 0, or -1 on failure */
int topomap_halves_even(const topomap_graph *graph, uint64_t **bytes, topomap_error *err);

#endif
