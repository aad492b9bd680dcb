/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CONTRACT_H
#define TOPOMAP_CONTRACT_H

#include "partition/partition.h"

/** The graph of blocks, \p block_of [w->vertices]; edges between the same two are added up, those
 *  inside one left out. \p out ends with topomap_weights_clear(). O(edges). */
int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err);

/** Divides all vertices of the partitioner's graph into blocks of exactly \p size, which divides
 * their number, and contracts these. \param members  [vertices] filled: the vertices block by block
 */
int topomap_contract_blocks(topomap_partitioner *p, uint32_t size, uint32_t *members,
                            topomap_weights *out, topomap_error *err);

#endif
