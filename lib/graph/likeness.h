/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of their traffic two graphs have in common. */
#ifndef TOPOMAP_GRAPH_LIKENESS_H
#define TOPOMAP_GRAPH_LIKENESS_H

#include "graph/graph.h"

/** How alike two graphs of the same ranks are: the share of bytes that goes between the same pairs,
 *  sum of min(a/sum a, b/sum b) over undirected pairs, 0 to 1; 1 where both have no bytes. */
int topomap_graph_likeness(const topomap_graph *a, const topomap_graph *b, double *share,
                           topomap_error *err);

/** How well a pattern of the same ranks, rank by rank, tells a profile: the smaller of the share of
 *  the profile's bytes that goes between pairs of the pattern, and of the pattern's pairs that the
 *  profile has. */
int topomap_graph_fit(const topomap_graph *profile, const topomap_graph *pattern, double *share,
                      topomap_error *err);

#endif
