/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocation's machine while it is made. */
#ifndef TOPOMAP_DB_MACHINE_BUILD_H
#define TOPOMAP_DB_MACHINE_BUILD_H

#include <uthash.h>

#include "topology-db/query/network.h"
#include "topology-db/fabric/load.h"

/** No index. */
#define DB_NOWHERE UINT32_MAX

/* What nodes hang on: a set of switches, or a Cray router. */
struct db_site {
    void *key; /* topomap_start of its switches, or a topomap_coordinates */
    size_t length;
    uint32_t index;
    UT_hash_handle hh;
};

struct db_build {
    topomap_db *db;
    const topomap_db_allocation *allocation;
    uint32_t nodes;
    struct db_place *place;
    size_t placed, hanging; /* nodes with coordinates, nodes with switches */
    topomap_coordinate_network network;
    topomap_switches switches;
    struct db_route_costs routes; /* if they are not all shortest: then sites start at its rows */
    struct db_site *sites;
    struct db_site **by_index; /* [number of sites] */
    uint32_t *site_of;         /* [nodes] */
    float *cost;
    uint16_t *hops;
    topomap_machine *machine;
};

/** The allocation as this library knows it: topomap_sized_copy(). */
int db_allocation_copy(topomap_db_allocation *allocation, const topomap_db_allocation *given,
                       topomap_error *err);

#endif
