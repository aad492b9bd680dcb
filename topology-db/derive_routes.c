/* SPDX-License-Identifier: BSD-3-Clause */
/* What a launch needs of the routing tables, worked out once an import: whether every route between
 * hosts is a shortest path (then the graph of switches says all), and otherwise how many hops the
 * routes have. Work is switches times destination LIDs: for one LID the tables are a forest. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "topology-db/derive.h"
#include "topology-db/ib.h"
#include "topology-db/routes.h"
#include "topology-db/switches.h"
#include "util/alloc.h"

enum { UNKNOWN = 0, BROKEN = UINT16_MAX, VISITING = UINT16_MAX - 1, HOPS_MOST = 254 };

/* A port of a host: where routes end. */
struct arrival {
    struct db_landing port;
    uint32_t leaf; /* index of its switch */
};

struct scan {
    sqlite3 *file;
    struct db_routes routes;
    struct arrival *arrival; /* by switch, adapter, port */
    size_t arrivals, room;
    uint32_t *leaf; /* [leaves] indices of switches with hosts, ascending */
    uint32_t leaves;
    uint16_t *near;   /* [vertices] hops between switches, to the switch of the arrival */
    uint16_t *toward; /* [vertices] switches from here to the arrival over the tables */
    uint32_t *queue;  /* [vertices] */
    uint8_t *column;  /* [leaves] hops from a host on each leaf */
    uint8_t *kept;    /* columns of the present leaf's walks */
    size_t kept_room, walks, first; /* walks so far, and before the present leaf */
    uint64_t routed, broken, longer;
    uint32_t tables, missing;
};

/* ---- Loading ----------------------------------------------------------------------------- */

static int take_arrival(struct scan *scan, sqlite3_stmt *statement, topomap_error *err)
{
    struct arrival arrival = {
        .port = {.adapter = db_routes_find(&scan->routes, sqlite3_column_int64(statement, 0)),
                 .port = (uint8_t)sqlite3_column_int(statement, 1),
                 .lid = (uint16_t)sqlite3_column_int(statement, 3)},
        .leaf = db_routes_find(&scan->routes, sqlite3_column_int64(statement, 2))};

    if (arrival.port.adapter == UINT32_MAX || arrival.leaf == UINT32_MAX)
        return 0;
    if (topomap_grow(&scan->arrival, &scan->room, scan->arrivals + 1, sizeof arrival, err))
        return -1;
    if (!scan->arrivals || scan->arrival[scan->arrivals - 1].leaf != arrival.leaf)
        scan->leaves++;
    scan->arrival[scan->arrivals++] = arrival;
    return 0;
}

static int load_arrivals(struct scan *scan, topomap_error *err)
{
    sqlite3_stmt *statement =
        db_prepare(scan->file,
                   "SELECT adapter, attach.port, switch, lid FROM attach"
                   " LEFT JOIN port ON vertex = adapter AND number = attach.port"
                   " WHERE host <> 0 ORDER BY switch, adapter, attach.port",
                   err);
    int row = -1;

    while (statement && (row = db_step(statement, err)) > 0)
        if (take_arrival(scan, statement, err)) {
            row = -1;
            break;
        }
    sqlite3_finalize(statement);
    return row;
}

static int load_tables(struct scan *scan, topomap_error *err)
{
    for (uint32_t i = 0; i < scan->routes.count; i++) {
        if (db_routes_table(&scan->routes, i, err))
            return -1;
        if (scan->routes.lft[i].port)
            scan->tables++;
        else if (scan->routes.vertex[i].kind == IB_SWITCH)
            scan->missing++;
    }
    return 0;
}

static int make_room(struct scan *scan, topomap_error *err)
{
    size_t vertices = scan->routes.count;

    scan->leaf = topomap_alloc(scan->leaves, sizeof *scan->leaf, err);
    scan->near = topomap_alloc(vertices, sizeof *scan->near, err);
    scan->toward = topomap_alloc(vertices, sizeof *scan->toward, err);
    scan->queue = topomap_alloc(vertices, sizeof *scan->queue, err);
    scan->column = topomap_alloc(scan->leaves, 1, err);
    if (!scan->leaf || !scan->near || !scan->toward || !scan->queue || !scan->column)
        return -1;
    scan->leaves = 0;
    for (size_t i = 0; i < scan->arrivals; i++)
        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf)
            scan->leaf[scan->leaves++] = scan->arrival[i].leaf;
    return 0;
}

