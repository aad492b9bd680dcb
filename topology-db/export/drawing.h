/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_DRAWING_H
#define TOPOMAP_DB_DRAWING_H

#include "draw/draw.h"
#include "topology-db/db.h"

/** The fabric drawn: tori and meshes by coordinates, slice beside slice, also where a database has
 * no switches but nodes with coordinates; fat trees by levels, hosts below; anything else in a
 * ring, hosts outside. Cables have colours by their rates; what `db check` finds of a cable, and
 * hosts that are not up, are marked. TOPOMAP_EINPUT where nothing is known of what joins hosts.
 *  \param drawing  ends with topomap_draw_clear(), after a failure too */
int db_draw(topomap_db *db, topomap_drawing *drawing, topomap_error *err);

#endif
