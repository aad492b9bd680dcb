/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of a fat tree by rule, without tables: up by D-mod-K, down the only way. */
#ifndef TOPOMAP_FATTREE_H
#define TOPOMAP_FATTREE_H

#include "machine/network.h"

enum { TOPOMAP_FATTREE_LEVELS = 6 };

/** PGFT(levels; m; w; p): a switch of level l has m[l] children and w[l + 1] parents, with p[l + 1]
 *  cables to each (Zahavi 2012); level 1 are the leaves, their children the hosts. The vertices of
 *  level l are above * below, number i being (i / below, i % below); host h is below the switches
 *  (h / (m[1] * ... * m[l]), any). */
typedef struct topomap_fattree {
    uint32_t levels;
    uint32_t m[TOPOMAP_FATTREE_LEVELS + 2], w[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t p[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t above[TOPOMAP_FATTREE_LEVELS + 2], below[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t first[TOPOMAP_FATTREE_LEVELS + 2]; /* vertex; [0] is of the hosts */
    uint32_t *host;                             /* [nodes] */
} topomap_fattree;

/** The link out of a vertex towards a node: up, to parent (host / d) mod (w * p) by cables in the
 *  order of parents, d being the product of w * p below; as `topomap db synth` routes. */
uint32_t topomap_fattree_next(const topomap_network *network, uint32_t at, uint32_t node);

/** A copy for a network whose node i is host[i] of the tree and whose switches follow the nodes in
 *  the tree's order. NULL where memory is short. */
topomap_fattree *topomap_fattree_copy(const topomap_fattree *tree, uint32_t hosts, uint32_t nodes,
                                      const uint32_t *host, topomap_error *err);
void topomap_fattree_free(topomap_fattree *tree);

#endif
