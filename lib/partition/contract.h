/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CONTRACT_H
#define TOPOMAP_CONTRACT_H

#include "graph/graph.h"

/** The graph of blocks, \p block_of [w->vertices]; edges between the same two are added up, those
 *  inside one left out. \p out ends with topomap_weights_clear(). O(edges). */
int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err);

#endif
