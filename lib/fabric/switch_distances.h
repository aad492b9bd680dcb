/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances between the places of a fabric that hosts hang on. */
#ifndef TOPOMAP_FABRIC_WAYS_H
#define TOPOMAP_FABRIC_WAYS_H

#include "fabric/switches.h"

/** What hosts hang on: switches, with what it takes from the host into each. All hops of one site
 *  are the same number. */
typedef struct topomap_site {
    const topomap_start *on; /* [count] */
    size_t count;
} topomap_site;

/** Distances between every two sites: two are as far as the nearest two of their switches, at the
 *  cost of the cheapest of the shortest paths; two hosts of one site meet at the cheapest of its
 *  switches. Pairs without a path (a dump that is not complete) are put 2 hops beyond the farthest.
 *  \param hop   cost of a byte over a link of the reference rate
 *  \param hops  [sites * sites]
 *  \param cost  [sites * sites] */
int topomap_switch_distances(topomap_switches *switches, const topomap_site *site, size_t sites,
                             double hop, uint16_t *hops, float *cost, topomap_error *err);

/** Puts pairs of TOPOMAP_FAR hops 2 hops beyond the farthest pair. */
void topomap_distances_fill_gaps(size_t sites, double hop, uint16_t *hops, float *cost);

#endif
