/* SPDX-License-Identifier: BSD-3-Clause */
/* What a launch needs of the routing tables, worked out once an import: whether every route between
 * hosts is a cheapest shortest path (then the graph of switches says all), and otherwise how many
 * hops the routes have and what a byte costs over them. Work is switches times destination LIDs:
 * for one LID the tables are a forest. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "fabric/infiniband.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"

enum { UNKNOWN = 0, BROKEN = UINT16_MAX, VISITING = UINT16_MAX - 1 };
enum {
    PLACE = TOPOMAP_ROUTE_CODE,
    PLAIN_MOST = 32 << 20, /* bytes of codes; unpacking takes longer than all else at a launch */
};

/* Hops and cost between two switches, and their code. */
struct coded {
    topomap_route_cost way;
    uint32_t code;
    UT_hash_handle hh;
};

/* A port of a host: where routes end. */
struct arrival {
    topomap_fabric_port port;
    uint32_t leaf; /* index of its switch */
};

struct scan {
    sqlite3 *file;
    topomap_lft_fabric routes;
    topomap_switches switches;
    topomap_arena arena;     /* of the arrays but arrival and kept */
    uint32_t *node;          /* [vertices] index in switches, or UINT32_MAX */
    uint32_t *price;         /* [cables] cost of a byte */
    struct arrival *arrival; /* by switch, adapter, port */
    size_t arrivals, room;
    uint32_t *leaf; /* [leaves] indices of switches with hosts, ascending */
    uint32_t leaves;
    uint16_t *near;  /* [switches] hops to the switch of the arrival by a shortest path */
    uint32_t *cheap; /* [switches] cost of the cheapest of these */
    uint16_t *steps; /* [vertices] switches on the tables' way to the arrival, this one too */
    uint32_t *cost;  /* [vertices] cost of that way, from switch to switch */
    uint32_t *path;  /* [vertices] */
    uint8_t *column; /* [leaves * PLACE] */
    uint8_t *kept;   /* columns of the present leaf's walks */
    size_t kept_room, walks, first; /* walks so far, and before the present leaf */
    struct coded *ways;
    uint64_t routed, broken, longer, dearer;
    uint32_t tables, missing;
};

/* ---- Loading ----------------------------------------------------------------------------- */

static int take_arrival(struct scan *scan, sqlite3_stmt *statement, topomap_error *err)
{
    struct arrival arrival = {
        .port = {.adapter = topomap_lft_find(&scan->routes, sqlite3_column_int64(statement, 0)),
                 .port = (uint8_t)sqlite3_column_int(statement, 1),
                 .lid = (uint16_t)sqlite3_column_int(statement, 3)},
        .leaf = topomap_lft_find(&scan->routes, sqlite3_column_int64(statement, 2))};

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
    DB_ROWS rows = db_ask(scan->file,
                          "SELECT adapter, attach.port, switch, lid FROM attach"
                          " LEFT JOIN port ON vertex = adapter AND number = attach.port"
                          " WHERE host <> 0 ORDER BY switch, adapter, attach.port",
                          err);

    while (db_next(&rows))
        if (take_arrival(scan, rows.row, err))
            return -1;
    return rows.result;
}

static int load_tables(struct scan *scan, topomap_error *err)
{
    for (uint32_t i = 0; i < scan->routes.count; i++) {
        if (scan->routes.read(&scan->routes, i, err))
            return -1;
        if (scan->routes.lft[i].port)
            scan->tables++;
        else if (scan->routes.vertex[i].kind == IB_SWITCH)
            scan->missing++;
    }
    return 0;
}

/* What each cable costs: what the pair of switches does. */
static void price_cables(struct scan *scan)
{
    const topomap_lft_fabric *routes = &scan->routes;

    for (uint32_t i = 0; i < routes->count; i++)
        scan->node[i] = topomap_switches_find(&scan->switches, routes->vertex[i].id);
    for (uint32_t i = 0; i < routes->cables; i++)
        scan->price[i] = topomap_switches_cost(&scan->switches, scan->node[routes->cable[i].at],
                                               scan->node[routes->cable[i].peer]);
}

