/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_PLACES_H
#define TOPOMAP_DB_PLACES_H

#include "draw/layout.h"
#include "topology-db/export/export.h"

enum { DB_DRAW_EDGE = 30, DB_DRAW_CELL = 24, DB_DRAW_DIMENSIONS = 8 };

/** Where switches and hosts stand. */
struct db_places {
    const struct db_export *x; /* lent */
    topomap_spot *host, *sw;
    uint8_t *placed; /* [hosts] nonzero: it is drawn */
    double width, height;
    int is_grid;                       /* switches are on one */
    uint32_t dimensions;               /* of the grid that nodes without switches are on; or 0 */
    uint32_t size[DB_DRAW_DIMENSIONS]; /* of that */
};

/** \param places  ends with db_places_clear(), after a failure too */
int db_places_find(const struct db_export *x, struct db_places *places, topomap_error *err);
void db_places_clear(struct db_places *places);

#endif