static void scan_clear(struct scan *scan)
{
    db_routes_clear(&scan->routes);
    free(scan->arrival);
    free(scan->leaf);
    free(scan->near);
    free(scan->toward);
    free(scan->queue);
    free(scan->column);
    free(scan->kept);
}

/* ---- Hops -------------------------------------------------------------------------------- */

static int is_switch(const struct db_routes *routes, uint32_t vertex)
{
    uint8_t kind = routes->vertex[vertex].kind;

    return kind != IB_ADAPTER && kind != IB_AGGREGATION;
}

/* Breadth-first from a switch. */
static void spread(struct scan *scan, uint32_t from)
{
    const struct db_routes *routes = &scan->routes;
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < routes->count; i++)
        scan->near[i] = DB_FAR;
    scan->near[from] = 0;
    scan->queue[tail++] = from;
    while (head < tail) {
        uint32_t at = scan->queue[head++];

        for (uint32_t i = routes->vertex[at].cables; i < routes->vertex[at + 1].cables; i++) {
            uint32_t next = routes->cable[i].peer;

            if (scan->near[next] == DB_FAR && is_switch(routes, next) &&
                scan->near[at] < DB_FAR - 4) {
                scan->near[next] = (uint16_t)(scan->near[at] + 1);
                scan->queue[tail++] = next;
            }
        }
    }
}

/* The way out of a switch for this arrival, NULL where there is none. */
static const struct db_cable *way_out(const struct scan *scan, uint32_t at,
                                      const struct arrival *to)
{
    const struct db_lft *lft = &scan->routes.lft[at];

    if (!to->port.lid || to->port.lid >= lft->lids || lft->port[to->port.lid] == DB_NO_PORT)
        return NULL;
    return db_routes_cable(&scan->routes, at, lft->port[to->port.lid]);
}

/* Fills toward[] from one switch on: every switch is asked once for an arrival. */
static void follow(struct scan *scan, uint32_t at, const struct arrival *to)
{
    uint32_t depth = 0;
    uint16_t length = BROKEN;

    while (scan->toward[at] == UNKNOWN) {
        const struct db_cable *cable = way_out(scan, at, to);

        scan->toward[at] = VISITING;
        scan->queue[depth++] = at;
        if (!cable)
            break;
        if (cable->peer == to->port.adapter) {
            length = cable->peer_port == to->port.port ? 0 : BROKEN;
            break;
        }
        at = cable->peer;
    }
    if (scan->toward[at] != VISITING)
        length = scan->toward[at];
    while (depth--) {
        if (length != BROKEN && length < VISITING - 1)
            length++;
        scan->toward[scan->queue[depth]] = length;
    }
}

/* Hops from a host on every leaf to this arrival. Where the tables do not lead there, those of a
 * shortest path. */
static void fill_column(struct scan *scan, const struct arrival *to)
{
    memset(scan->toward, 0, scan->routes.count * sizeof *scan->toward);
    for (uint32_t i = 0; i < scan->leaves; i++) {
        uint32_t leaf = scan->leaf[i], hops;

        if (scan->near[leaf] == DB_FAR) {
            scan->column[i] = DB_NO_PORT;
            continue;
        }
        follow(scan, leaf, to);
        hops = scan->near[leaf] + 2u;
        if (scan->toward[leaf] == BROKEN) {
            scan->broken++;
        } else {
            scan->routed++;
            if (scan->toward[leaf] + 1u > hops) {
                scan->longer++;
                hops = scan->toward[leaf] + 1u;
            }
        }
        scan->column[i] = (uint8_t)(hops > HOPS_MOST ? HOPS_MOST : hops);
    }
}

static void count_routes(struct scan *scan)
{
    for (size_t i = 0; i < scan->arrivals; i++) {
        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf)
            spread(scan, scan->arrival[i].leaf);
        fill_column(scan, &scan->arrival[i]);
    }
}

/* ---- Walks ------------------------------------------------------------------------------- */

