/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of a fat tree by rule, without tables: up by D-mod-K, down the only way. */
#ifndef TOPOMAP_FATTREE_H
#define TOPOMAP_FATTREE_H

#include "fabric/shapes.h"
#include "fabric/network.h"

/** The link out of a vertex towards a node: up, to parent (host / d) mod (w * p) by cables in the
 *  order of parents, d being the product of w * p below; as `topomap db synth` routes. */
uint32_t topomap_fattree_next(const topomap_network *network, uint32_t at, uint32_t node);

/** A copy for a network whose node i is host[i] of the tree and whose switches follow the nodes in
 *  the tree's order. NULL where memory is short. */
topomap_fattree *topomap_fattree_copy(const topomap_fattree *tree, uint32_t hosts, uint32_t nodes,
                                      const uint32_t *host, topomap_error *err);
void topomap_fattree_free(topomap_fattree *tree);

#endif
