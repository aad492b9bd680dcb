/* SPDX-License-Identifier: BSD-3-Clause */
/* The best halves of a few vertices, found by looking at all: a launch divides the insides of many
 * nodes, and what METIS does before it looks at the first edge takes longer there. */
#ifndef TOPOMAP_SMALL_H
#define TOPOMAP_SMALL_H

#include <metis.h>
#include <stdint.h>

/** Whether there are so few ways to choose \p first of \p count vertices. */
int topomap_small_fits(uint32_t count, uint32_t first);

/** Divides into \p first vertices (part 0) and the rest (part 1) with the least cut; of equal ones
 *  the first by its vertices. Needs no memory.
 *  \param offset  [count + 1], target, weight: both directions of each edge
 *  \param part    [count] out */
void topomap_small_halve(uint32_t count, const idx_t *offset, const idx_t *target,
                         const idx_t *weight, uint32_t first, idx_t *part);

#endif
