/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of a dragonfly by rule. */
#ifndef TOPOMAP_DRAGONFLY_H
#define TOPOMAP_DRAGONFLY_H

#include "fabric/shapes.h"
#include "fabric/network.h"

/** Gives the network the rule: minimal routing (Kim, Dally, Scott & Abts, "Technology-driven,
 * highly- scalable dragonfly topology", ISCA 2008, section 4.1): at most one link inside the group,
 * one between groups and one inside the other group. Of several cables to a group a router takes
 * its own, else that of (destination host) mod (how many there are), so that they share the hosts.
 *  \param hosts  of the dragonfly
 *  \param host   [network->nodes] which of them each node is; routers follow the nodes */
int topomap_dragonfly_routes(topomap_network *network, const topomap_dragonfly *dragonfly,
                             uint32_t hosts, const uint32_t *host, topomap_error *err);

/** A node's group, of networks with that rule; UINT32_MAX of all others. */
uint32_t topomap_dragonfly_group(const topomap_network *network, uint32_t node);
/** Nonzero where the network is such a dragonfly of three groups or more whose shape has detours.
 */
int topomap_dragonfly_adaptive(const topomap_network *network);
/** Adaptive routing as shares, of an adaptive network. Valiant's part of what goes to another group
 * first goes to a third one, each with the same share, and from there on as the rule says (Kim et
 * al., 2008, section 4.1: a group at random, by minimal ways to it and from it); the others, and
 * what stays in its group, go by the rule. UGAL (the same, section 4.2, after A. Singh, "Load-
 * balanced routing in interconnection networks", 2005) decides between the two for each packet by
 * how long the queues are; here the part is the same for all pairs.
 *  \param from  a vertex, whose traffic goes to \p node
 *  \param put   takes each link with its part of the traffic: both hosts' links once, with all of
 *               it; others may come more than once. What it returns that is not 0 ends all.
 *  \return 0; 1 where there is no way; else what \p put returned */
int topomap_dragonfly_ways(const topomap_network *network, uint32_t from, uint32_t node,
                           int (*put)(void *data, uint32_t link, double part), void *data);

#endif
