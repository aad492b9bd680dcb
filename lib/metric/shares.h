/* SPDX-License-Identifier: BSD-3-Clause */
/* Which links the traffic between two vertices of a network is on, and how much of it: what a
 * search that moves a few ranks at a time takes off the links and puts on others. For the models
 * whose ways do not depend on the other traffic: routes (one way, by the tables), adaptive (a
 * dragonfly's way and its detours) and exact (all shortest paths with equal shares), with the same
 * loads as topomap_congestion_evaluate(). */
#ifndef TOPOMAP_SHARES_H
#define TOPOMAP_SHARES_H

#include "fabric/network.h"

/** Counts the shortest paths from a vertex to all, breadth first, parallel cables being paths of
 * their own. distance, paths, order [vertices] are filled, distance with UINT32_MAX where there is
 * none; order with those that were found, as they were. \return how many */
uint32_t topomap_paths_count(const topomap_network *network, uint32_t from, uint32_t *distance,
                             double *paths, uint32_t *order);

typedef struct topomap_shares topomap_shares;

typedef struct topomap_way {
    const uint32_t *link; /* on grids one may be there twice: its shares add up */
    const double *part;   /* of each link, or NULL: all of the traffic is on each */
    uint32_t links;
    uint64_t looked; /* links looked at to find it: what it cost */
} topomap_way;

/** \param network  topomap_network_grid() of the machine where it has none of its own
 *  \param model    "routes", "adaptive" or "exact"
 *  \param keep     how many ways are to be kept at most; 0: as many as are worth it, about 256 MiB
 *                  of ways and searches. What is not kept is found again. */
int topomap_shares_new(const topomap_machine *machine, const topomap_network *network,
                       const char *model, uint32_t keep, topomap_shares **shares,
                       topomap_error *err);
/** On a torus's or mesh's own grid: about how many links a way has. */
uint64_t topomap_shares_estimate(const topomap_shares *shares, uint32_t from, uint32_t to);
/** The way from one network vertex to another one, lent until the next call.
 *  \return 0; 1 where there is none; -1 where memory is short */
int topomap_shares_find(topomap_shares *shares, uint32_t from, uint32_t to, topomap_way *way);
/** That it will be asked for soon: what is kept of it comes from memory meanwhile. */
void topomap_shares_expect(const topomap_shares *shares, uint32_t from, uint32_t to);
void topomap_shares_free(topomap_shares *shares);

#endif
