/* SPDX-License-Identifier: BSD-3-Clause */
/* LibTopoMap's fast congestion (Hoefler & Snir, ICS 2011, Alg. 3), kept while ranks change places:
 * the paths of the edges of the two that move are taken off, and found again, heaviest first, under
 * the loads of all others, which keep theirs. A whole evaluation would find them in the order of
 * all edges: the numbers are near, not equal. */
#ifndef TOPOMAP_FAST_LOADS_H
#define TOPOMAP_FAST_LOADS_H

#include "graph/graph.h"
#include "map/links/maxima.h"
#include "metric/single_path.h"
#include "util/arena.h"

typedef struct topomap_fast_path {
    uint32_t from, to; /* ranks */
    double bytes;
    uint32_t *link, links, room;
    int is_lost; /* there is no path */
} topomap_fast_path;

typedef struct topomap_fast_loads {
    topomap_arena memory;
    const topomap_network *network;
    uint32_t *at; /* [vertices] of the network; owned */
    uint32_t vertices;
    topomap_path_search search;
    topomap_fast_path *path; /* [arcs with bytes] heaviest first */
    uint32_t paths, lost;
    uint64_t *first; /* [vertices + 1] paths from and to a vertex */
    uint32_t *of;    /* ascending for each vertex */
    double *bytes;   /* [links] */
    topomap_maxima load;
    double sum; /* of bytes / capacity */

    uint32_t u, x; /* the swap tried last, the paths that it moved, and what these were */
    uint32_t *moved, moves;
    topomap_fast_path *old; /* [paths] of the first ones */
} topomap_fast_loads;

/** \param at  [vertices] network vertex of each vertex, copied
 *  On failure it is to be cleared, too. */
int topomap_fast_loads_init(topomap_fast_loads *loads, const topomap_graph *graph,
                            const topomap_network *network, uint32_t vertices, const uint32_t *at,
                            topomap_error *err);
void topomap_fast_loads_clear(topomap_fast_loads *loads);
/** The maximum; INFINITY where an edge has no path. */
double topomap_fast_loads_max(const topomap_fast_loads *loads);
/** Exchanges two vertices. -1 where memory is short. */
int topomap_fast_loads_swap(topomap_fast_loads *loads, uint32_t u, uint32_t x);
/** Takes the last swap back: everything is as it was before, to the bit where bytes are whole. */
void topomap_fast_loads_undo(topomap_fast_loads *loads);

#endif
