/* SPDX-License-Identifier: BSD-3-Clause */
/* Links and routes between a machine's nodes, for congestion. A machine has one where its source
 * tells the links (machine.h, .network); tori and meshes get theirs when it is asked for. */
#pragma once

#include <stdint.h>

#include "fabric/fabric.h"
#include "util/alloc.h"

/* ---- network ------------------------------------------------------------------- */

/** The most directed links that a network may have. */
#define TOPOMAP_NETWORK_LINKS ((uint64_t)1 << 28)

/** Vertices are nodes' adapters, switches and routers; links are directed, and parallel cables are
 *  one link with as many cables. Immutable once made. */
typedef struct topomap_network {
    topomap_arena memory; /* has the arrays from vertex_of to capacity */
    uint32_t vertices, links, nodes;
    uint32_t *vertex_of; /* [nodes] where a node's traffic enters and leaves */
    uint32_t *first;     /* [vertices + 1] the links out of v: first[v] .. first[v + 1] */
    uint32_t *head;      /* [links] where it goes; ascending for each vertex */
    uint32_t *cables;    /* [links] */
    double *capacity;    /* [links] of all its cables, in `unit`s a second or relative */
    const char *unit;    /* of traffic / capacity: "bytes" (capacity 1 a cable) or "s"; static */
    uint32_t *next;      /* NULL, or [vertices * nodes]: the link towards a node by the routing
                            tables; UINT32_MAX where they have none */
    /* Routes by rule, where next is NULL: the link out of `at` towards a node, UINT32_MAX where
     * there is none; or NULL. */
    uint32_t (*rule)(const struct topomap_network *network, uint32_t at, uint32_t node);
    /* The whole route between two vertices at once, where that is quicker than a look into memory:
     * at most `route_links` links, written to \p link; or NULL. \return how many */
    uint32_t (*route)(const struct topomap_network *network, uint32_t from, uint32_t to,
                      uint32_t *link);
    uint32_t route_links;
    void *shape; /* what the rule goes by; one piece of memory, owned */
    char **name; /* [vertices] or NULL */
} topomap_network;

/** Makes a network; links of one pair of vertices are added up, their rates the capacity (unit
 *  "bytes"). Links of a vertex with itself, and those that are missing, are left out.
 *  O(links log links).
 *  \param vertex_of  [nodes], copied; NULL: node i is vertex i
 *  \return 0, or -1: TOPOMAP_EINPUT where an end is no vertex or there are too many links */
int topomap_network_new(uint32_t vertices, size_t links, const topomap_link *link, uint32_t nodes,
                        const uint32_t *vertex_of, topomap_network **network, topomap_error *err);
/** The same of a fabric, with the names of its vertices; the first ones are the nodes. Links
 *  without a rate get the one that most have, of equals the lower (unit "s"); 1 where no link has
 *  any (unit "bytes"). The fabric's links are used up.
 *  \param number  [fabric->vertices] vertex of the network, or UINT32_MAX: is left out; NULL: all
 *                 as they are */
int topomap_network_of(topomap_fabric *fabric, const uint32_t *number, uint32_t vertices,
                       uint32_t nodes, topomap_network **network, topomap_error *err);
void topomap_network_free(topomap_network *network);

/** Attribute of a local pointer: frees the network at the end of its scope. The pointer must be
 *  initialised. */
#define TOPOMAP_NETWORK_FREED TOPOMAP_CLEANUP(topomap_network_free_local)
static inline void topomap_network_free_local(topomap_network **network)
{
    topomap_network_free(*network);
}

/** The link from \p tail to \p head, UINT32_MAX where there is none. */
uint32_t topomap_network_link(const topomap_network *network, uint32_t tail, uint32_t head);

/** Nonzero where the network has routes. */
static inline int topomap_network_routed(const topomap_network *network)
{
    return network->next || network->rule;
}

/** The link out of \p at towards a node by the tables or the rule, UINT32_MAX where there is none.
 * Only for networks with routes. */
static inline uint32_t topomap_network_next(const topomap_network *network, uint32_t at,
                                            uint32_t node)
{
    if (!network->next)
        return network->rule(network, at, node);
    return network->next[(size_t)at * network->nodes + node];
}

/** Takes what is used off the capacities. A link keeps at least a hundredth of its own.
 *  \param used  [links] bytes a second */
void topomap_network_take(topomap_network *network, const double *used);
/** Takes other jobs' traffic off the links: \p path is a list of links (fabric/fabric.h), in which
 *  the rate is what is used, in each direction; rows of one pair add up. A link keeps at least a
 *  hundredth of its capacity. Rows about links that are not in this network (of other jobs' hosts)
 *  do nothing; a file of which no row fits is TOPOMAP_EINPUT. TOPOMAP_EUSAGE where the network has
 *  no names or rates. On failure capacities are as they were. */
int topomap_network_background(topomap_network *network, const char *path, topomap_error *err);

/* ---- disjoint ------------------------------------------------------------------ */
/* Disjoint sets of 0..n-1. Every member starts as its own parent: parent[i] = i. */

/** The set's lowest member; paths are halved. */
static inline uint32_t topomap_disjoint_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/** The lower root stays, so that the result does not depend on the order. */
static inline void topomap_disjoint_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = topomap_disjoint_root(parent, a);
    b = topomap_disjoint_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}
