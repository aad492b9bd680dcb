/* SPDX-License-Identifier: BSD-3-Clause */
/* The coordinates of switches that make a torus or mesh, as classify_fabric.c has left them. */
#ifndef TOPOMAP_DB_GRID_H
#define TOPOMAP_DB_GRID_H

#include "topology-db/derive/derive.h"
#include "topology-db/switches.h"

enum { DB_NO_PLACE = UINT16_MAX };

struct db_grid {
    uint32_t dims; /* 0: no torus */
    uint32_t dim[DB_DIMS];
    uint8_t wrap[DB_DIMS];
    uint16_t *place; /* [switches * dims]; the first DB_NO_PLACE: unknown */
};

/** Places by the index of the switch in \p switches. Cleared by db_grid_clear(), also after a
 *  failure. */
int db_grid_load(sqlite3 *file, const topomap_switches *switches, struct db_grid *grid,
                 topomap_error *err);
void db_grid_clear(struct db_grid *grid);
/** [dims], or NULL where the switch has no place. */
const uint16_t *db_grid_place(const struct db_grid *grid, uint32_t at);
/** Hops between two placed switches, along the grid. */
uint32_t db_grid_hops(const struct db_grid *grid, uint32_t a, uint32_t b);

#endif
