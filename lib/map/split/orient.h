/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_ORIENT_H
#define TOPOMAP_ORIENT_H

#include "map/split/recursion.h"

/** Decides which part of the graph goes to which part of the machine. The partition alone cannot
 *  tell: it does not see the vertices outside the segment. Parts of equal size change places
 *  while that brings their outside neighbours' traffic closer, judged by one slot in the middle of
 *  each part and of each neighbour's segment (\p stand_in, [slots] by vertex).
 *  \p slots and \p vertices are the segment's; \p vertices is reordered. */
int topomap_orient(const topomap_problem *problem, const topomap_split *split,
                   const uint32_t *slots, uint32_t *vertices, const uint32_t *stand_in,
                   topomap_error *err);

#endif
