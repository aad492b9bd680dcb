/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of links by each model of congestion, for lib/metric and who waits for them. */
#ifndef TOPOMAP_CONGESTION_H
#define TOPOMAP_CONGESTION_H

#include "metric/traffic.h"

/** Adds each link's bytes to \p load [links]. -1 where a rank cannot reach another. */
typedef int topomap_congestion_model(const topomap_traffic *traffic, double *load,
                                     topomap_error *err);

/** All shortest paths, each path of a pair with the same share (Hoefler & Snir, ICS 2011, section
 *  2.5), parallel cables being paths of their own. One breadth-first search and one way back for
 *  each vertex that sends, O(sending vertices * links); on a torus's own grid, where that is less,
 *  the boxes between the ends instead (shares.h). */
topomap_congestion_model topomap_congestion_exact;
/** One path for each arc, heaviest arc first: of the shortest ones, the one with the least sum of
 *  bytes / capacity so far (LibTopoMap's estimate: the same paper, section 5.1, Alg. 3; hops and
 *  loads are compared as a pair instead of adding a large constant). Equal arcs in the order of
 *  (from, to), equal paths by the lower link. */
topomap_congestion_model topomap_congestion_fast;
/** Along the routing tables (topomap_network.next). */
topomap_congestion_model topomap_congestion_routes;

/** Along minimal routes and detours, of dragonflies that have some (fabric/dragonfly.h). */
topomap_congestion_model topomap_congestion_adaptive;

/** A row of the table that topomap_congestion_row() walks. */
typedef struct topomap_congestion_way {
    topomap_congestion_info info;
    topomap_congestion_model *add;
} topomap_congestion_way;
/** The row of that name, or NULL. */
const topomap_congestion_way *topomap_congestion_find(const char *name);

/** The model that goes by most of what is known of the network. */
const char *topomap_congestion_usual(const topomap_network *network);

/** topomap_congestion_evaluate() of traffic that is open, with what it goes by.
 *  \param model  or NULL, as there
 *  \param all  [links] begins with zeros: the bytes of each link, all phases together */
int topomap_congestion_measure(topomap_traffic *traffic, const char *model, double *all,
                               topomap_congestion *congestion, topomap_error *err);

/** The same as topomap_congestion_evaluate(), and \p watch says how far it has come. */
int topomap_congestion_watched(const topomap_graph *graph, const topomap_machine *machine,
                               const uint32_t *slot_of_rank, const char *model,
                               topomap_watch *watch, topomap_congestion *congestion,
                               topomap_error *err);

/** No path: names both ends. Returns -1. */
int topomap_congestion_unreachable(const topomap_traffic *traffic, uint32_t from, uint32_t to,
                                   topomap_error *err);

#endif
