/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbour joining over places: a tree for machines that only have distances
 * (Wu, Xiong, Lan, section 3.1.1). */
#ifndef TOPOMAP_JOINING_H
#define TOPOMAP_JOINING_H

#include "topomap/topomap.h"

/** Items are vertices 0..items-1 (the leaves); inner vertices follow; the root is the last. */
typedef struct topomap_joining {
    uint32_t vertices;
    uint32_t *first_child; /* [vertices + 1] child[first_child[v] .. first_child[v+1]) */
    uint32_t *child;       /* [vertices - 1] */
} topomap_joining;

/** In each round, groups of mutually closest places (cliques at the least distance, built by
 *  ascending id) become one vertex; its distance to the rest is the mean over its members,
 *  weighted by their leaves.
 *  \param distance [items * items] symmetric; it is used up as scratch */
int topomap_joining_build(uint32_t items, float *distance, topomap_joining *tree,
                          topomap_error *err);
void topomap_joining_clear(topomap_joining *tree);

#endif
