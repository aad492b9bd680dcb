/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_BALANCE_H
#define TOPOMAP_BALANCE_H

#include <metis.h>

#include "topomap/topomap.h"

/** Moves vertices from parts that have too many to parts that have too few until part i has
 *  exactly size[i] (their sum is \p count), each time the move that leaves the least total edge
 *  cut; ties by vertex, then part (Wu, Xiong, Lan, "Hierarchical task mapping", section 4).
 *  offset [count + 1], target and weight [offset[count]]: the graph; part [count] is changed. */
int topomap_balance(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                    uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err);

/** The same sizes by another rule: vertices of the least cumulative edge weight move first, ties by
 *  vertex, into the lowest part that has room (Hoefler & Snir, ICS 2011, sections 3.2 and 3.4). */
int topomap_balance_incident(uint32_t count, const idx_t *offset, const idx_t *weight,
                             uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err);

#endif
