/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_GRAPH_PATTERNS_TRAINING_H
#define TOPOMAP_GRAPH_PATTERNS_TRAINING_H

#include "topomap/topomap.h"

/** Bytes that a rank sends along tp, pp and dp in a step of `parallel:...`, of context and expert
 *  ranks 1. 0 along dimensions of one rank. */
enum { TOPOMAP_TRAINING_TP, TOPOMAP_TRAINING_PP, TOPOMAP_TRAINING_DP, TOPOMAP_TRAINING_DIMS };
int topomap_training_bytes(const char *pattern, double bytes[TOPOMAP_TRAINING_DIMS],
                           topomap_error *err);

/** Who is together in the groups of one kind, of the graph of a pattern (graph->pattern, or NULL).
 *  \p group_of [ranks] gets a number below \p ranks, the same for those of a group;
 *  *groups: how many there are, *size: ranks of each. EUSAGE where the text is not `parallel:..` of
 *  so many ranks, or \p kind no kind. */
int topomap_training_groups(const char *pattern, const char *kind, uint32_t ranks,
                            uint32_t *group_of, uint32_t *groups, uint32_t *size,
                            topomap_error *err);

#endif
