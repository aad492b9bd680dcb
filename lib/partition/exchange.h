/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_EXCHANGE_H
#define TOPOMAP_EXCHANGE_H

#include <metis.h>

#include "topomap/topomap.h"

/** Lowers the cut of a perfectly balanced partition and keeps the parts' sizes: a vertex changes
 *  places with the vertex of another part, among its neighbours, theirs, and those without edges,
 *  that saves most, until none saves anything. \p part [count] is changed; the graph is as in
 * topomap_balance(). */
int topomap_exchange(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                     uint32_t parts, idx_t *part, topomap_error *err);

#endif
