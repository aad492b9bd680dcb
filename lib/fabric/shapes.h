/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapes of made fabrics: which switches their links join, and by which ports, from 1. */
#ifndef TOPOMAP_FABRIC_SHAPES_H
#define TOPOMAP_FABRIC_SHAPES_H

#include "fabric/fabric.h"

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

enum { TOPOMAP_TORUS_DIMS = 8 };

/** A torus or mesh of routers; the last dimension varies fastest. */
typedef struct topomap_torus {
    uint32_t dims, dim[TOPOMAP_TORUS_DIMS];
    uint8_t wrap[TOPOMAP_TORUS_DIMS];
    int twice;      /* two routers of a wrapping dimension have a second link around */
    uint32_t links; /* from a router to the next one */
    uint32_t taken; /* ports of a router that hosts take, the first ones */
} topomap_torus;

/** All links between routers, their class being the dimension. */
int topomap_torus_join(const topomap_torus *torus, topomap_fabric *fabric, topomap_error *err);

#endif
