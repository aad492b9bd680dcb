/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of what the networks' dumps say. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/sql_functions.h"
#include "topology-db/derive/derive.h"
#include "fabric/infiniband.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"
#include "util/names/known.h"
#include "util/sorted.h"

/* ---- InfiniBand adapters ----------------------------------------------------------------- */

struct port_guid {
    int64_t vertex;
    uint64_t guid;
};

/* The ports of vertices whose GUIDs may say something, read beside the adapters: both are sorted by
 * vertex. */
static int next_port(sqlite3_stmt *ports, struct port_guid *port, topomap_error *err)
{
    int row = db_step(ports, err);

    port->vertex = row > 0 ? sqlite3_column_int64(ports, 0) : INT64_MAX;
    port->guid = row > 0 ? db_u64(ports, 1) : 0;
    return row < 0 ? -1 : 0;
}

/* What its ports' GUIDs say of an adapter: the site's map, and the nodes' hwloc XMLs (by whether
 * the XML is that node's own). */
struct port_names {
    const char *mapped, *nic[2];
};

static void take_port(struct db_views *views, uint64_t guid, struct port_names *ports)
{
    int exact;
    const char *nic = db_views_nic(views, guid, &exact);

    if (!ports->mapped)
        ports->mapped = db_views_mapped_guid(views, guid);
    if (nic && !ports->nic[exact])
        ports->nic[exact] = nic;
}

/* A description that says the same spells the name as the fabric does. */
static const char *spell(struct db_views *views, const char *nic, const char *original)
{
    char a[DB_KEY], b[DB_KEY];

    db_host_key(nic, a);
    db_host_key(original, b);
    return db_views_mapped(views, strcmp(a, b) == 0 ? original : nic);
}

/* The site's map by node GUID, port GUID or system GUID; else the GUIDs in the node's own hwloc
 * XML; else what the description says, mapped by name; else GUIDs in an XML of its class. NULL: no
 * host. \p original gets the description's name, or "". */
static const char *name_adapter(struct db_views *views, sqlite3_stmt *adapters,
                                struct port_names *ports, char *original)
{
    uint64_t node = db_u64(adapters, 1);
    uint64_t system = db_u64(adapters, 2);
    const char *mapped = db_views_mapped_guid(views, node);

    if (!ib_host_name((const char *)sqlite3_column_text(adapters, 3), original, DB_KEY))
        *original = 0;
    if (!mapped)
        mapped = ports->mapped;
    if (!mapped)
        mapped = db_views_mapped_guid(views, system);
    if (mapped)
        return mapped;
    take_port(views, node, ports);
    take_port(views, system, ports);
    if (ports->nic[1])
        return spell(views, ports->nic[1], original);
    if (*original)
        return db_views_mapped(views, original);
    return ports->nic[0] ? db_views_mapped(views, ports->nic[0]) : NULL;
}

static int keep_adapter(struct db_views *views, int64_t vertex, struct db_host_row *host,
                        topomap_error *err)
{
    return TOPOMAP_APPEND(views->adapter, views->adapters, views->adapter_room, err,
                          (struct db_adapter_host){vertex, host});
}

/* A host that its source names: it is its own adapter. */
static int take_named(struct db_views *views, sqlite3_stmt *adapters, topomap_error *err)
{
    const char *text = (const char *)sqlite3_column_text(adapters, 3);
    const char *name = db_views_mapped(views, text);
    struct db_host_row *host;

    if (db_views_host(views, name, name == text ? NULL : text, &host, err))
        return -1;
    if (host)
        host->fabric = 1;
    return keep_adapter(views, sqlite3_column_int64(adapters, 0), host, err);
}

static int take_adapter(struct db_views *views, sqlite3_stmt *adapters, struct port_names *ports,
                        topomap_error *err)
{
    char original[DB_KEY];
    const char *name = name_adapter(views, adapters, ports, original);
    struct db_host_row *host = NULL;

    if (name && db_views_host(views, name, *original ? original : NULL, &host, err))
        return -1;
    if (host)
        host->fabric = 1;
    return keep_adapter(views, sqlite3_column_int64(adapters, 0), host, err);
}

