/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/fabric/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "fabric/infiniband.h"
#include "util/alloc.h"

/* State of the reader of tables. */
struct source {
    sqlite3_stmt *table, *label;
    sqlite3_stmt *predicted; /* NULL: the database is older than predicted tables */
    ZSTD_DCtx *unpacker;     /* one for all tables: they are small */
};

void db_lft_clear(topomap_lft_fabric *lft)
{
    struct source *source = lft->source;

    if (source) {
        ZSTD_freeDCtx(source->unpacker);
        sqlite3_finalize(source->table);
        sqlite3_finalize(source->label);
        sqlite3_finalize(source->predicted);
        free(source);
    }
    topomap_lft_clear(lft);
    *lft = (topomap_lft_fabric){0};
}

static int load_vertices(sqlite3 *file, topomap_lft_fabric *lft, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        file, "SELECT id, source * 65536 + subnet, guid, lid, kind FROM vertex ORDER BY id", err);
    size_t room = 0;

    while (db_next(&rows)) {
        /* One more than there are: the end of the last one's cables. */
        if (topomap_grow(&lft->vertex, &room, lft->count + 2u, sizeof *lft->vertex, err))
            return -1;
        lft->vertex[lft->count++] =
            (topomap_lft_vertex){.id = sqlite3_column_int64(rows.row, 0),
                                 .subnet = sqlite3_column_int64(rows.row, 1),
                                 .guid = db_u64(rows.row, 2),
                                 .lid = (uint16_t)sqlite3_column_int(rows.row, 3),
                                 .kind = (uint8_t)sqlite3_column_int(rows.row, 4)};
    }
    return rows.result;
}

static int add_cable(topomap_lft_fabric *lft, size_t *room, topomap_cable cable, topomap_error *err)
{
    return TOPOMAP_APPEND(lft->cable, lft->cables, *room, err, cable);
}

static int load_cables(sqlite3 *file, topomap_lft_fabric *lft, topomap_error *err)
{
    DB_ROWS rows = db_ask(file,
                          "SELECT a, aport, b, bport, link_mbps(width, speed, mbps) FROM link"
                          " WHERE state IS NOT 1" /* IB_DOWN */,
                          err);
    size_t room = 0;

    while (db_next(&rows)) {
        uint32_t a = topomap_lft_find(lft, sqlite3_column_int64(rows.row, 0));
        uint32_t b = topomap_lft_find(lft, sqlite3_column_int64(rows.row, 2));
        int aport = sqlite3_column_int(rows.row, 1), bport = sqlite3_column_int(rows.row, 3);
        uint32_t mbps;

        if (a == UINT32_MAX || b == UINT32_MAX || aport < 0 || aport > 255 || bport < 0 ||
            bport > 255)
            continue;
        mbps = (uint32_t)sqlite3_column_int64(rows.row, 4);
        if (add_cable(lft, &room, (topomap_cable){a, b, mbps, (uint8_t)aport, (uint8_t)bport},
                      err) ||
            add_cable(lft, &room, (topomap_cable){b, a, mbps, (uint8_t)bport, (uint8_t)aport}, err))
            return -1;
    }
    return rows.result;
}

static int unpack(struct source *source, sqlite3_stmt *table, topomap_lft *lft, topomap_error *err)
{
    int64_t lids = sqlite3_column_int64(table, 0);
    const void *packed = sqlite3_column_blob(table, 1);
    size_t size = (size_t)sqlite3_column_bytes(table, 1);

    if (lids < 0 || lids > TOPOMAP_LIDS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: a routing table");
    lft->port = malloc((size_t)lids + 1); /* all of it is filled */
    lft->lids = (uint32_t)lids;
    if (!source->unpacker)
        source->unpacker = ZSTD_createDCtx();
    if (!lft->port || !source->unpacker)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a routing table");
    if (ZSTD_decompressDCtx(source->unpacker, lft->port, (size_t)lids, packed, size) !=
        (size_t)lids)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: a routing table");
    return 0;
}

/* Returns 1 with the table, 0 if there is none, or -1 with \p err set. */
static int look_up(struct source *source, sqlite3_stmt *table, int64_t key, topomap_lft *lft,
                   topomap_error *err)
{
    int row;

    sqlite3_bind_int64(table, 1, key);
    row = db_step(table, err);
    if (row > 0 && unpack(source, table, lft, err))
        row = -1;
    sqlite3_reset(table);
    return row;
}

static int read_table(topomap_lft_fabric *fabric, uint32_t vertex, topomap_error *err)
{
    struct source *source = fabric->source;
    topomap_lft *lft = &fabric->lft[vertex];
    int row;

    if (lft->asked)
        return 0;
    lft->asked = 1;
    if (fabric->vertex[vertex].kind != IB_SWITCH)
        return 0;
    row = look_up(source, source->table, (int64_t)fabric->vertex[vertex].guid, lft, err);
    if (!row && source->predicted)
        row = look_up(source, source->predicted, fabric->vertex[vertex].id, lft, err);
    return row < 0 ? -1 : 0;
}

static void read_label(const topomap_lft_fabric *fabric, uint32_t vertex, char *label, size_t size)
{
    sqlite3_stmt *statement = ((struct source *)fabric->source)->label;
    topomap_error ignored;

    snprintf(label, size, "0x%016" PRIx64, fabric->vertex[vertex].guid);
    sqlite3_bind_int64(statement, 1, fabric->vertex[vertex].id);
    if (db_step(statement, &ignored) > 0 && sqlite3_column_bytes(statement, 0))
        snprintf(label, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_reset(statement);
}

static int prepare(sqlite3 *file, struct source *source, topomap_error *err)
{
    int predicts = 0;

    source->table = db_prepare(file, "SELECT lids, ports FROM lft WHERE guid=?", err);
    if (!source->table)
        return -1;
    source->label = db_prepare(file, "SELECT coalesce(label, text) FROM vertex WHERE id=?", err);
    if (!source->label || db_has_table(file, "predicted_lft", &predicts, err))
        return -1;
    if (!predicts)
        return 0;
    source->predicted =
        db_prepare(file, "SELECT lids, ports FROM predicted_lft WHERE vertex=?", err);
    return source->predicted ? 0 : -1;
}

int db_lft_load(sqlite3 *file, topomap_lft_fabric *lft, topomap_error *err)
{
    struct source *source = topomap_alloc(1, sizeof *source, err);

    *lft = (topomap_lft_fabric){.source = source, .read = read_table, .label = read_label};
    if (!source)
        return -1;
    if (prepare(file, source, err) == 0 && load_vertices(file, lft, err) == 0 &&
        load_cables(file, lft, err) == 0 && topomap_lft_index(lft, err) == 0)
        return 0;
    db_lft_clear(lft);
    return -1;
}
