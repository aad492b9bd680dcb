/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/fabric/load.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/alloc.h"

void db_route_costs_clear(struct db_route_costs *loader)
{
    sqlite3_finalize(loader->starts);
    sqlite3_finalize(loader->read);
    for (size_t i = 0; i < loader->costs.rows; i++)
        free(loader->costs.row[i].code);
    free(loader->costs.row);
    free(loader->costs.of);
    *loader = (struct db_route_costs){0};
}

static int read_costs(sqlite3 *file, struct db_route_costs *loader, topomap_error *err)
{
    DB_ROWS rows = {0};

    loader->costs.of = topomap_alloc(TOPOMAP_ROUTE_CODES + 1, sizeof *loader->costs.of, err);
    if (!loader->costs.of)
        return -1;
    for (size_t i = 0; i <= TOPOMAP_ROUTE_CODES; i++)
        loader->costs.of[i].hops = TOPOMAP_FAR;
    rows = db_ask(file, "SELECT code, hops, cost FROM way", err);
    while (db_next(&rows)) {
        int64_t code = sqlite3_column_int64(rows.row, 0);

        if (code > TOPOMAP_NO_ROUTE && code <= TOPOMAP_ROUTE_CODES)
            loader->costs.of[code] =
                (topomap_route_cost){db_u32(rows.row, 1) & 0x7fff, db_u32(rows.row, 2)};
    }
    return rows.result;
}

int db_route_costs_load(sqlite3 *file, struct db_route_costs *loader, topomap_error *err)
{
    int64_t rows, places;

    *loader = (struct db_route_costs){0};
    if (db_number(file, "SELECT max(id) FROM walk", 0, &rows, err))
        return -1;
    if (!rows)
        return 0;
    if (db_number(file, "SELECT max(place) + 1 FROM walk", 0, &places, err))
        return -1;
    if (rows < 0 || rows > INT32_MAX || places < 1 || places > rows)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
    loader->used = 1;
    loader->costs.places = (uint32_t)places;
    loader->costs.row = topomap_alloc((size_t)rows + 1, sizeof *loader->costs.row, err);
    if (!loader->costs.row)
        return -1;
    loader->costs.rows = (size_t)rows + 1;
    loader->starts = db_prepare(
        file,
        "SELECT DISTINCT walk, hops, cost FROM attach JOIN landing"
        " ON landing.adapter = attach.adapter AND landing.port = attach.port WHERE host=?"
        " ORDER BY walk, cost",
        err);
    if (loader->starts)
        loader->read = db_prepare(file, "SELECT place, codes FROM walk WHERE id=?", err);
    if (loader->read && read_costs(file, loader, err) == 0)
        return 0;
    db_route_costs_clear(loader);
    return -1;
}

/* As they are, or packed. */
static int read_codes(sqlite3_stmt *read, uint8_t *codes, size_t size)
{
    const void *blob = sqlite3_column_blob(read, 1);
    size_t length = (size_t)sqlite3_column_bytes(read, 1);

    if (length == size)
        memcpy(codes, blob, size);
    return length == size || ZSTD_decompress(codes, size, blob, length) == size ? 0 : -1;
}

static int read_row(struct db_route_costs *loader, uint32_t id, topomap_error *err)
{
    topomap_route_row *row = &loader->costs.row[id];
    size_t size = (size_t)loader->costs.places * TOPOMAP_ROUTE_CODE;
    int got;

    if (row->code)
        return 0;
    sqlite3_bind_int64(loader->read, 1, id);
    got = db_step(loader->read, err);
    if (got > 0) {
        row->code = topomap_alloc(size, 1, err);
        row->place = db_u32(loader->read, 0);
        got = row->code ? 1 : -1;
    }
    if (got > 0 &&
        (row->place >= loader->costs.places || read_codes(loader->read, row->code, size)))
        got = 0;
    sqlite3_reset(loader->read);
    return got > 0   ? 0
           : got < 0 ? -1
                     : topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
}

int db_route_costs_starts(struct db_route_costs *loader, int64_t host, topomap_start **list,
                          size_t *room, size_t *count, topomap_error *err)
{
    int row;

    *count = 0;
    sqlite3_bind_int64(loader->starts, 1, host);
    while ((row = db_step(loader->starts, err)) > 0) {
        int64_t id = sqlite3_column_int64(loader->starts, 0);

        if (id < 1 || (size_t)id >= loader->costs.rows) {
            row = topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
            break;
        }
        if (read_row(loader, (uint32_t)id, err) ||
            topomap_grow(list, room, *count + 1, sizeof **list, err)) {
            row = -1;
            break;
        }
        (*list)[(*count)++] =
            (topomap_start){(uint32_t)id, db_u32(loader->starts, 1), db_u32(loader->starts, 2)};
    }
    sqlite3_reset(loader->starts);
    return row;
}
