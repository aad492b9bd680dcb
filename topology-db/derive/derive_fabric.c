/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of what the networks' dumps say. */
#include <string.h>

#include "topology-db/costs.h"
#include "topology-db/derive/derive.h"
#include "topology-db/ib_names.h"
#include "util/alloc.h"

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
    port->guid = row > 0 ? (uint64_t)sqlite3_column_int64(ports, 1) : 0;
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
    uint64_t node = (uint64_t)sqlite3_column_int64(adapters, 1);
    uint64_t system = (uint64_t)sqlite3_column_int64(adapters, 2);
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
    if (topomap_grow(&views->adapter, &views->adapter_room, views->adapters + 1,
                     sizeof *views->adapter, err))
        return -1;
    views->adapter[views->adapters++] = (struct db_adapter_host){vertex, host};
    return 0;
}

/* A host that its source names: it is its own adapter. */
static int take_named(struct db_views *views, sqlite3_stmt *adapters, topomap_error *err)
{
    const char *text = (const char *)sqlite3_column_text(adapters, 3);
    const char *name = db_views_mapped(views, text);
    struct db_host_row *host = db_views_host(views, name, name == text ? NULL : text, err);

    if (!host)
        return -1;
    host->fabric = 1;
    return keep_adapter(views, sqlite3_column_int64(adapters, 0), host, err);
}

static int take_adapter(struct db_views *views, sqlite3_stmt *adapters, struct port_names *ports,
                        topomap_error *err)
{
    char original[DB_KEY];
    const char *name = name_adapter(views, adapters, ports, original);
    struct db_host_row *host = NULL;

    if (name) {
        host = db_views_host(views, name, *original ? original : NULL, err);
        if (!host)
            return -1;
        host->fabric = 1;
    }
    return keep_adapter(views, sqlite3_column_int64(adapters, 0), host, err);
}

int db_views_adapters(struct db_views *views, topomap_error *err)
{
    sqlite3_stmt *adapters = db_prepare(
        views->file,
        "SELECT id, guid, system, text, kind FROM vertex WHERE kind IN (1, 5) ORDER BY id", err);
    sqlite3_stmt *ports =
        db_prepare(views->file, "SELECT vertex, guid FROM port ORDER BY vertex, number", err);
    struct port_guid port = {INT64_MAX, 0};
    int row = -1;

    if (adapters && ports &&
        (!(views->alias_guid || views->nics) || next_port(ports, &port, err) == 0))
        while ((row = db_step(adapters, err)) > 0) {
            int64_t vertex = sqlite3_column_int64(adapters, 0);
            struct port_names names = {0};
            int result = 0;

            for (; !result && port.vertex <= vertex && port.vertex != INT64_MAX;
                 result = next_port(ports, &port, err))
                if (port.vertex == vertex)
                    take_port(views, port.guid, &names);
            if (!result)
                result = sqlite3_column_int(adapters, 4) == IB_HOST
                             ? take_named(views, adapters, err)
                             : take_adapter(views, adapters, &names, err);
            if (result) {
                row = -1;
                break;
            }
        }
    sqlite3_finalize(adapters);
    sqlite3_finalize(ports);
    return row;
}

/* ---- Links ------------------------------------------------------------------------------- */

/* Switches are routers and nodes of unknown type, too, where they join switches. Cables are those
 * between two switches, whose host is NULL, and those of adapters, whose host may be 0: not known;
 * aggregation engines are not among these. Sorts of cables are few: what they are and cost is
 * worked out once for each. */