static void list_leaves(struct scan *scan)
{
    scan->leaves = 0;
    for (size_t i = 0; i < scan->arrivals; i++)
        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf)
            scan->leaf[scan->leaves++] = scan->arrival[i].leaf;
}

static int make_room(struct scan *scan, topomap_error *err)
{
    size_t vertices = scan->routes.count, switches = scan->switches.count;

    scan->node = topomap_arena_alloc(&scan->arena, vertices, sizeof *scan->node, err);
    scan->price = topomap_arena_alloc(&scan->arena, scan->routes.cables, sizeof *scan->price, err);
    scan->leaf = topomap_arena_alloc(&scan->arena, scan->leaves, sizeof *scan->leaf, err);
    scan->near = topomap_arena_alloc(&scan->arena, switches, sizeof *scan->near, err);
    scan->cheap = topomap_arena_alloc(&scan->arena, switches, sizeof *scan->cheap, err);
    scan->steps = topomap_arena_alloc(&scan->arena, vertices, sizeof *scan->steps, err);
    scan->cost = topomap_arena_alloc(&scan->arena, vertices, sizeof *scan->cost, err);
    scan->path = topomap_arena_alloc(&scan->arena, vertices, sizeof *scan->path, err);
    scan->column = topomap_arena_alloc(&scan->arena, scan->leaves, PLACE, err);
    return scan->arena.is_short ? -1 : 0;
}

static void scan_clear(struct scan *scan)
{
    struct coded *way, *next;

    HASH_ITER(hh, scan->ways, way, next)
    {
        HASH_DELETE(hh, scan->ways, way);
        free(way);
    }
    db_lft_clear(&scan->routes);
    free(scan->arrival);
    topomap_switches_clear(&scan->switches);
    topomap_arena_clear(&scan->arena);
    free(scan->kept);
}

/* ---- Hops -------------------------------------------------------------------------------- */

static void spread(struct scan *scan, uint32_t from)
{
    topomap_start start = {scan->node[from], 0, 0};

    topomap_switches_reach(&scan->switches, &start, 1, scan->near, scan->cheap);
}

/* The way out of a switch for this arrival, NULL where there is none. */
static const topomap_cable *way_out(const struct scan *scan, uint32_t at, const struct arrival *to)
{
    const topomap_lft *lft = &scan->routes.lft[at];

    if (!to->port.lid || to->port.lid >= lft->lids || lft->port[to->port.lid] == TOPOMAP_NO_PORT)
        return NULL;
    return topomap_lft_cable(&scan->routes, at, lft->port[to->port.lid]);
}

/* Fills steps[] and cost[] from one switch on: every switch is asked once for an arrival. */
static void follow(struct scan *scan, uint32_t at, const struct arrival *to)
{
    uint32_t depth = 0, cost = 0;
    uint16_t steps = BROKEN;

    while (scan->steps[at] == UNKNOWN) {
        const topomap_cable *cable = way_out(scan, at, to);

        scan->steps[at] = VISITING;
        scan->cost[at] = 0;
        scan->path[depth++] = at;
        if (!cable)
            break;
        if (cable->peer == to->port.adapter) {
            steps = cable->peer_port == to->port.port ? 0 : BROKEN;
            break;
        }
        scan->cost[at] = scan->price[cable - scan->routes.cable];
        at = cable->peer;
    }
    if (scan->steps[at] != VISITING) {
        steps = scan->steps[at];
        cost = scan->cost[at];
    }
    while (depth--) {
        if (steps < VISITING - 1)
            steps++;
        cost += scan->cost[scan->path[depth]];
        scan->cost[scan->path[depth]] = cost;
        scan->steps[scan->path[depth]] = steps;
    }
}

