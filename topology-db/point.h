/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates: 1 to 8 numbers; in the database as text, "1,2,3". */
#ifndef TOPOMAP_DB_POINT_H
#define TOPOMAP_DB_POINT_H

#include <stddef.h>
#include <stdint.h>

enum { DB_DIMS = 8, DB_COORDINATE_MOST = 65534, DB_POINT_TEXT = DB_DIMS * 6 };

struct db_point {
    uint32_t dims; /* 0: none */
    uint16_t at[DB_DIMS];
};

/** Reads numbers with \p separator between them; -1 where \p text is not that. */
int db_point_parse(const char *text, char separator, struct db_point *point);
/** "" for none. \param text  [DB_POINT_TEXT] */
void db_point_format(const struct db_point *point, char *text);
int db_point_same(const struct db_point *a, const struct db_point *b);

/** "25x16x24": sizes, each from 1; -1 where \p text is not that. */
int db_dims_parse(const char *text, uint32_t *dims, uint32_t *dim);
/** \param text  [DB_POINT_TEXT] */
void db_dims_format(uint32_t dims, const uint32_t *dim, char *text);

#endif
