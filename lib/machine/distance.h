/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances of slots, inline: they are the innermost loop of every search. */
#ifndef TOPOMAP_DISTANCE_H
#define TOPOMAP_DISTANCE_H

#include <stdlib.h>

#include "machine/machine.h"

static inline uint32_t topomap_torus_hops(const topomap_machine *m, uint32_t a, uint32_t b)
{
    const uint16_t *ca = m->coord + (size_t)a * m->dims;
    const uint16_t *cb = m->coord + (size_t)b * m->dims;
    uint32_t hops = 0;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t gap = (uint32_t)abs((int)ca[d] - (int)cb[d]);

        if (m->wrap[d] && gap > m->dim[d] - gap)
            gap = m->dim[d] - gap;
        hops += gap;
    }
    return hops;
}

/** A router's number by its coordinates: x + X*(y + Y*z), as node ids of a specification. */
static inline uint64_t topomap_torus_router(const topomap_machine *m, const uint16_t *coord)
{
    uint64_t index = 0;

    for (uint32_t d = m->dims; d-- > 0;)
        index = index * m->dim[d] + coord[d];
    return index;
}

/** Cost of one byte between two different nodes. */
static inline double topomap_node_distance(const topomap_machine *m, uint32_t a, uint32_t b)
{
    switch (m->kind) {
    case TOPOMAP_MACHINE_TORUS:
        return m->base + m->hop_cost * topomap_torus_hops(m, a, b);
    case TOPOMAP_MACHINE_MATRIX:
        return (double)m->site_cost[(size_t)m->site_of[a] * m->sites + m->site_of[b]];
    case TOPOMAP_MACHINE_TREE:
        for (uint32_t l = 0; l < m->outer_levels; l++)
            if (m->outer[l].group[a] == m->outer[l].group[b])
                return m->outer[l].cost;
    }
    return 0.0;
}

/** What two slots of different nodes are farther because their rails differ. */
static inline double topomap_rail_distance(const topomap_machine *m, uint32_t p, uint32_t q)
{
    uint32_t a = m->node_of[p], b = m->node_of[q];

    if (m->rail_of[p] == m->rail_of[q])
        return 0.0;
    if (m->kind == TOPOMAP_MACHINE_MATRIX)
        return m->site_cross
                   ? (double)m->site_cross[(size_t)m->site_of[a] * m->sites + m->site_of[b]]
                   : 0.0;
    for (uint32_t l = 0; l < m->outer_levels; l++)
        if (m->outer[l].group[a] == m->outer[l].group[b])
            return m->outer[l].cross;
    return 0.0;
}

static inline double topomap_slot_distance(const topomap_machine *m, uint32_t p, uint32_t q)
{
    uint32_t a = m->node_of[p], b = m->node_of[q];

    if (a != b)
        return topomap_node_distance(m, a, b) + (m->rail_of ? topomap_rail_distance(m, p, q) : 0.0);
    if (p == q)
        return 0.0;
    for (uint32_t l = 0; l + 1 < m->inner_levels; l++)
        if (m->inner[l].group[p] == m->inner[l].group[q])
            return m->inner[l].cost;
    return m->inner[m->inner_levels - 1].cost;
}

#endif
