/* SPDX-License-Identifier: BSD-3-Clause */
/* Free slots of a machine while ranks are placed one by one, and the cheapest of them, without
 * looking at every slot: free slots of one innermost group cost the same, so that each level of
 * the hierarchy needs one candidate a group. Between nodes that have no hierarchy (torus, matrix)
 * every node is a candidate, priced by map/node_price.h. */
#ifndef TOPOMAP_PLACES_H
#define TOPOMAP_PLACES_H

#include "map/node_price.h"

typedef struct topomap_place_level {
    uint32_t groups;
    uint32_t *group;       /* [slots] */
    uint32_t *parent;      /* [groups] in the level above */
    uint32_t *first_child; /* [groups + 1] into child */
    uint32_t *child;       /* groups of the level below; slots at level 0 */
    uint32_t *empty;       /* [groups] free slots */
    double *taken;         /* [groups] slots taken */
    double *best;          /* [groups] least cost of a free slot, as far as it depends on the group
                              and what is in it */
    double *pull;          /* [groups] weight of the present rank's neighbours there */
    double *pull_best;     /* [groups] like best, for the weighted distance to the neighbours */
    double *pull_below;    /* [groups] least pull_best of a pulled child */
    uint32_t *pull_empty;  /* [groups] free slots of pulled children */
    uint32_t *pulled;      /* [pulls] groups with a neighbour */
    uint32_t pulls;
    double cost;
} topomap_place_level;

typedef struct topomap_places {
    const topomap_machine *machine;
    topomap_arena memory;
    uint32_t levels; /* the uppermost is everything (tree) or the nodes */
    topomap_place_level level[2 * TOPOMAP_MACHINE_LEVELS];
    double *far;    /* [groups of the uppermost level] distances to slots taken in other groups */
    uint32_t *node; /* [groups of the uppermost level] a node of it */
    uint8_t *used;  /* [slots] */
    topomap_node_price
        field; /* of the pulled groups of the uppermost level, where they are nodes */
} topomap_places;

int topomap_places_init(topomap_places *places, const topomap_machine *machine, topomap_error *err);
void topomap_places_clear(topomap_places *places);

/** The slot of least total distance to all slots (before the first is taken). */
uint32_t topomap_places_centre(topomap_places *places);
/** The free slot of least total distance to the slots taken. */
uint32_t topomap_places_nearest(const topomap_places *places);
/** Tells of a neighbour of the present rank on \p slot. */
void topomap_places_pull(topomap_places *places, uint32_t slot, double weight);
/** The free slot of least weighted distance to the neighbours told of, which are then forgotten;
 *  as nearest() where there were none. */
uint32_t topomap_places_pulled(topomap_places *places);
void topomap_places_take(topomap_places *places, uint32_t slot);

#endif
