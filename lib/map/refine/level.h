/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of unequal load: which of them share a node decides how much each node has to compute. What
 * counts is the highest load a slot of any node (loads of its ranks / its slots). It may be a given
 * part above what dealing out the ranks reaches, heaviest first, each to the node that has least:
 * the LPT rule (Graham, SIAM J. Appl. Math. 17, 1969), here with as many ranks a node as it has
 * slots. */
#ifndef TOPOMAP_LEVEL_H
#define TOPOMAP_LEVEL_H

#include "map/problem.h"

typedef struct topomap_level {
    const uint64_t *load; /* [ranks] */
    uint32_t ranks;
    double limit;    /* load a slot, at most */
    uint32_t *dealt; /* [ranks] the node of each that LPT gave it to */
} topomap_level;

/** \param part  how much above LPT's is still good, 0.05 for 5 %
 *  \return 1, or 0 where there is nothing to level (loads all alike or none, one node); -1 where
 *          memory is short. Deterministic, O(ranks log ranks). */
int topomap_level_open(const topomap_problem *problem, double part, topomap_level *level,
                       topomap_error *err);
void topomap_level_close(topomap_level *level);

/** The highest load a slot; \p node [nodes] is filled with the nodes' loads. \p slot_of [ranks] */
double topomap_level_most(const topomap_problem *problem, const uint32_t *slot_of, double *node);

/** Exchanges the ranks on two places where nodes are \p node's: nonzero where neither node gets
 *  above the limit, or above what it has. */
int topomap_level_allows(const topomap_problem *problem, const double *node, uint32_t u, uint32_t x,
                         uint32_t place_u, uint32_t place_x);
/** Brings \p node up to date after such an exchange. */
void topomap_level_exchange(const topomap_problem *problem, double *node, uint32_t u, uint32_t x,
                            uint32_t place_u, uint32_t place_x);

#endif
