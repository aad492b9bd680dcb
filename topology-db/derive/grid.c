/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/grid.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* "4x4x8" or "1,2,3": as many numbers as there are, at most DB_DIMS. */
static uint32_t read_numbers(const char *text, uint32_t *number)
{
    uint32_t count = 0;

    while (*text && count < DB_DIMS) {
        char *end;

        number[count++] = (uint32_t)strtoul(text, &end, 10);
        if (end == text)
            return 0;
        text = *end ? end + 1 : end;
    }
    return count;
}

static int read_shape(sqlite3 *file, struct db_grid *grid, topomap_error *err)
{
    char dims[DB_DIMS * 12], wrap[DB_DIMS + 1];

    if (db_fact_text(file, "fabric_dims", dims, sizeof dims, err) ||
        db_fact_text(file, "fabric_wrap", wrap, sizeof wrap, err))
        return -1;
    grid->dims = read_numbers(dims, grid->dim);
    if (strlen(wrap) != grid->dims)
        grid->dims = 0;
    for (uint32_t d = 0; d < grid->dims; d++)
        grid->wrap[d] = wrap[d] == '1';
    return 0;
}

static void take_place(struct db_grid *grid, uint32_t at, const char *text)
{
    uint32_t number[DB_DIMS], count = read_numbers(text, number);

    for (uint32_t d = 0; d < grid->dims; d++)
        if (count != grid->dims || number[d] >= grid->dim[d])
            return;
    for (uint32_t d = 0; d < grid->dims; d++)
        grid->place[(size_t)at * grid->dims + d] = (uint16_t)number[d];
}

int db_grid_load(sqlite3 *file, const topomap_switches *switches, struct db_grid *grid,
                 topomap_error *err)
{
    struct db_rows rows;

    *grid = (struct db_grid){0};
    if (read_shape(file, grid, err))
        return -1;
    if (!grid->dims)
        return 0;
    grid->place = topomap_alloc((size_t)switches->count * grid->dims, sizeof *grid->place, err);
    if (!grid->place)
        return -1;
    memset(grid->place, 0xff, (size_t)switches->count * grid->dims * sizeof *grid->place);
    rows = db_ask(file, "SELECT id, place FROM switch WHERE place IS NOT NULL", err);
    while (db_next(&rows)) {
        uint32_t at = topomap_switches_find(switches, sqlite3_column_int64(rows.row, 0));

        if (at != UINT32_MAX)
            take_place(grid, at, (const char *)sqlite3_column_text(rows.row, 1));
    }
    return rows.result;
}

void db_grid_clear(struct db_grid *grid)
{
    free(grid->place);
    *grid = (struct db_grid){0};
}

const uint16_t *db_grid_place(const struct db_grid *grid, uint32_t at)
{
    const uint16_t *place = grid->place + (size_t)at * grid->dims;

    return *place == DB_NO_PLACE ? NULL : place;
}

uint32_t db_grid_hops(const struct db_grid *grid, uint32_t a, uint32_t b)
{
    const uint16_t *x = db_grid_place(grid, a), *y = db_grid_place(grid, b);
    uint32_t hops = 0;

    for (uint32_t d = 0; d < grid->dims; d++) {
        uint32_t gap = (uint32_t)abs((int)x[d] - (int)y[d]);

        hops += grid->wrap[d] && gap > grid->dim[d] - gap ? grid->dim[d] - gap : gap;
    }
    return hops;
}