int db_views_adapters(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *adapters = db_prepare(
        views->file,
        "SELECT id, guid, system, text, kind FROM vertex WHERE kind IN (1, 5) ORDER BY id", err);
    DB_STATEMENT *ports =
        db_prepare(views->file, "SELECT vertex, guid FROM port ORDER BY vertex, number", err);
    struct port_guid port = {INT64_MAX, 0};
    int row;

    if (!adapters || !ports || ((views->alias_guid || views->nics) && next_port(ports, &port, err)))
        return -1;
    while ((row = db_step(adapters, err)) > 0) {
        int64_t vertex = sqlite3_column_int64(adapters, 0);
        struct port_names names = {0};

        while (port.vertex <= vertex && port.vertex != INT64_MAX) {
            if (port.vertex == vertex)
                take_port(views, port.guid, &names);
            if (next_port(ports, &port, err))
                return -1;
        }
        if (sqlite3_column_int(adapters, 4) == IB_HOST ? take_named(views, adapters, err)
                                                       : take_adapter(views, adapters, &names, err))
            return -1;
    }
    return row;
}

/* ---- Links ------------------------------------------------------------------------------- */

/* Sorts of cables are few: what one is and costs is worked out once. */
struct sort_key {
    int64_t source, mbps;
    uint32_t width, speed;
    char kind[40]; /* as far as a class of links is named */
};

struct sort {
    int64_t trunks, others; /* cables between two switches, and those of adapters */
    int64_t rate, cost;
    int torus; /* packets spread over all cables of a pair */
};

/* Between two switches: host is UINT32_MAX, at and onto are they. Of an adapter: host 0 where it is
 * not known. */
struct cable {
    uint32_t host, at, port, onto, sort; /* at: in views.adapter[]; onto: in switches */
};

struct cables {
    topomap_switches switches; /* routers and nodes of unknown type, too, where they join some */
    struct cable *cable;       /* sorted; those of adapters first */
    size_t count, room, attached;
    topomap_known keys; /* of sorts */
    struct sort *sort;  /* [keys.count] */
    size_t sort_room;
    uint32_t last; /* the sort of the cable before */
};

static void cables_clear(struct cables *cables)
{
    topomap_switches_clear(&cables->switches);
    topomap_known_clear(&cables->keys);
    free(cables->cable);
    free(cables->sort);
}

/* Neighbouring cables are mostly of one sort. */
static int find_sort(struct cables *cables, sqlite3_stmt *link, uint32_t *sort, topomap_error *err)
{
    const char *kind = (const char *)sqlite3_column_text(link, 8);
    size_t sorts = cables->keys.count;
    struct sort_key key;

    memset(&key, 0, sizeof key);
    key.width = db_u32(link, 4);
    key.speed = db_u32(link, 5);
    key.mbps = sqlite3_column_int64(link, 6);
    key.source = sqlite3_column_int64(link, 7);
    if (kind)
        strncpy(key.kind, kind, sizeof key.kind - 1);
    *sort = cables->last;
    if (sorts && memcmp(topomap_known_key(&cables->keys, *sort), &key, sizeof key) == 0)
        return 0;
    if (topomap_known_number(&cables->keys, &key, sizeof key, sort, err) ||
        topomap_grow(&cables->sort, &cables->sort_room, sorts + 1, sizeof *cables->sort, err))
        return -1;
    if (*sort == sorts)
        cables->sort[sorts] = (struct sort){0};
    cables->last = *sort;
    return 0;
}

/* 0: it is no adapter, but an aggregation engine. */
static int find_adapter(const struct db_views *views, int64_t vertex, struct cable *cable)
{
    size_t at = topomap_sorted_rows(views->adapter, views->adapters, sizeof *views->adapter,
                                    offsetof(struct db_adapter_host, vertex), vertex);

    if (at == views->adapters || views->adapter[at].vertex != vertex)
        return 0;
    cable->at = (uint32_t)at;
    cable->host = views->adapter[at].host ? (uint32_t)views->adapter[at].host->id : 0;
    return 1;
}

static int take_link(const struct db_views *views, struct cables *cables, sqlite3_stmt *link,
                     topomap_error *err)
{
    int64_t a = sqlite3_column_int64(link, 0), b = sqlite3_column_int64(link, 2);
    uint32_t from = topomap_switches_find(&cables->switches, a);
    uint32_t to = topomap_switches_find(&cables->switches, b);
    int trunk = from != UINT32_MAX && to != UINT32_MAX;
    struct cable cable = {UINT32_MAX, from, 0, to, 0};

    if (a == b || (from == UINT32_MAX && to == UINT32_MAX))
        return 0;
    if (!trunk) {
        cable.port = db_u32(link, to == UINT32_MAX ? 3 : 1);
        cable.onto = to == UINT32_MAX ? from : to;
        if (!find_adapter(views, to == UINT32_MAX ? b : a, &cable))
            return 0;
    }
    if (find_sort(cables, link, &cable.sort, err) ||
        topomap_grow(&cables->cable, &cables->room, cables->count + 1, sizeof *cables->cable, err))
        return -1;
    cables->cable[cables->count++] = cable;
    cables->attached += !trunk;
    cables->sort[cable.sort].trunks += trunk;
    cables->sort[cable.sort].others += !trunk;
    return 0;
}

