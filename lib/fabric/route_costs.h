/* SPDX-License-Identifier: BSD-3-Clause */
/* Hops and costs over routes that are not all shortest, and the distances between hosts that follow
 * from them. A row has the routes from every place (a switch with hosts) to one port of a host;
 * rows that are the same are kept once. */
#ifndef TOPOMAP_FABRIC_ROUTE_COSTS_H
#define TOPOMAP_FABRIC_ROUTE_COSTS_H

#include "fabric/switch_distances.h"

enum {
    TOPOMAP_NO_ROUTE = 0, /* a code */
    TOPOMAP_ROUTE_CODES = 65535,
    TOPOMAP_ROUTE_CODE = 2, /* bytes of a code, the lower one first */
};

typedef struct topomap_route_cost {
    uint32_t hops, cost;
} topomap_route_cost;

typedef struct topomap_route_row {
    uint32_t place; /* of the port's own switch */
    uint8_t *code;  /* [places * TOPOMAP_ROUTE_CODE]; NULL: not read */
} topomap_route_row;

typedef struct topomap_route_costs {
    uint32_t places;
    topomap_route_row *row; /* [rows] */
    size_t rows;
    topomap_route_cost *of; /* [TOPOMAP_ROUTE_CODES + 1] by code; TOPOMAP_FAR hops: no route */
} topomap_route_costs;

/** Distances between every two sites, as topomap_switch_distances() with routes in place of
 *  shortest paths: a site's starts are rows. Both directions have the mean of the two, hops rounded
 *  up.
 *  \param hops  [sites * sites]
 *  \param cost  [sites * sites] tenths of a hop */
int topomap_route_distances(const topomap_route_costs *costs, const topomap_site *site,
                            size_t sites, uint16_t *hops, float *cost, topomap_error *err);

#endif
