/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_TWINS_H
#define TOPOMAP_TWINS_H

#include "graph/graph.h"

/** Vertices that talk alike to all others: exchanging two of them changes no cost, wherever they
 *  are. In a complete graph of equal weights these are all pairs. */
typedef struct topomap_twins {
    const topomap_weights *weights;
    uint64_t *print; /* [vertices] of the weights to all neighbours */
} topomap_twins;

/** O(edges). */
int topomap_twins_init(topomap_twins *twins, const topomap_weights *weights, topomap_error *err);
void topomap_twins_clear(topomap_twins *twins);

/** Nonzero for twins; for others, too, once in 2^64. O(log degree). */
int topomap_twins_are(const topomap_twins *twins, uint32_t u, uint32_t x);

/** w(u, x), 0 where they have no edge. O(log degree). */
uint64_t topomap_twins_weight(const topomap_weights *weights, uint32_t u, uint32_t x);

#endif
