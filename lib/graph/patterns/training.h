/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_GRAPH_PATTERNS_TRAINING_H
#define TOPOMAP_GRAPH_PATTERNS_TRAINING_H

#include "topomap/topomap.h"

/** Bytes that a rank sends along tp, pp and dp in a step of `parallel:...`, of context and expert
 *  ranks 1. 0 along dimensions of one rank. */
enum { TOPOMAP_TRAINING_TP, TOPOMAP_TRAINING_PP, TOPOMAP_TRAINING_DP, TOPOMAP_TRAINING_DIMS };
int topomap_training_bytes(const char *pattern, double bytes[TOPOMAP_TRAINING_DIMS],
                           topomap_error *err);

#endif
