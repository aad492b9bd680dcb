/* SPDX-License-Identifier: BSD-3-Clause */
/* One shortest path under loads: hops first, then the bytes / capacity that the links carry so far
 * (Hoefler & Snir, ICS 2011, Alg. 1 and 3: Dijkstra with a constant in front of the loads that
 * makes hops count first; here breadth first, and the pair compared). Which of two equally short
 * and loaded paths is taken is the caller's rule. */
#ifndef TOPOMAP_SINGLE_PATH_H
#define TOPOMAP_SINGLE_PATH_H

#include "fabric/network.h"

typedef struct topomap_path_cost {
    double load;   /* sum of bytes / capacity so far */
    double slow;   /* sum of 1 / capacity */
    uint32_t link; /* the last one */
} topomap_path_cost;

/** Nonzero where path a is to be taken instead of b, which is as long and was found before. */
typedef int topomap_path_rule(const topomap_path_cost *a, const topomap_path_cost *b);
/** The lower load, then the lower last link. */
topomap_path_rule topomap_path_lower_link;
/** The lower load, then the faster links, then the one found first. */
topomap_path_rule topomap_path_faster;

typedef struct topomap_path_search {
    const topomap_network *network;
    topomap_path_rule *rule;
    uint32_t epoch, *seen;         /* [vertices] seen in this epoch */
    uint32_t *hops, *tail, *order; /* [vertices] */
    topomap_path_cost *cost;       /* [vertices] of the best path to each */
    uint64_t looked;               /* links looked at so far */
} topomap_path_search;

/** On failure it is to be cleared, too. */
int topomap_path_init(topomap_path_search *search, const topomap_network *network,
                      topomap_path_rule *rule, topomap_error *err);
void topomap_path_clear(topomap_path_search *search);

/** Where a search ends: at the vertex `to`, or where that is UINT32_MAX, at the best of the nearest
 *  vertices that have an `order` other than UINT32_MAX; of equal ones at the lowest order. */
typedef struct topomap_path_goal {
    uint32_t to;
    uint32_t (*order)(const void *data, uint32_t vertex);
    const void *data;
} topomap_path_goal;

/** \param load  [links] bytes so far
 *  \return the vertex; UINT32_MAX where none is joined. The path: tail[v] and cost[v].link, back to
 *  \p from. */
uint32_t topomap_path_find(topomap_path_search *search, const double *load, uint32_t from,
                           const topomap_path_goal *goal);

#endif
