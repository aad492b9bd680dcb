/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of a torus or mesh, in facts: of hosts with coordinates ("dims", "wrap"), or of switches
 * that make one ("fabric_dims", "fabric_wrap"). */
#ifndef TOPOMAP_DB_GRID_H
#define TOPOMAP_DB_GRID_H

#include "fabric/coordinates.h"
#include "topology-db/fabric/load.h"

/** The facts, under these names. */
int db_grid_put(sqlite3 *file, const char *dims, const char *wrap, const topomap_grid *grid,
                topomap_error *err);
/** No dimensions where there are none, or damaged ones. */
int db_grid_load(sqlite3 *file, const char *dims, const char *wrap, topomap_grid *grid,
                 topomap_error *err);
/** The places of switches by their index; no dimensions where one has none in this grid.
 *  \param place  [switches], ends with free() */
int db_grid_places(sqlite3 *file, const topomap_grid *grid, const topomap_switches *switches,
                   topomap_coordinates **place, topomap_error *err);

#endif
