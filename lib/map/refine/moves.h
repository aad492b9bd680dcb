/* SPDX-License-Identifier: BSD-3-Clause */
/* What searches by swaps share: who is where, how far places are, and whom to look at next. What a
 * swap is worth, each prices in its own way. */
#ifndef TOPOMAP_MOVES_H
#define TOPOMAP_MOVES_H

#include <stdlib.h>
#include <string.h>

#include "machine/distance.h"
#include "util/alloc.h"
#include "util/random.h"

/** Between two places, which are slots, or whole nodes. */
static inline double topomap_moves_distance(const topomap_machine *machine, int whole_nodes,
                                            uint32_t p, uint32_t q)
{
    if (!whole_nodes)
        return topomap_slot_distance(machine, p, q);
    return p == q ? 0.0 : topomap_node_distance(machine, p, q);
}

/** u and x change places.
 *  \param place_of   [vertices]
 *  \param vertex_at  [places] */
static inline void topomap_moves_exchange(uint32_t *place_of, uint32_t *vertex_at, uint32_t u,
                                          uint32_t x)
{
    uint32_t place = place_of[u];

    place_of[u] = place_of[x];
    place_of[x] = place;
    vertex_at[place_of[u]] = u;
    vertex_at[place] = x;
}

/** Moves whole nodes' ranks; only nodes of equal size have changed places.
 *  \param node_to  [nodes] where the ranks of each node go */
static inline void topomap_moves_nodes(const topomap_machine *m, const uint32_t *node_to,
                                       uint32_t *slot_of)
{
    for (uint32_t v = 0; v < m->slots; v++) {
        uint32_t node = m->node_of[slot_of[v]];

        slot_of[v] = m->slot_first[node_to[node]] + (slot_of[v] - m->slot_first[node]);
    }
}

/** A queue in which every vertex is once at most. */
typedef struct topomap_ring {
    uint32_t *queue, head, count, size; /* [size] */
    uint8_t *queued;                    /* [size] */
} topomap_ring;

/** All vertices are in it, in random order. On failure it is to be closed, too. */
static inline int topomap_ring_open(topomap_ring *ring, uint32_t vertices, topomap_random *random,
                                    topomap_error *err)
{
    *ring = (topomap_ring){.count = vertices, .size = vertices};
    ring->queue = topomap_alloc(vertices, sizeof *ring->queue, err);
    ring->queued = topomap_alloc(vertices, 1, err);
    if (!ring->queue || !ring->queued)
        return -1;
    for (uint32_t v = 0; v < vertices; v++)
        ring->queue[v] = v;
    topomap_random_shuffle(random, ring->queue, vertices);
    memset(ring->queued, 1, vertices);
    return 0;
}

static inline void topomap_ring_close(topomap_ring *ring)
{
    free(ring->queue);
    free(ring->queued);
}

static inline void topomap_ring_put(topomap_ring *ring, uint32_t v)
{
    if (ring->queued[v])
        return;
    ring->queued[v] = 1;
    ring->queue[(ring->head + ring->count++) % ring->size] = v;
}

static inline uint32_t topomap_ring_take(topomap_ring *ring)
{
    uint32_t v = ring->queue[ring->head];

    ring->head = (ring->head + 1) % ring->size;
    ring->count--;
    ring->queued[v] = 0;
    return v;
}

#endif
