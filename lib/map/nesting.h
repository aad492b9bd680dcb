/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of a machine as one row, from the inside out: those inside nodes, then those of a tree
 * between them. */
#ifndef TOPOMAP_MAP_NESTING_H
#define TOPOMAP_MAP_NESTING_H

#include "machine/machine.h"

static inline const topomap_nesting *topomap_nesting_at(const topomap_machine *m, uint32_t level)
{
    return level < m->inner_levels ? &m->inner[level] : &m->outer[level - m->inner_levels];
}

/** The machine's own number of a slot's group; of a whole node, the node's. */
static inline uint32_t topomap_nesting_group(const topomap_machine *m, uint32_t level,
                                             uint32_t slot)
{
    if (level + 1 < m->inner_levels)
        return m->inner[level].group[slot];
    if (level < m->inner_levels)
        return m->node_of[slot];
    return m->outer[level - m->inner_levels].group[m->node_of[slot]];
}

#endif
