/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the fabric structures of lib/fabric from the tables. */
#pragma once

#include "fabric/infiniband.h"
#include "fabric/switches.h"
#include "topology-db/store.h"

/** The graph of switches, with costs as in sql_functions.h. Ends with topomap_switches_clear().
 *  \param slurm  nonzero: those of Slurm's topology file in place of the fabric's */
int db_switches_load(sqlite3 *file, int slurm, topomap_switches *switches, topomap_error *err);

/** All cables and forwarding tables, which lft->read() reads one by one from \p file, which must
 *  stay open. Ends with db_lft_clear(). */
int db_lft_load(sqlite3 *file, topomap_lft_fabric *lft, topomap_error *err);
void db_lft_clear(topomap_lft_fabric *lft);

/** The distances over routes that derive_routes.c has worked out. Rows are read when a host that
 *  needs them is asked for. */
struct db_route_costs {
    topomap_route_costs costs;
    int used; /* some route is not a cheapest shortest path; otherwise the struct is empty */
    sqlite3_stmt *starts, *read;
};
int db_route_costs_load(sqlite3 *file, struct db_route_costs *loader, topomap_error *err);
void db_route_costs_clear(struct db_route_costs *loader);
/** The route rows that end at a host, with the hops and cost from their switch to the host; `at` is
 *  the row. Ascending, each once. */
int db_route_costs_starts(struct db_route_costs *loader, int64_t host, topomap_start **list,
                          size_t *room, size_t *count, topomap_error *err);