static int write_walk(struct scan *scan, sqlite3_stmt *insert, uint32_t place, topomap_error *err)
{
    size_t room = ZSTD_compressBound(scan->leaves), size;
    void *packed = topomap_alloc(room, 1, err);
    int result;

    if (!packed)
        return -1;
    size = ZSTD_compress(packed, room, scan->column, scan->leaves, 1);
    if (ZSTD_isError(size)) {
        free(packed);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot pack a row of hops: %s",
                                 ZSTD_getErrorName(size));
    }
    sqlite3_bind_int64(insert, 1, (int64_t)scan->walks);
    sqlite3_bind_int64(insert, 2, scan->routes.vertex[scan->leaf[place]].id);
    sqlite3_bind_int64(insert, 3, place);
    sqlite3_bind_blob64(insert, 4, packed, size, SQLITE_TRANSIENT);
    result = db_insert(insert, err);
    free(packed);
    return result;
}

/* The walk of this column: one of the leaf's, or a new one. */
static int find_walk(struct scan *scan, sqlite3_stmt *insert, uint32_t place, size_t *walk,
                     topomap_error *err)
{
    for (*walk = scan->first; *walk < scan->walks; (*walk)++)
        if (memcmp(scan->kept + (*walk - scan->first) * scan->leaves, scan->column, scan->leaves) ==
            0) {
            ++*walk;
            return 0;
        }
    if (topomap_grow(&scan->kept, &scan->kept_room, (*walk - scan->first + 1) * scan->leaves, 1,
                     err))
        return -1;
    memcpy(scan->kept + (*walk - scan->first) * scan->leaves, scan->column, scan->leaves);
    *walk = ++scan->walks; /* ids begin at 1 */
    return write_walk(scan, insert, place, err);
}

static int write_landing(struct scan *scan, sqlite3_stmt *insert, const struct arrival *arrival,
                         size_t walk, topomap_error *err)
{
    sqlite3_bind_int64(insert, 1, scan->routes.vertex[arrival->port.adapter].id);
    sqlite3_bind_int(insert, 2, arrival->port.port);
    sqlite3_bind_int64(insert, 3, (int64_t)walk);
    return db_insert(insert, err);
}

static int write_walks(struct scan *scan, topomap_error *err)
{
    sqlite3_stmt *walks = db_prepare(scan->file, "INSERT INTO walk VALUES(?,?,?,?)", err);
    sqlite3_stmt *landings = db_prepare(scan->file, "INSERT INTO landing VALUES(?,?,?)", err);
    uint32_t place = UINT32_MAX;
    int result = walks && landings ? 0 : -1;

    for (size_t i = 0; !result && i < scan->arrivals; i++) {
        size_t walk;

        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf) {
            spread(scan, scan->arrival[i].leaf);
            scan->first = scan->walks;
            place++;
        }
        fill_column(scan, &scan->arrival[i]);
        result = find_walk(scan, walks, place, &walk, err) ||
                         write_landing(scan, landings, &scan->arrival[i], walk, err)
                     ? -1
                     : 0;
    }
    sqlite3_finalize(walks);
    sqlite3_finalize(landings);
    return result;
}

/* ---- All --------------------------------------------------------------------------------- */

static int write_facts(const struct scan *scan, int64_t all, topomap_error *err)
{
    const char *kind = !scan->routed ? "none" : scan->longer ? "longer" : "shortest";
    char *sql = sqlite3_mprintf(
        "INSERT OR REPLACE INTO fact VALUES('routes', '%s'), ('routing_tables', %lld),"
        " ('routing_tables_missing', %lld), ('routing_tables_unknown', %lld),"
        " ('routes_longer', %lld), ('routes_broken', %lld)",
        kind, (long long)scan->tables, (long long)scan->missing, (long long)(all - scan->tables),
        (long long)scan->longer, (long long)scan->broken);
    int result = sql ? db_execute(scan->file, sql, err) : db_failed(scan->file, err);

    sqlite3_free(sql);
    return result;
}

static int scan_all(struct scan *scan, int64_t all, topomap_error *err)
{
    if (db_routes_load(scan->file, &scan->routes, err) || load_arrivals(scan, err) ||
        load_tables(scan, err) || make_room(scan, err))
        return -1;
    if (scan->tables)
        count_routes(scan);
    if (write_facts(scan, all, err))
        return -1;
    return scan->longer ? write_walks(scan, err) : 0;
}

int db_views_routes(sqlite3 *file, topomap_error *err)
{
    struct scan scan = {.file = file};
    int64_t all;
    int result;

    if (db_execute(file, "DELETE FROM walk; DELETE FROM landing;", err) ||
        db_number(file, "SELECT count(*) FROM lft", 0, &all, err))
        return -1;
    if (!all)
        return 0;
    result = scan_all(&scan, all, err);
    scan_clear(&scan);
    return result;
}
