/* SPDX-License-Identifier: BSD-3-Clause */
/* What LibTopoMap's algorithms work on (Hoefler & Snir, ICS 2011): the host graph H, switches
 * included, with a capacity at each host, and the graph G of what is placed there. Where all hosts
 * have the same capacity p > 1, G is the quotient of blocks of p ranks (section 3.4), and each host
 * takes one block. */
#ifndef TOPOMAP_MAP_LINKS_HOSTS_H
#define TOPOMAP_MAP_LINKS_HOSTS_H

#include "fabric/network.h"
#include "map/problem.h"
#include "util/arena.h"

typedef struct topomap_hosts {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_network *network;
    uint32_t places;      /* network vertices with slots, by first node */
    uint32_t *vertex;     /* [places] */
    uint32_t *place_of;   /* [network vertices] UINT32_MAX: no slots there */
    uint32_t *room;       /* [places] units that fit */
    uint32_t units;       /* what is placed: blocks, or graph vertices; the sum of room */
    topomap_weights work; /* weights of the units: G */

    topomap_network *grid;       /* owned, where the machine has no network of its own */
    uint32_t *slot_first, *slot; /* slots of place i: slot[slot_first[i] .. slot_first[i + 1]) */
    uint32_t *unit_of;           /* [slots] of each graph vertex, or NULL: the vertex itself */
} topomap_hosts;

/** TOPOMAP_EUSAGE where the machine's links are not known. On failure it is to be cleared, too. */
int topomap_hosts_init(topomap_hosts *hosts, topomap_problem *problem, const char *algorithm,
                       topomap_error *err);
/** \param place_of_unit  [units], as many at each place as it has room
 *  \param slot_of        [slots] ranks of a place take its slots in order */
int topomap_hosts_place(const topomap_hosts *hosts, const uint32_t *place_of_unit,
                        uint32_t *slot_of, topomap_error *err);
void topomap_hosts_clear(topomap_hosts *hosts);

#endif
