/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of a fat tree by rule, without tables: up by D-mod-K, down the only way. */
#ifndef TOPOMAP_FATTREE_H
#define TOPOMAP_FATTREE_H

#include "fabric/shapes.h"
#include "fabric/network.h"

/** Gives the network the rule: up to parent (host / d) mod (w * p), by cables in the order of
 *  parents, d being the product of w * p below; as `topomap db synth` routes.
 *  \param hosts  of the tree
 *  \param host   [network->nodes] which of them each node is; switches follow the nodes in the
 *                tree's order */
int topomap_fattree_routes(topomap_network *network, const topomap_fattree *tree, uint32_t hosts,
                           const uint32_t *host, topomap_error *err);
/** The tree of a network with this rule and the host [nodes] that each node is, both lent; NULL
 * where it has another rule, or none. */
const topomap_fattree *topomap_fattree_of(const topomap_network *network, const uint32_t **host);

#endif
