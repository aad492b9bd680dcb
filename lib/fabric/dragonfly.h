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

#endif