/* The code of a way, made where it is new. Where all codes are taken, the first with these hops. */
static int find_code(struct scan *scan, uint32_t hops, uint32_t cost, uint32_t *code,
                     topomap_error *err)
{
    topomap_route_cost way = {hops, cost};
    struct coded *found;

    HASH_FIND(hh, scan->ways, &way, sizeof way, found);
    if (!found && HASH_COUNT(scan->ways) == TOPOMAP_ROUTE_CODES)
        for (found = scan->ways; found->hh.next && found->way.hops != hops;)
            found = found->hh.next;
    if (!found) {
        found = topomap_alloc(1, sizeof *found, err);
        if (!found)
            return -1;
        found->way = way;
        found->code = HASH_COUNT(scan->ways) + 1u;
        HASH_ADD(hh, scan->ways, way, sizeof way, found);
    }
    *code = found->code;
    return 0;
}

/* From a leaf to this arrival. Where the tables do not lead there, by a shortest path. */
static topomap_route_cost find_way(struct scan *scan, uint32_t leaf, const struct arrival *to)
{
    topomap_route_cost way = {scan->near[scan->node[leaf]], scan->cheap[scan->node[leaf]]};

    if (way.hops == TOPOMAP_FAR)
        return way;
    follow(scan, leaf, to);
    if (scan->steps[leaf] == BROKEN) {
        scan->broken++;
        return way;
    }
    scan->routed++;
    scan->longer += scan->steps[leaf] - 1u > way.hops;
    scan->dearer += scan->steps[leaf] - 1u == way.hops && scan->cost[leaf] > way.cost;
    return (topomap_route_cost){scan->steps[leaf] - 1u, scan->cost[leaf]};
}

static int fill_column(struct scan *scan, const struct arrival *to, topomap_error *err)
{
    memset(scan->steps, 0, scan->routes.count * sizeof *scan->steps);
    for (uint32_t i = 0; i < scan->leaves; i++) {
        topomap_route_cost way = find_way(scan, scan->leaf[i], to);
        uint32_t code = TOPOMAP_NO_ROUTE;

        if (way.hops != TOPOMAP_FAR && find_code(scan, way.hops, way.cost, &code, err))
            return -1;
        scan->column[(size_t)i * PLACE] = (uint8_t)code;
        scan->column[(size_t)i * PLACE + 1] = (uint8_t)(code >> 8);
    }
    return 0;
}

static void count_routes(struct scan *scan)
{
    for (size_t i = 0; i < scan->arrivals; i++) {
        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf)
            spread(scan, scan->arrival[i].leaf);
        memset(scan->steps, 0, scan->routes.count * sizeof *scan->steps);
        for (uint32_t leaf = 0; leaf < scan->leaves; leaf++)
            find_way(scan, scan->leaf[leaf], &scan->arrival[i]);
    }
}

/* ---- Walks ------------------------------------------------------------------------------- */

static int bind_codes(const struct scan *scan, sqlite3_stmt *insert, topomap_error *err)
{
    size_t length = (size_t)scan->leaves * PLACE, size;
    TOPOMAP_FREED void *packed = NULL;

    if (scan->arrivals <= PLAIN_MOST / length) {
        sqlite3_bind_blob64(insert, 4, scan->column, length, SQLITE_STATIC);
        return 0;
    }
    packed = db_pack(scan->column, length, 1, &size, err);
    if (!packed)
        return -1;
    /* What has not become shorter would be taken for plain. */
    if (size >= length)
        sqlite3_bind_blob64(insert, 4, scan->column, length, SQLITE_STATIC);
    else
        sqlite3_bind_blob64(insert, 4, packed, size, SQLITE_TRANSIENT);
    return 0;
}

static int write_walk(struct scan *scan, sqlite3_stmt *insert, uint32_t place, topomap_error *err)
{
    sqlite3_bind_int64(insert, 1, (int64_t)scan->walks);
    sqlite3_bind_int64(insert, 2, scan->routes.vertex[scan->leaf[place]].id);
    sqlite3_bind_int64(insert, 3, place);
    return bind_codes(scan, insert, err) ? -1 : db_insert(insert, err);
}

