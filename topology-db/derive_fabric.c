/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of what the networks' dumps say. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/cray.h"
#include "topology-db/derive.h"
#include "topology-db/ib.h"
#include "util/alloc.h"

/* ---- Cray -------------------------------------------------------------------------------- */

static void copy_column(sqlite3_stmt *statement, int column, char *text, size_t size)
{
    const char *value = (const char *)sqlite3_column_text(statement, column);

    if (!*text && value)
        snprintf(text, size, "%s", value);
}

/* One row of either table: nid, cname, status, type[, x, y, z]. What came first stays, and
 * xtprocadmin, which knows the nodes' present state, comes first. */
static int take_cray(struct db_views *views, sqlite3_stmt *statement, int coordinates,
                     topomap_error *err)
{
    struct db_host_row *host;
    struct cray_name cname;
    char nid[DB_KEY], place[DB_KEY];
    const char *name;

    /* Slurm's names on XT, XE and XC: nid%05d of the decimal NID. */
    snprintf(nid, sizeof nid, "nid%05lld", (long long)sqlite3_column_int64(statement, 0));
    name = db_views_mapped(views, nid);
    if (name == nid && views->alias_key) {
        cray_name_unpack(sqlite3_column_int64(statement, 1), &cname);
        cray_name_format(&cname, place);
        name = db_views_mapped(views, place);
        if (name == place)
            name = nid;
    }
    host = db_views_host(views, name, name == nid ? NULL : nid, err);
    if (!host)
        return -1;
    host->fabric = 1;
    copy_column(statement, 2, host->status, sizeof host->status);
    copy_column(statement, 3, host->type, sizeof host->type);
    for (int axis = 0; coordinates && axis < 3; axis++)
        host->coordinate[axis] = sqlite3_column_int(statement, 4 + axis);
    return 0;
}

int db_views_cray(struct db_views *views, topomap_error *err)
{
    static const char *const queries[] = {
        "SELECT nid, cname, status, type FROM cray_admin ORDER BY nid",
        "SELECT nid, cname, status, type, x, y, z FROM cray_proc ORDER BY nid",
    };
    int row = 0;

    for (int i = 0; row >= 0 && i < 2; i++) {
        sqlite3_stmt *statement = db_prepare(views->file, queries[i], err);

        if (!statement)
            return -1;
        while ((row = db_step(statement, err)) > 0)
            if (take_cray(views, statement, i == 1, err)) {
                row = -1;
                break;
            }
        sqlite3_finalize(statement);
    }
    return row;
}

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
    if (topomap_grow(&views->adapter, &views->adapter_room, views->adapters + 1,
                     sizeof *views->adapter, err))
        return -1;
    views->adapter[views->adapters++] =
        (struct db_adapter_host){sqlite3_column_int64(adapters, 0), host};
    return 0;
}

int db_views_adapters(struct db_views *views, topomap_error *err)
{
    sqlite3_stmt *adapters = db_prepare(
        views->file, "SELECT id, guid, system, text FROM vertex WHERE kind=1 ORDER BY id", err);
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
            if (result || take_adapter(views, adapters, &names, err)) {
                row = -1;
                break;
            }
        }
    sqlite3_finalize(adapters);
    sqlite3_finalize(ports);
    return row;
}

/* ---- Links ------------------------------------------------------------------------------- */

struct attached {
    int64_t host, adapter, port, sw;
};

struct cable {
    int64_t a, b;
    uint64_t mbps;
};

struct cables {
    uint8_t *is_switch; /* [ids] */
    int64_t ids;
    struct attached *attached;
    size_t attachments, attached_room;
    struct cable *cable;
    size_t cables, cable_room;
};

