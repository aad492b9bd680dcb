/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/derive.h"

#include <string.h>

#include "util/alloc.h"

int db_grid_put(sqlite3 *file, const char *dims, const char *wrap, const topomap_grid *grid,
                topomap_error *err)
{
    char size[TOPOMAP_COORDINATES_TEXT], digits[TOPOMAP_DIMS + 1] = "";

    topomap_dims_format(grid->dims, grid->dim, size);
    for (uint32_t d = 0; d < grid->dims; d++)
        digits[d] = grid->wrap[d] ? '1' : '0';
    return db_put_fact(file, dims, size, 0, err) || db_put_fact(file, wrap, digits, 0, err) ? -1
                                                                                            : 0;
}

int db_grid_load(sqlite3 *file, const char *dims, const char *wrap, topomap_grid *grid,
                 topomap_error *err)
{
    char size[TOPOMAP_COORDINATES_TEXT], digits[TOPOMAP_DIMS + 1];

    *grid = (topomap_grid){0};
    if (db_fact_text(file, dims, size, sizeof size, err) ||
        db_fact_text(file, wrap, digits, sizeof digits, err))
        return -1;
    if (topomap_dims_parse(size, &grid->dims, grid->dim) || strlen(digits) != grid->dims)
        grid->dims = 0;
    for (uint32_t d = 0; d < grid->dims; d++)
        grid->wrap[d] = digits[d] == '1';
    return 0;
}

int db_grid_places(sqlite3 *file, const topomap_grid *grid, const topomap_switches *switches,
                   topomap_coordinates **place, topomap_error *err)
{
    DB_ROWS rows = {0};

    *place = topomap_alloc(switches->count, sizeof **place, err);
    if (!*place)
        return -1;
    rows = db_ask(file, "SELECT id, place FROM switch WHERE place IS NOT NULL", err);
    while (db_next(&rows)) {
        uint32_t at = topomap_switches_find(switches, sqlite3_column_int64(rows.row, 0));
        topomap_coordinates point;

        if (at != UINT32_MAX &&
            !topomap_coordinates_parse((const char *)sqlite3_column_text(rows.row, 1), ',',
                                       &point) &&
            topomap_grid_has(grid, &point))
            (*place)[at] = point;
    }
    return rows.result;
}