/* The walk of this column: one of the leaf's, or a new one. */
static int find_walk(struct scan *scan, sqlite3_stmt *insert, uint32_t place, size_t *walk,
                     topomap_error *err)
{
    size_t length = (size_t)scan->leaves * PLACE, kept = scan->walks - scan->first;

    for (size_t i = 0; i < kept; i++)
        if (memcmp(scan->kept + i * length, scan->column, length) == 0) {
            *walk = scan->first + i + 1; /* ids begin at 1 */
            return 0;
        }
    if (topomap_grow(&scan->kept, &scan->kept_room, (kept + 1) * length, 1, err))
        return -1;
    memcpy(scan->kept + kept * length, scan->column, length);
    *walk = ++scan->walks;
    return write_walk(scan, insert, place, err);
}

static int write_landing(struct scan *scan, sqlite3_stmt *insert, const struct arrival *arrival,
                         size_t walk, topomap_error *err)
{
    return DB_PUT(insert, err, DB_INT(scan->routes.vertex[arrival->port.adapter].id),
                  DB_INT(arrival->port.port), DB_INT(walk));
}

static int write_walks(struct scan *scan, topomap_error *err)
{
    DB_STATEMENT *walks = db_prepare(scan->file, "INSERT INTO walk VALUES(?,?,?,?)", err);
    DB_STATEMENT *landings = db_prepare(scan->file, "INSERT INTO landing VALUES(?,?,?)", err);
    uint32_t place = UINT32_MAX;

    if (!walks || !landings)
        return -1;
    for (size_t i = 0; i < scan->arrivals; i++) {
        size_t walk;

        if (!i || scan->arrival[i].leaf != scan->arrival[i - 1].leaf) {
            spread(scan, scan->arrival[i].leaf);
            scan->first = scan->walks;
            place++;
        }
        if (fill_column(scan, &scan->arrival[i], err) ||
            find_walk(scan, walks, place, &walk, err) ||
            write_landing(scan, landings, &scan->arrival[i], walk, err))
            return -1;
    }
    return 0;
}

static int write_ways(struct scan *scan, topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(scan->file, "INSERT INTO way VALUES(?,?,?)", err);

    for (const struct coded *way = scan->ways; insert && way; way = way->hh.next) {
        if (DB_PUT(insert, err, DB_INT(way->code), DB_INT(way->way.hops), DB_INT(way->way.cost)))
            return -1;
    }
    return insert ? 0 : -1;
}

/* ---- All --------------------------------------------------------------------------------- */

static int write_facts(const struct scan *scan, int64_t all, topomap_error *err)
{
    const char *kind = !scan->routed  ? "none"
                       : scan->longer ? "longer"
                       : scan->dearer ? "dearer"
                                      : "shortest";
    char *sql = sqlite3_mprintf(
        "INSERT OR REPLACE INTO fact VALUES('routes', '%s'), ('routing_tables', %lld),"
        " ('routing_tables_missing', %lld), ('routing_tables_unknown', %lld),"
        " ('routes_longer', %lld), ('routes_dearer', %lld), ('routes_broken', %lld)",
        kind, (long long)scan->tables, (long long)scan->missing, (long long)(all - scan->tables),
        (long long)scan->longer, (long long)scan->dearer, (long long)scan->broken);
    int result = sql ? db_execute(scan->file, sql, err) : db_failed(scan->file, err);

    sqlite3_free(sql);
    return result;
}

static int scan_all(struct scan *scan, int64_t all, topomap_error *err)
{
    if (db_lft_load(scan->file, &scan->routes, err) ||
        db_switches_load(scan->file, 0, &scan->switches, err) || load_arrivals(scan, err) ||
        load_tables(scan, err) || make_room(scan, err))
        return -1;
    price_cables(scan);
    list_leaves(scan);
    if (scan->tables)
        count_routes(scan);
    if (write_facts(scan, all, err))
        return -1;
    if (!scan->longer && !scan->dearer)
        return 0;
    return write_walks(scan, err) || write_ways(scan, err) ? -1 : 0;
}

int db_views_routes(sqlite3 *file, topomap_error *err)
{
    TOPOMAP_CLEANUP(scan_clear) struct scan scan = {.file = file};
    int64_t all;

    if (db_execute(file, "DELETE FROM walk; DELETE FROM way; DELETE FROM landing;", err) ||
        db_number(file, "SELECT count(*) FROM lft", 0, &all, err))
        return -1;
    return all ? scan_all(&scan, all, err) : 0;
}