TOPOMAP_COMPARE(by_place, struct cable,
                TOPOMAP_ORDER(x->host, y->host) ?: TOPOMAP_ORDER(x->at, y->at),
                TOPOMAP_ORDER(x->port, y->port) ?: TOPOMAP_ORDER(x->onto, y->onto))

static int read_cables(const struct db_views *views, struct cables *cables, topomap_error *err)
{
    DB_ROWS rows = {0};

    if (db_execute(views->file,
                   "INSERT INTO switch(id, label) SELECT id, coalesce(label, text) FROM vertex"
                   " WHERE kind IN (0, 2, 4) ORDER BY id",
                   err) ||
        db_switches_load(views->file, 0, &cables->switches, err))
        return -1;
    rows = db_ask(views->file,
                  "SELECT a, aport, b, bport, width, speed, mbps, source, kind FROM link"
                  " WHERE coalesce(state, 0) <> 1", /* IB_DOWN */
                  err);
    while (db_next(&rows))
        if (take_link(views, cables, rows.row, err))
            return -1;
    TOPOMAP_SORT(cables->cable, cables->count, by_place);
    return rows.result;
}

/* By sql_functions.h: the reference of a source, and what a calibration measured in place of it. */
static const char price[] =
    "WITH each AS (SELECT source, rate, sum(trunks) AS trunks, sum(others) AS others"
    "  FROM cable_sort WHERE rate GROUP BY source, rate),"
    " reference AS (SELECT source, rate AS usual, row_number() OVER (PARTITION BY source ORDER BY"
    "  trunks DESC, CASE WHEN trunks THEN 0 ELSE others END DESC, rate DESC) AS place FROM each)"
    " SELECT rate, sort.source = ? AND level IS NULL,"
    "  CASE WHEN level IS NULL THEN link_cost(usual, rate) ELSE " DB_COST_MEASURED " END"
    " FROM cable_sort sort LEFT JOIN"
    "  (SELECT source, usual FROM reference WHERE place = 1) USING(source)"
    " LEFT JOIN calibration ON level = 'hop:' || class ORDER BY sort.rowid";

static int list_sorts(sqlite3 *file, const struct cables *cables, topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(file,
                                      "INSERT INTO cable_sort VALUES(?1, link_mbps(?2, ?3, ?4),"
                                      " link_class(?2, ?3, ?4, ?5), ?6, ?7)",
                                      err);

    for (size_t i = 0; insert && i < cables->keys.count; i++) {
        const struct sort_key *key = topomap_known_key(&cables->keys, i);

        if (DB_PUT(insert, err, DB_INT(key->source), DB_INT(key->width), DB_INT(key->speed),
                   DB_INT(key->mbps), DB_TEXT(key->kind), DB_INT(cables->sort[i].trunks),
                   DB_INT(cables->sort[i].others)))
            return -1;
    }
    return insert ? 0 : -1;
}

static int price_sorts(sqlite3 *file, struct cables *cables, int64_t torus, topomap_error *err)
{
    DB_ROWS rows = {0};

    if (db_execute(file, "CREATE TEMP TABLE cable_sort(source, rate, class, trunks, others)",
                   err) ||
        list_sorts(file, cables, err))
        return -1;
    rows = DB_ASK(file, price, err, DB_INT(torus));
    for (struct sort *sort = cables->sort; db_next(&rows); sort++) {
        sort->rate = sqlite3_column_int64(rows.row, 0);
        sort->torus = sqlite3_column_int(rows.row, 1);
        sort->cost = sqlite3_column_int64(rows.row, 2);
    }
    return rows.result ? -1 : db_execute(file, "DROP TABLE cable_sort", err);
}

/* ---- Tables attach and trunk -------------------------------------------------------------- */

static int write_attached(const struct db_views *views, const struct cables *cables,
                          topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(views->file, "INSERT INTO attach VALUES(?,?,?,?,1,?)", err);
    int64_t leaving = views->router_measured ? views->router_cost / 2 : 0;

    for (size_t i = 0; insert && i < cables->attached; i++) {
        const struct cable *cable = &cables->cable[i];

        if (DB_PUT(insert, err, DB_INT(cable->host), DB_INT(views->adapter[cable->at].vertex),
                   DB_INT(cable->port), DB_INT(cables->switches.id[cable->onto]),
                   DB_INT(cables->sort[cable->sort].cost + leaving)))
            return -1;
    }
    return insert ? 0 : -1;
}

