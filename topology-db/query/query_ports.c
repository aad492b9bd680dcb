/* SPDX-License-Identifier: BSD-3-Clause */
/* db show: the ports of a host's adapters, and those of adapters whose host is not known. */

#include "fabric/infiniband.h"
#include "topology-db/query/query.h"

enum column {
    VERTEX,
    GUID,
    TEXT,
    PORT,
    PORT_GUID,
    LID,
    STATE,
    SWITCH_PORT,
    WIDTH,
    SPEED,
    LABEL,
    PLANE
};

/* Each adapter's cables, and its ports that have none. */
static const char sql[] =
    "WITH mine(id, guid, text) AS (SELECT vertex.id, guid, text FROM adapter"
    "  JOIN vertex ON vertex.id = adapter.vertex"
    "  WHERE CASE ?1 WHEN 0 THEN host IS NULL ELSE host = ?1 END),"
    " cable(near, port, state, far, farport, width, speed) AS"
    " (SELECT a, aport, link.state, b, bport, width, speed FROM link JOIN mine ON a = mine.id"
    "  UNION ALL"
    "  SELECT b, bport, link.state, a, aport, width, speed FROM link JOIN mine ON b = mine.id"
    "  UNION ALL"
    "  SELECT vertex, number, state, NULL, NULL, NULL, NULL FROM port JOIN mine ON vertex = mine.id"
    "  WHERE state = 1)"
    " SELECT mine.id, mine.guid, text, cable.port, port.guid, port.lid, cable.state, farport, "
    "width,"
    "  speed, switch.label, plane"
    " FROM mine LEFT JOIN cable ON near = mine.id"
    " LEFT JOIN port ON port.vertex = mine.id AND port.number = cable.port"
    " LEFT JOIN switch ON switch.id = far"
    " ORDER BY mine.id, cable.port, farport IS NULL";

struct walk {
    int64_t vertex; /* of the row before */
    uint32_t port;  /* likewise */
    uint32_t rails; /* so far */
    struct {
        uint32_t plane, rail;
    } known[8]; /* of this adapter; more planes than it has ports there are not */
    size_t knowns;
};

static uint32_t find_rail(struct walk *walk, uint32_t plane)
{
    for (size_t i = 0; i < walk->knowns; i++)
        if (walk->known[i].plane == plane)
            return walk->known[i].rail;
    walk->rails++;
    if (walk->knowns < sizeof walk->known / sizeof *walk->known) {
        walk->known[walk->knowns].plane = plane;
        walk->known[walk->knowns++].rail = walk->rails;
    }
    return walk->rails;
}

static int show(struct walk *walk, sqlite3_stmt *row,
                int (*each)(const topomap_db_port *port, void *data), void *data)
{
    char adapter[64];
    uint32_t speed = db_u32(row, SPEED);
    topomap_db_port port = {
        .description = db_column_text(row, TEXT),
        .adapter = adapter,
        .guid = db_u64(row, GUID),
        .port_guid = db_u64(row, PORT_GUID),
        .port = db_u32(row, PORT),
        .lid = db_u32(row, LID),
        .plane = db_u32(row, PLANE),
        .switch_label = db_column_text(row, LABEL),
        .switch_port = db_u32(row, SWITCH_PORT),
        .width = db_u32(row, WIDTH),
        .speed = speed && speed <= IB_SPEEDS ? ib_speeds[speed].name : "",
        .state = db_u32(row, STATE) == IB_DOWN ? "down" : "up",
    };

    if (walk->vertex != sqlite3_column_int64(row, VERTEX))
        walk->knowns = 0;
    else if (walk->port == port.port && !*port.switch_label)
        return 0; /* listed as down too */
    walk->vertex = sqlite3_column_int64(row, VERTEX);
    walk->port = port.port;
    if (!port.port)
        port.state = "";
    if (!ib_adapter_name(port.description, adapter, sizeof adapter))
        *adapter = 0;
    if (port.plane && *port.state == 'u')
        port.rail = find_rail(walk, port.plane);
    return each(&port, data);
}

int topomap_db_ports(topomap_db *db, const char *node,
                     int (*each)(const topomap_db_port *port, void *data), void *data,
                     topomap_error *err)
{
    struct walk walk = {0};
    DB_ROWS rows = {0};
    int64_t id;

    if (db_host_id(db, node, &id, err))
        return -1;
    rows = DB_ASK(db->file, sql, err, DB_INT(id));
    while (db_next(&rows)) {
        int result = show(&walk, rows.row, each, data);

        if (result)
            return result;
    }
    return rows.result;
}
