/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances in the networks that a database holds, for readers. */
#ifndef TOPOMAP_DB_NETWORK_H
#define TOPOMAP_DB_NETWORK_H

#include "topology-db/derive/grid.h"

/** Costs of one byte, in thousandths of a hop over the reference link (functions.h). Two InfiniBand
 *  hosts on one switch are 2 hops apart (into it and out of it). On a Cray network hops are counted
 *  between routers, so that two nodes on one router are 0 hops apart: there leaving a node at all
 *  costs as much as a hop, which keeps them farther than two cores of a node (6 tenths of a hop,
 *  machine/shape.h). In results costs are tenths of a hop. */
#define DB_TENTHS(cost) ((double)(cost) / 100.0)

/** Where a host is. */
struct db_place {
    int64_t host, class; /* class 0: none */
    char name[256];
    topomap_coordinates point; /* no dimensions: has no coordinates */
};

/** A switch that a host hangs on. */
struct db_hanging {
    int64_t sw;
    uint32_t hops, cost; /* from the host into it */
};

int db_network_load(sqlite3 *file, topomap_coordinate_network *network, topomap_error *err);

/** The prepared questions of a look-up of many hosts. */
struct db_finder {
    topomap_db *db;
    sqlite3_stmt *by_key, *by_nickname, *switches[2];
};
int db_finder_open(topomap_db *db, struct db_finder *finder, topomap_error *err);
void db_finder_close(struct db_finder *finder);
/** Finds a Slurm node name; one that is not there is an error that names it. */
int db_finder_find(struct db_finder *finder, const char *name, struct db_place *place,
                   topomap_error *err);
/** The id of one Slurm node name; 0 for NULL. */
int db_host_id(topomap_db *db, const char *name, int64_t *id, topomap_error *err);
/** Switches that the host hangs on, ascending, each once with its cheapest link. \p list grows;
 *  \p count is set. \param slurm  those of Slurm's topology file in place of the fabric's */
int db_finder_switches(struct db_finder *finder, int slurm, int64_t host, struct db_hanging **list,
                       size_t *room, size_t *count, topomap_error *err);

/** The switches, by id, that the last route of topomap_db_router_route() names; lent until the
 * next. */
const int64_t *db_router_passed(const topomap_db_router *router, size_t *switches);

#endif
