/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/walks.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/alloc.h"

void db_walks_clear(struct db_walks *walks)
{
    sqlite3_finalize(walks->starts);
    sqlite3_finalize(walks->read);
    for (size_t i = 0; i < walks->rows; i++)
        free(walks->row[i].code);
    free(walks->row);
    free(walks->way);
    *walks = (struct db_walks){0};
}

static int read_ways(sqlite3 *file, struct db_walks *walks, topomap_error *err)
{
    struct db_rows rows;

    walks->way = topomap_alloc(DB_WAYS + 1, sizeof *walks->way, err);
    if (!walks->way)
        return -1;
    for (size_t i = 0; i <= DB_WAYS; i++)
        walks->way[i].hops = TOPOMAP_FAR;
    rows = db_ask(file, "SELECT code, hops, cost FROM way", err);
    while (db_next(&rows)) {
        int64_t code = sqlite3_column_int64(rows.row, 0);

        if (code > DB_NO_WAY && code <= DB_WAYS)
            walks->way[code] = (struct db_way){(uint32_t)sqlite3_column_int64(rows.row, 1) & 0x7fff,
                                               (uint32_t)sqlite3_column_int64(rows.row, 2)};
    }
    return rows.result;
}

int db_walks_load(sqlite3 *file, struct db_walks *walks, topomap_error *err)
{
    int64_t rows, places;

    *walks = (struct db_walks){0};
    if (db_number(file, "SELECT max(id) FROM walk", 0, &rows, err))
        return -1;
    if (!rows)
        return 0;
    if (db_number(file, "SELECT max(place) + 1 FROM walk", 0, &places, err))
        return -1;
    if (rows < 0 || rows > INT32_MAX || places < 1 || places > rows)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
    walks->used = 1;
    walks->places = (uint32_t)places;
    walks->row = topomap_alloc((size_t)rows + 1, sizeof *walks->row, err);
    if (!walks->row)
        return -1;
    walks->rows = (size_t)rows + 1;
    walks->starts = db_prepare(
        file,
        "SELECT DISTINCT walk, hops, cost FROM attach JOIN landing"
        " ON landing.adapter = attach.adapter AND landing.port = attach.port WHERE host=?"
        " ORDER BY walk, cost",
        err);
    if (walks->starts)
        walks->read = db_prepare(file, "SELECT place, codes FROM walk WHERE id=?", err);
    if (walks->read && read_ways(file, walks, err) == 0)
        return 0;
    db_walks_clear(walks);
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

static int read_row(struct db_walks *walks, uint32_t id, topomap_error *err)
{
    struct db_walk_row *row = &walks->row[id];
    size_t size = (size_t)walks->places * DB_WALK_PLACE;
    int got;

    if (row->code)
        return 0;
    sqlite3_bind_int64(walks->read, 1, id);
    got = db_step(walks->read, err);
    if (got > 0) {
        row->code = topomap_alloc(size, 1, err);
        row->place = (uint32_t)sqlite3_column_int64(walks->read, 0);
        got = row->code ? 1 : -1;
    }
    if (got > 0 && (row->place >= walks->places || read_codes(walks->read, row->code, size)))
        got = 0;
    sqlite3_reset(walks->read);
    return got > 0   ? 0
           : got < 0 ? -1
                     : topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
}

int db_walks_starts(struct db_walks *walks, int64_t host, topomap_start **list, size_t *room,
                    size_t *count, topomap_error *err)
{
    int row;

    *count = 0;
    sqlite3_bind_int64(walks->starts, 1, host);
    while ((row = db_step(walks->starts, err)) > 0) {
        int64_t id = sqlite3_column_int64(walks->starts, 0);

        if (id < 1 || (size_t)id >= walks->rows) {
            row = topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: routes");
            break;
        }
        if (read_row(walks, (uint32_t)id, err) ||
            topomap_grow(list, room, *count + 1, sizeof **list, err)) {
            row = -1;
            break;
        }
        (*list)[(*count)++] =
            (topomap_start){(uint32_t)id, (uint32_t)sqlite3_column_int64(walks->starts, 1),
                            (uint32_t)sqlite3_column_int64(walks->starts, 2)};
    }
    sqlite3_reset(walks->starts);
    return row;
}