/* Cray nodes on their routers. */
static int attach_cray(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *insert =
        db_prepare(views->file, "INSERT INTO attach VALUES(?, 0, 0, ?, 0, ?)", err);

    for (struct db_host_row *host = views->routers ? views->hosts : NULL; insert && host;
         host = host->hh.next) {
        const struct db_router *router = db_views_router(views, host);

        if (router)
            if (DB_PUT(insert, err, DB_INT(host->id), DB_INT(router->vertex),
                       DB_INT(views->router_cost / 2)))
                return -1;
    }
    return insert ? 0 : -1;
}

/* A message takes one cable of a pair: what its class costs, or their mean. A pair of a torus'
 * routers has its cost later: 0. */
static int write_trunks(sqlite3 *file, const struct cables *cables, topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(file, "INSERT INTO trunk VALUES(?,?,?,?,?)", err);
    size_t end;

    for (size_t i = cables->attached; insert && i < cables->count; i = end) {
        const struct cable *pair = &cables->cable[i];
        int64_t mbps = 0, cost = 0;
        int spread = 0;

        for (end = i; end < cables->count && by_place(pair, &cables->cable[end]) == 0; end++) {
            const struct sort *sort = &cables->sort[cables->cable[end].sort];

            mbps += sort->rate;
            cost += sort->cost;
            spread |= sort->torus;
        }
        if (DB_PUT(insert, err, DB_INT(cables->switches.id[pair->at]),
                   DB_INT(cables->switches.id[pair->onto]), DB_INT(end - i), DB_INT(mbps),
                   DB_INT(spread ? 0 : cost / (int64_t)(end - i))))
            return -1;
    }
    return insert ? 0 : -1;
}

/* In a Cray torus packets spread over the parallel links of a pair: the pair's whole rate counts,
 * against the one that most pairs of its routers have, of two the higher. */
static const char price_torus[] =
    "UPDATE trunk SET cost = link_cost((SELECT mbps FROM trunk JOIN vertex ON vertex.id = a"
    " WHERE source = ? GROUP BY mbps ORDER BY count(*) DESC, mbps DESC LIMIT 1), mbps)"
    " WHERE cost = 0";

int db_views_links(struct db_views *views, topomap_error *err)
{
    TOPOMAP_CLEANUP(cables_clear) struct cables cables = {0};
    int64_t torus = 0;

    if (views->routers && views->router_kind != 'a' &&
        db_number(views->file, "SELECT source FROM cray_router LIMIT 1", 0, &torus, err))
        return -1;
    return DB_STATUS(read_cables(views, &cables, err) ||
                     price_sorts(views->file, &cables, torus, err) ||
                     write_attached(views, &cables, err) || attach_cray(views, err) ||
                     write_trunks(views->file, &cables, err) ||
                     (torus && DB_RUN(views->file, price_torus, err, DB_INT(torus))));
}

/* ---- Planes ----------------------------------------------------------------------------- */

/* Connected components of switches. Hosts do not connect them: nothing is routed through a
 * host, so a cluster of two rails on switches of their own has two planes. */
static int write_planes(sqlite3 *file, const topomap_switches *s, const uint32_t *plane,
                        topomap_error *err)
{
    DB_STATEMENT *update = db_prepare(file, "UPDATE switch SET plane=? WHERE id=?", err);

    for (uint32_t i = 0; update && i < s->count; i++) {
        if (DB_PUT(update, err, DB_INT(plane[i] + INT64_C(1)), DB_INT(s->id[i])))
            return -1;
    }
    return update ? 0 : -1;
}

int db_views_planes(struct db_views *views, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_switches_clear) topomap_switches switches = {0};
    TOPOMAP_FREED uint32_t *plane = NULL;

    if (db_switches_load(views->file, 0, &switches, err) ||
        !(plane = topomap_alloc(switches.count, sizeof *plane, err)))
        return -1;
    topomap_switches_parts(&switches, NULL, plane);
    if (write_planes(views->file, &switches, plane, err))
        return -1;
    return db_execute(views->file,
                      "INSERT INTO fact SELECT 'planes', count(DISTINCT plane) FROM attach"
                      " JOIN switch ON switch.id = attach.switch",
                      err);
}
