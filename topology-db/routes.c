/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "topology-db/ib_names.h"
#include "util/alloc.h"
#include "util/sorted.h"

void db_routes_clear(struct db_routes *routes)
{
    for (uint32_t i = 0; routes->lft && i < routes->count; i++)
        free(routes->lft[i].port);
    free(routes->lft);
    free(routes->vertex);
    free(routes->cable);
    ZSTD_freeDCtx(routes->unpacker);
    sqlite3_finalize(routes->table);
    sqlite3_finalize(routes->label);
    *routes = (struct db_routes){0};
}

uint32_t db_routes_find(const struct db_routes *routes, int64_t id)
{
    uint64_t guess = routes->count ? (uint64_t)id - (uint64_t)routes->vertex[0].id : 0;
    uint32_t low;

    /* Ids in a row, as they mostly are. */
    if (guess < routes->count && routes->vertex[guess].id == id)
        return (uint32_t)guess;
    low = (uint32_t)topomap_sorted_rows(routes->vertex, routes->count, sizeof *routes->vertex,
                                        offsetof(struct db_vertex, id), id);
    return low < routes->count && routes->vertex[low].id == id ? low : UINT32_MAX;
}

const struct db_cable *db_routes_cable(const struct db_routes *routes, uint32_t vertex,
                                       uint32_t port)
{
    uint32_t low = routes->vertex[vertex].cables, end = routes->vertex[vertex + 1].cables;
    uint32_t high = end, guess;

    if (low == end)
        return NULL;
    /* Ports in a row, as they mostly are. */
    guess = low + port - routes->cable[low].port;
    if (guess >= low && guess < end && routes->cable[guess].port == port)
        return &routes->cable[guess];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (routes->cable[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && routes->cable[low].port == port ? &routes->cable[low] : NULL;
}

/* ---- Loading ----------------------------------------------------------------------------- */

static int load_vertices(struct db_routes *routes, topomap_error *err)
{
    struct db_rows rows =
        db_ask(routes->file,
               "SELECT id, source * 65536 + subnet, guid, lid, kind FROM vertex ORDER BY id", err);
    size_t room = 0;

    while (db_next(&rows)) {
        /* One more than there are: the end of the last one's cables. */
        if (topomap_grow(&routes->vertex, &room, routes->count + 2u, sizeof *routes->vertex, err))
            return db_stop(&rows);
        routes->vertex[routes->count++] =
            (struct db_vertex){.id = sqlite3_column_int64(rows.row, 0),
                               .subnet = sqlite3_column_int64(rows.row, 1),
                               .guid = (uint64_t)sqlite3_column_int64(rows.row, 2),
                               .lid = (uint16_t)sqlite3_column_int(rows.row, 3),
                               .kind = (uint8_t)sqlite3_column_int(rows.row, 4)};
    }
    return rows.result;
}

static int add_cable(struct db_routes *routes, size_t *room, struct db_cable cable,
                     topomap_error *err)
{
    if (topomap_grow(&routes->cable, room, routes->cables + 1u, sizeof cable, err))
        return -1;
    routes->cable[routes->cables++] = cable;
    return 0;
}

uint32_t db_routes_rate(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column + 2) != SQLITE_NULL
               ? (uint32_t)sqlite3_column_int64(row, column + 2)
               : ib_mbps((uint32_t)sqlite3_column_int(row, column),
                         (uint32_t)sqlite3_column_int(row, column + 1));
}

static int load_cables(struct db_routes *routes, topomap_error *err)
{
    struct db_rows rows = db_ask(routes->file,
                                 "SELECT a, aport, b, bport, width, speed, mbps FROM link"
                                 " WHERE state IS NOT 1" /* IB_DOWN */,
                                 err);
    size_t room = 0;

    while (db_next(&rows)) {
        uint32_t a = db_routes_find(routes, sqlite3_column_int64(rows.row, 0));
        uint32_t b = db_routes_find(routes, sqlite3_column_int64(rows.row, 2));
        int aport = sqlite3_column_int(rows.row, 1), bport = sqlite3_column_int(rows.row, 3);
        uint32_t mbps;

        if (a == UINT32_MAX || b == UINT32_MAX || aport < 0 || aport > 255 || bport < 0 ||
            bport > 255)
            continue;
        mbps = db_routes_rate(rows.row, 4);
        if (add_cable(routes, &room, (struct db_cable){a, b, mbps, (uint8_t)aport, (uint8_t)bport},
                      err) ||
            add_cable(routes, &room, (struct db_cable){b, a, mbps, (uint8_t)bport, (uint8_t)aport},
                      err))
            return db_stop(&rows);
    }
    return rows.result;
}

enum { BY_PEER, BY_PORT, BY_VERTEX, KEYS, PORTS = 256 };

static uint32_t key_of(const struct db_cable *cable, int key)
{
    return key == BY_VERTEX ? cable->at : key == BY_PORT ? cable->port : cable->peer;
}

/* By counting: a launch has a whole fabric's cables to sort. What has the same key stays in order.
 * \param next  [keys + 1] out: where the cables of a key end */
static void sort_cables(const struct db_cable *from, uint32_t count, int key, uint32_t keys,
                        uint32_t *next, struct db_cable *to)
{
    memset(next, 0, (keys + 1u) * sizeof *next);
    for (uint32_t c = 0; c < count; c++)
        next[key_of(&from[c], key) + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (uint32_t c = 0; c < count; c++)
        to[next[key_of(&from[c], key)]++] = from[c];
}

static int index_cables(struct db_routes *routes, topomap_error *err)
{
    uint32_t most = routes->count > PORTS ? routes->count : PORTS;
    uint32_t *next = topomap_alloc(most + 1u, sizeof *next, err);
    struct db_cable *other = topomap_alloc(routes->cables, sizeof *other, err);

    routes->lft = topomap_alloc(routes->count, sizeof *routes->lft, err);
    if (!next || !other || !routes->lft) {
        free(next);
        free(other);
        return -1;
    }
    for (int key = 0; routes->cables && key < KEYS; key++) {
        struct db_cable *sorted = other;

        sort_cables(routes->cable, routes->cables, key, key == BY_PORT ? PORTS : routes->count,
                    next, sorted);
        other = routes->cable;
        routes->cable = sorted;
    }
    for (uint32_t i = 0; i < routes->count; i++)
        routes->vertex[i + 1].cables = routes->cables ? next[i] : 0;
    free(next);
    free(other);
    return 0;
}

int db_routes_load(sqlite3 *file, struct db_routes *routes, topomap_error *err)
{
    *routes = (struct db_routes){.file = file};
    routes->table = db_prepare(file, "SELECT lids, ports FROM lft WHERE guid=?", err);
    if (routes->table)
        routes->label =
            db_prepare(file, "SELECT coalesce(label, text) FROM vertex WHERE id=?", err);
    if (routes->label && load_vertices(routes, err) == 0 && load_cables(routes, err) == 0 &&
        index_cables(routes, err) == 0)
        return 0;
    db_routes_clear(routes);
    return -1;
}

static int unpack(struct db_routes *routes, struct db_lft *lft, topomap_error *err)
{
    int64_t lids = sqlite3_column_int64(routes->table, 0);
    const void *packed = sqlite3_column_blob(routes->table, 1);
    int size = sqlite3_column_bytes(routes->table, 1);

    if (lids < 0 || lids > DB_LIDS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: a routing table");
    lft->port = malloc((size_t)lids + 1); /* all of it is filled */
    if (!lft->port)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a routing table");
    lft->lids = (uint32_t)lids;
    if (!routes->unpacker)
        routes->unpacker = ZSTD_createDCtx();
    if (!routes->unpacker)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a routing table");
    if (ZSTD_decompressDCtx(routes->unpacker, lft->port, (size_t)lids, packed, (size_t)size) !=
        (size_t)lids)
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged database: a routing table");
    return 0;
}

int db_routes_table(struct db_routes *routes, uint32_t vertex, topomap_error *err)
{
    struct db_lft *lft = &routes->lft[vertex];
    int row;

    if (lft->asked)
        return 0;
    lft->asked = 1;
    if (routes->vertex[vertex].kind != IB_SWITCH)
        return 0;
    sqlite3_bind_int64(routes->table, 1, (int64_t)routes->vertex[vertex].guid);
    row = db_step(routes->table, err);
    if (row > 0)
        row = unpack(routes, lft, err);
    sqlite3_reset(routes->table);
    return row < 0 ? -1 : 0;
}

void db_routes_label(struct db_routes *routes, uint32_t vertex, char *label, size_t size)
{
    topomap_error ignored;

    snprintf(label, size, "0x%016" PRIx64, routes->vertex[vertex].guid);
    sqlite3_bind_int64(routes->label, 1, routes->vertex[vertex].id);
    if (db_step(routes->label, &ignored) > 0 && sqlite3_column_bytes(routes->label, 0))
        snprintf(label, size, "%s", (const char *)sqlite3_column_text(routes->label, 0));
    sqlite3_reset(routes->label);
}

/* ---- Walking ----------------------------------------------------------------------------- */

/* Says why the walk ends at this switch: `%s` is its label. */
static int stuck(struct db_routes *routes, struct db_walk *walk, uint32_t vertex, const char *what,
                 uint32_t number)
{
    char label[160];

    db_routes_label(routes, vertex, label, sizeof label);
    snprintf(walk->reason, sizeof walk->reason, what, label, number);
    return 0;
}

static int add_step(struct db_walk *walk, uint32_t vertex, uint8_t in, uint8_t out,
                    topomap_error *err)
{
    if (topomap_grow(&walk->step, &walk->room, walk->steps + 1, sizeof *walk->step, err))
        return -1;
    walk->step[walk->steps++] = (struct db_step){vertex, in, out};
    return 0;
}

/* One switch further: 1 and *cable is the way out, 0 stuck, -1 failure. */
static int leave(struct db_routes *routes, uint32_t at, uint32_t lid, const struct db_cable **cable,
                 struct db_walk *walk, topomap_error *err)
{
    const struct db_lft *lft = &routes->lft[at];

    if (routes->vertex[at].kind != IB_SWITCH)
        return stuck(routes, walk, at, "'%s' is no switch and does not know LID %u", lid);
    if (db_routes_table(routes, at, err))
        return -1;
    if (!lft->port)
        return stuck(routes, walk, at, "switch '%s' has no routing table here (LID %u)", lid);
    if (lid >= lft->lids || lft->port[lid] == DB_NO_PORT)
        return stuck(routes, walk, at, "the table of switch '%s' has no way to LID %u", lid);
    if (lft->port[lid] == 0)
        return stuck(routes, walk, at, "switch '%s' takes LID %u for its own", lid);
    *cable = db_routes_cable(routes, at, lft->port[lid]);
    if (!*cable)
        return stuck(routes, walk, at,
                     "port %2$u of switch '%1$s', where its table leads, has no "
                     "cable",
                     lft->port[lid]);
    return 1;
}

int db_routes_walk(struct db_routes *routes, const struct db_landing *from,
                   const struct db_landing *to, uint32_t lid, struct db_walk *walk,
                   topomap_error *err)
{
    const struct db_cable *cable = db_routes_cable(routes, from->adapter, from->port);

    walk->steps = 0;
    walk->reason[0] = 0;
    if (!cable)
        return stuck(routes, walk, from->adapter, "port %2$u of '%1$s' has no cable", from->port);
    if (!lid)
        return stuck(routes, walk, to->adapter, "the LID of port %2$u of '%1$s' is not known",
                     to->port);
    while (cable->peer != to->adapter) {
        uint32_t at = cable->peer;
        uint8_t in = cable->peer_port;
        int way;

        if (walk->steps > routes->count)
            return stuck(routes, walk, at, "the tables lead in a circle at switch '%s' (LID %u)",
                         lid);
        way = leave(routes, at, lid, &cable, walk, err);
        if (way <= 0)
            return way;
        if (add_step(walk, at, in, cable->port, err))
            return -1;
    }
    if (cable->peer_port != to->port)
        return stuck(routes, walk, to->adapter, "the tables lead to another port of '%s' (LID %u)",
                     lid);
    return 1;
}
