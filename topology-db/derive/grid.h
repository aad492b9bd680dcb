/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of a torus or mesh, in facts: of hosts with coordinates ("dims", "wrap"), or of switches
 * that make one ("fabric_dims", "fabric_wrap"). */
#ifndef TOPOMAP_DB_GRID_H
#define TOPOMAP_DB_GRID_H

#include "topology-db/point.h"
#include "topology-db/switches.h"

struct db_grid {
    uint32_t dims; /* 0: none */
    uint32_t dim[DB_DIMS];
    uint8_t wrap[DB_DIMS];
};

/** The facts, under these names. */
int db_grid_put(sqlite3 *file, const char *dims, const char *wrap, const struct db_grid *grid,
                topomap_error *err);
/** No dimensions where there are none, or damaged ones. */
int db_grid_load(sqlite3 *file, const char *dims, const char *wrap, struct db_grid *grid,
                 topomap_error *err);
/** Whether the point has these dimensions and lies in them. */
int db_grid_has(const struct db_grid *grid, const struct db_point *point);
/** Hops between two points in it, along the grid. */
uint32_t db_grid_hops(const struct db_grid *grid, const struct db_point *a,
                      const struct db_point *b);
/** The places of switches by their index; no dimensions where one has none in this grid.
 *  \param place  [switches], ends with free() */
int db_grid_places(sqlite3 *file, const struct db_grid *grid, const topomap_switches *switches,
                   struct db_point **place, topomap_error *err);

#endif