static const char make_cables[] =
    "INSERT INTO switch(id, label) SELECT id, coalesce(label, text) FROM vertex"
    " WHERE kind IN (0, 2, 4) ORDER BY id;"
    "CREATE TEMP TABLE cable_sort AS SELECT *, link_mbps(width, speed, mbps) AS rate,"
    " link_class(width, speed, mbps, kind) AS class FROM"
    " (SELECT DISTINCT source, width, speed, mbps, kind FROM link WHERE coalesce(state, 0) <> 1);"
    "CREATE TEMP TABLE cable AS SELECT"
    "  CASE WHEN s.id IS NULL OR t.id IS NULL THEN coalesce(h.host, 0) END AS host,"
    "  CASE WHEN t.id IS NULL THEN b ELSE a END AS a,"
    "  CASE WHEN s.id IS NULL THEN aport WHEN t.id IS NULL THEN bport END AS port,"
    "  CASE WHEN t.id IS NULL THEN a ELSE b END AS b, sort.rowid AS number FROM link"
    " JOIN cable_sort sort ON sort.source = link.source AND sort.width IS link.width AND"
    "  sort.speed IS link.speed AND sort.mbps IS link.mbps AND sort.kind IS link.kind"
    " LEFT JOIN switch s ON s.id = a LEFT JOIN switch t ON t.id = b"
    " LEFT JOIN adapter h ON vertex = CASE WHEN s.id IS NULL THEN a WHEN t.id IS NULL THEN b END"
    " WHERE coalesce(state, 0) <> 1 AND CASE WHEN s.id IS NULL OR t.id IS NULL" /* IB_DOWN */
    "  THEN vertex AND (s.id IS NOT NULL OR t.id IS NOT NULL) ELSE a <> b END;"
    /* By costs.h: the reference of a source, and what a calibration measured in place of it. */
    "CREATE TEMP TABLE price(number INTEGER PRIMARY KEY, source, mbps, measured, cost);"
    "INSERT INTO price WITH used AS (SELECT number, sum(host IS NULL) AS trunks,"
    "  sum(host IS NOT NULL) AS others FROM cable GROUP BY number),"
    " each AS (SELECT source, rate, sum(trunks) AS trunks, sum(others) AS others FROM used"
    "  JOIN cable_sort ON cable_sort.rowid = number WHERE rate GROUP BY source, rate),"
    " reference AS (SELECT source, rate AS usual, row_number() OVER (PARTITION BY source ORDER BY"
    "  trunks DESC, CASE WHEN trunks THEN 0 ELSE others END DESC, rate DESC) AS place FROM each)"
    " SELECT sort.rowid, sort.source, rate, level IS NOT NULL,"
    "  CASE WHEN level IS NULL THEN link_cost(usual, rate) ELSE " DB_COST_MEASURED " END"
    " FROM cable_sort sort LEFT JOIN"
    "  (SELECT source, usual FROM reference WHERE place = 1) USING(source)"
    " LEFT JOIN calibration ON level = 'hop:' || class;";

static const char write_attached[] =
    "INSERT INTO attach SELECT host, a, port, b, 1, cost + ? FROM cable JOIN price USING(number)"
    " WHERE host IS NOT NULL ORDER BY 1, 2, 3";

/* A message takes one cable of a pair: what its class costs, or their mean. In a Cray torus packets
 * spread over the parallel links of a pair: the pair's whole rate counts, against the one that most
 * pairs of its routers have, of two the higher. */
static const char write_trunks[] =
    "WITH pair AS (SELECT a, b, source, count(*) AS links, sum(mbps) AS mbps,"
    "  sum(cost) / count(*) AS cost, max(source = ?1 AND NOT measured) AS spread FROM cable"
    "  JOIN price USING(number) WHERE host IS NULL GROUP BY a, b)"
    " INSERT INTO trunk SELECT a, b, links, mbps, CASE WHEN spread THEN link_cost("
    "  (SELECT mbps FROM pair WHERE source = ?1 GROUP BY mbps ORDER BY count(*) DESC, mbps DESC"
    "   LIMIT 1), mbps) ELSE cost END FROM pair";

static int run(sqlite3 *file, const char *sql, int64_t value, topomap_error *err)
{
    struct db_rows rows = DB_ASK(file, sql, err, DB_INT(value));

    db_next(&rows); /* which there is none of */
    return rows.result;
}

/* Cray nodes on their routers. */
static int attach_cray(struct db_views *views, topomap_error *err)
{
    sqlite3_stmt *insert =
        db_prepare(views->file, "INSERT INTO attach VALUES(?, 0, 0, ?, 0, ?)", err);
    int result = insert ? 0 : -1;

    for (struct db_host_row *host = views->hosts; !result && host; host = host->hh.next) {
        const struct db_router *router = db_views_router(views, host);

        if (router)
            result = DB_PUT(insert, err, DB_INT(host->id), DB_INT(router->vertex),
                            DB_INT(views->router_cost / 2));
    }
    sqlite3_finalize(insert);
    return result;
}

int db_views_links(struct db_views *views, topomap_error *err)
{
    int64_t torus = 0;

    if (views->routers && views->router_kind != 'a' &&
        db_number(views->file, "SELECT source FROM cray_router LIMIT 1", 0, &torus, err))
        return -1;
    return db_execute(views->file, make_cables, err) ||
                   run(views->file, write_attached,
                       views->router_measured ? views->router_cost / 2 : 0, err) ||
                   attach_cray(views, err) || run(views->file, write_trunks, torus, err) ||
                   db_execute(views->file,
                              "DROP TABLE cable; DROP TABLE cable_sort; DROP TABLE price;", err)
               ? -1
               : 0;
}
