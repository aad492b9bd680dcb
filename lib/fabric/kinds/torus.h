/* SPDX-License-Identifier: BSD-3-Clause */
/* Between torus_dimensions.c, which finds the dimensions of a graph of switches, and is_torus.c. */
#pragma once

#include "fabric/kinds/kinds.h"

enum {
    TORUS_DIMS = 24, /* before dimensions of 2 are joined into dimensions of 4 */
    TORUS_NONE = 255,
};

struct torus {
    topomap_part *part;
    uint32_t edges;
    uint32_t *edge_of; /* [directed neighbours] its undirected edge */
    uint8_t *dim_of;   /* [edges] dimension, or TORUS_NONE: a link in no square, at a fault */
    uint32_t dims, size[TORUS_DIMS];
    uint8_t wrap[TORUS_DIMS];
    int32_t *place; /* [switches * TORUS_DIMS], -1: unknown */
};

/** Sorts the edges into dimensions. Two links that are opposite in a square of four switches run
 *  along one dimension, and so do two links of one switch that no square has: the product relation
 *  of Cartesian products of graphs (J. Feigenbaum, J. Hershberger, A. Schaeffer, "A polynomial time
 *  algorithm for finding the prime factors of Cartesian-product graphs", 1985), by majority where
 *  switches or links are missing. A ring of 4 is the product of two dimensions of 2 and comes out
 *  as those. 1 done, 0 no torus (the verdict says why), -1 failure. */
int topomap_torus_find_dimensions(struct torus *t, topomap_verdict *verdict, topomap_error *err);

/** Gives every switch its coordinates: without the links of one dimension the graph falls into
 *  slabs, which the links of that dimension string into a path (mesh) or a ring (torus). */
int topomap_torus_find_places(struct torus *t, topomap_verdict *verdict, topomap_error *err);
