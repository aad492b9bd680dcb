/* SPDX-License-Identifier: BSD-3-Clause */
/* Disjoint sets of 0..n-1. Every member starts as its own parent: parent[i] = i. */
#ifndef TOPOMAP_FABRIC_DISJOINT_H
#define TOPOMAP_FABRIC_DISJOINT_H

#include <stdint.h>

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

#endif
