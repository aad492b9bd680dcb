/* SPDX-License-Identifier: BSD-3-Clause */
/* The host graph of an allocation while it is made. */
#ifndef TOPOMAP_DB_MACHINE_LINKS_H
#define TOPOMAP_DB_MACHINE_LINKS_H

#include "fabric/network.h"
#include "topology-db/query/machine_build.h"
#include "topology-db/fabric/load.h"

/** Network vertices: the allocation's nodes, then all switches in the order of their ids. */
struct db_links {
    topomap_db *db;
    uint32_t nodes;
    uint32_t switches;
    int64_t *host;    /* [nodes] */
    uint32_t *vertex; /* [ids] of a fabric vertex, or DB_NOWHERE */
    int64_t ids;
    topomap_fabric fabric;
    topomap_network *network;
    topomap_lft_fabric routes; /* where routing tables were imported */
    int routed;
    int64_t levels; /* of links that only tell levels; their switches are none here */
    int unrated;    /* some node hangs on such switches alone */
};

/** Fills network->next from the routing tables, for the ways between the nodes. To a node with
 * several ports goes what the tables say of its first port with a LID, in the order of adapters and
 * ports. From a node it leaves by the port with the fewest hops, the first of equals. */
int db_links_route(struct db_links *links, topomap_error *err);

/** Takes what ports were measured to carry (importer counters) off the network's links. Fails where
 *  nothing was measured, or nothing of these links. */
int db_links_traffic(struct db_links *links, topomap_error *err);

#endif