static int by_host(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int by_ends(const void *a, const void *b)
{
    const struct cable *x = a, *y = b;

    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int read_switches(struct db_views *views, struct cables *cables, topomap_error *err)
{
    sqlite3_stmt *statement;
    int row;

    /* Switches, and routers and nodes of unknown type where they join switches. */
    if (db_execute(views->file,
                   "INSERT INTO switch(id, label) SELECT id, coalesce(label, text) FROM vertex"
                   " WHERE kind IN (0, 2, 4) ORDER BY id",
                   err) ||
        db_number(views->file, "SELECT max(id) + 1 FROM vertex", 0, &cables->ids, err))
        return -1;
    cables->is_switch = topomap_alloc((size_t)cables->ids, 1, err);
    statement = db_prepare(views->file, "SELECT id FROM switch", err);
    if (!statement || !cables->is_switch) {
        sqlite3_finalize(statement);
        return -1;
    }
    while ((row = db_step(statement, err)) > 0)
        cables->is_switch[sqlite3_column_int64(statement, 0)] = 1;
    sqlite3_finalize(statement);
    return row;
}

static const struct db_adapter_host *find_adapter(const struct db_views *views, int64_t vertex)
{
    size_t low = 0, high = views->adapters;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (views->adapter[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < views->adapters && views->adapter[low].vertex == vertex ? &views->adapter[low]
                                                                         : NULL;
}

static int take_attachment(struct db_views *views, struct cables *cables, int64_t adapter,
                           int64_t port, int64_t sw, topomap_error *err)
{
    const struct db_adapter_host *found = find_adapter(views, adapter);

    if (!found)
        return 0; /* an aggregation engine */
    if (topomap_grow(&cables->attached, &cables->attached_room, cables->attachments + 1,
                     sizeof *cables->attached, err))
        return -1;
    cables->attached[cables->attachments++] =
        (struct attached){found->host ? found->host->id : 0, adapter, port, sw};
    return 0;
}

static int take_link(struct db_views *views, struct cables *cables, sqlite3_stmt *links,
                     topomap_error *err)
{
    int64_t a = sqlite3_column_int64(links, 0), b = sqlite3_column_int64(links, 2);

    if (a >= cables->ids || b >= cables->ids || a < 0 || b < 0 || a == b)
        return 0;
    if (cables->is_switch[a] && cables->is_switch[b]) {
        uint32_t mbps = sqlite3_column_type(links, 6) != SQLITE_NULL
                            ? (uint32_t)sqlite3_column_int64(links, 6)
                            : ib_mbps((uint32_t)sqlite3_column_int(links, 4),
                                      (uint32_t)sqlite3_column_int(links, 5));

        if (topomap_grow(&cables->cable, &cables->cable_room, cables->cables + 1,
                         sizeof *cables->cable, err))
            return -1;
        cables->cable[cables->cables++] = (struct cable){a, b, mbps};
        return 0;
    }
    if (cables->is_switch[b])
        return take_attachment(views, cables, a, sqlite3_column_int64(links, 1), b, err);
    if (cables->is_switch[a])
        return take_attachment(views, cables, b, sqlite3_column_int64(links, 3), a, err);
    return 0;
}

static int write_attached(struct db_views *views, struct cables *cables, topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(views->file, "INSERT INTO attach VALUES(?,?,?,?)", err);
    int result = insert ? 0 : -1;

    if (cables->attachments)
        qsort(cables->attached, cables->attachments, sizeof *cables->attached, by_host);
    for (size_t i = 0; !result && i < cables->attachments; i++) {
        sqlite3_bind_int64(insert, 1, cables->attached[i].host);
        sqlite3_bind_int64(insert, 2, cables->attached[i].adapter);
        sqlite3_bind_int64(insert, 3, cables->attached[i].port);
        sqlite3_bind_int64(insert, 4, cables->attached[i].sw);
        result = db_insert(insert, err);
    }
    sqlite3_finalize(insert);
    return result;
}

static int write_trunks(struct db_views *views, struct cables *cables, topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(views->file, "INSERT INTO trunk VALUES(?,?,?,?)", err);
    int result = insert ? 0 : -1;
    size_t end;

    if (cables->cables)
        qsort(cables->cable, cables->cables, sizeof *cables->cable, by_ends);
    for (size_t i = 0; !result && i < cables->cables; i = end) {
        uint64_t mbps = 0;

        for (end = i; end < cables->cables && by_ends(&cables->cable[i], &cables->cable[end]) == 0;
             end++)
            mbps += cables->cable[end].mbps;
        sqlite3_bind_int64(insert, 1, cables->cable[i].a);
        sqlite3_bind_int64(insert, 2, cables->cable[i].b);
        sqlite3_bind_int64(insert, 3, (int64_t)(end - i));
        sqlite3_bind_int64(insert, 4, (int64_t)mbps);
        result = db_insert(insert, err);
    }
    sqlite3_finalize(insert);
    return result;
}

int db_views_links(struct db_views *views, topomap_error *err)
{
    struct cables cables = {0};
    sqlite3_stmt *links;
    int row = read_switches(views, &cables, err);

    if (!row) {
        links = db_prepare(views->file,
                           "SELECT a, aport, b, bport, width, speed, mbps FROM link"
                           " WHERE coalesce(state, 0) <> 1", /* IB_DOWN */
                           err);
        row = -1;
        while (links && (row = db_step(links, err)) > 0)
            if (take_link(views, &cables, links, err)) {
                row = -1;
                break;
            }
        sqlite3_finalize(links);
    }
    if (!row)
        row = write_attached(views, &cables, err) || write_trunks(views, &cables, err) ? -1 : 0;
    free(cables.is_switch);
    free(cables.attached);
    free(cables.cable);
    return row;
}
