/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics of regular shapes, and their routes. */
#pragma once

#include "fabric/coordinates.h"
#include "fabric/fabric.h"
#include "fabric/network.h"

/* ---- shapes -------------------------------------------------------------------- */
/* The shapes of made fabrics: which switches their links join, and by which ports, from 1. */

enum { TOPOMAP_FATTREE_LEVELS = 6 };

/** PGFT(levels; m; w; p): a switch of level l has m[l] children and w[l + 1] parents, with p[l + 1]
 *  cables to each (Zahavi, "Fat-tree routing and node ordering providing contention free traffic
 *  for MPI global collectives", 2012); level 1 are the leaves, their children the hosts: w[1] =
 *  p[1] = 1. The switches of level l are above * below, number i being (i / below, i % below); host
 *  h is below the switches (h / (m[1] * ... * m[l]), any). */
typedef struct topomap_fattree {
    uint32_t levels;
    uint32_t m[TOPOMAP_FATTREE_LEVELS + 2], w[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t p[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t above[TOPOMAP_FATTREE_LEVELS + 2], below[TOPOMAP_FATTREE_LEVELS + 2];
    uint32_t first[TOPOMAP_FATTREE_LEVELS + 2]; /* number of the level's first switch */
} topomap_fattree;

/** The tree of k-port switches, tree->levels high: all ports used, half of them downwards but at
 *  the top. k is even and taper divides its half. */
void topomap_fattree_of_ports(topomap_fattree *tree, uint32_t k, uint32_t hosts, uint32_t taper);
/** Sets above and below of a level. \return how many switches it has, UINT64_MAX: too many */
uint64_t topomap_fattree_count(topomap_fattree *tree, uint32_t level);
/** All links between switches; above, below and first are set. Those to the highest of three
 *  levels and more have class 1, the others 0. */
int topomap_fattree_join(const topomap_fattree *tree, topomap_fabric *fabric, topomap_error *err);

/** Groups of a routers, all joined; h global links a router: those of a group lead, in order, to
 *  the groups after it, in order and round again (Kim, Dally, Scott, Abts, "Technology-driven,
 *  highly-scalable dragonfly topology", 2008). */
typedef struct topomap_dragonfly {
    uint32_t a, p, h, groups; /* p: hosts a router */
    uint32_t first;           /* number of the first router */
    uint32_t taken;           /* ports of a router that hosts take, the first ones */
    uint32_t valiant;         /* per cent of what goes to other groups by way of a third one */
} topomap_dragonfly;

/** All links between routers: those inside groups first; those between groups have class 1. */
int topomap_dragonfly_join(const topomap_dragonfly *dragonfly, topomap_fabric *fabric,
                           topomap_error *err);

/** A torus or mesh of routers; the last dimension varies fastest. */
typedef struct topomap_torus {
    uint32_t dims, dim[TOPOMAP_DIMS];
    uint8_t wrap[TOPOMAP_DIMS];
    int twice;      /* two routers of a wrapping dimension have a second link around */
    uint32_t links; /* from a router to the next one */
    uint32_t taken; /* ports of a router that hosts take, the first ones */
} topomap_torus;

/** All links between routers, their class being the dimension. */
int topomap_torus_join(const topomap_torus *torus, topomap_fabric *fabric, topomap_error *err);

/* ---- dragonfly ----------------------------------------------------------------- */
/* Routes of a dragonfly by rule. */

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

/* ---- fattree ------------------------------------------------------------------- */
/* Routes of a fat tree by rule, without tables: up by D-mod-K, down the only way. */

/** Gives the network the rule: up to parent (host / d) mod (w * p), by cables in the order of
 *  parents, d being the product of w * p below; as `topomap db synth` routes.
 *  \param hosts  of the tree
 *  \param host   [network->nodes] which of them each node is; switches follow the nodes in the
 *                tree's order */
int topomap_fattree_routes(topomap_network *network, const topomap_fattree *tree, uint32_t hosts,
                           const uint32_t *host, topomap_error *err);
/** The tree of a network with this rule and the host [nodes] that each node is, both lent; NULL
 * where it has another rule, or none. */
const topomap_fattree *topomap_fattree_of(const topomap_network *network, const uint32_t **host);

/* ---- dimension order ----------------------------------------------------------- */
/* Routes of a torus or mesh by rule. */

/** Gives a grid of routers, numbered with the first dimension fastest, the rule: dimension by
 * dimension, the first one first, the shorter way round. That is deterministic e-cube routing
 * (Dally & Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
 * ToC C-36, 1987), which Cray's Gemini and SeaStar follow where no link is down. Of two ways that
 * are as long it takes the one upwards, but from the middle to the first router the one downwards,
 * as SimGrid's torus does (3.32, TorusZone). */
int topomap_grid_routes(topomap_network *grid, uint32_t dims, const uint32_t *dim,
                        const uint8_t *wrap, topomap_error *err);

/** Of such a grid: [vertices * dims * 2] the links out of a vertex in each dimension, upwards and
 * downwards, UINT32_MAX where there is none. Lent. */
const uint32_t *topomap_grid_ports(const topomap_network *grid);
