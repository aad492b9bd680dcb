/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of what the networks' dumps say. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/cray.h"
#include "topology-db/costs.h"
#include "topology-db/derive/derive.h"
#include "topology-db/ib_names.h"
#include "util/alloc.h"
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

struct attached {
    int64_t host, adapter, port, sw;
    uint32_t hops, cost;
    uint32_t class; /* UINT32_MAX: the cost is there already */
};

struct cable {
    int64_t a, b;
    uint32_t class;
};

struct cables {
    uint8_t *is_switch; /* [ids] */
    int64_t ids;
    struct attached *attached;
    size_t attachments, attached_room;
    struct cable *cable;
    size_t cables, cable_room;
    struct db_link_classes classes;
    int64_t torus;        /* the source of a Gemini or SeaStar list; 0: none */
    uint64_t torus_usual; /* the rate that most of its pairs of routers have */
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
    struct db_rows rows;

    /* Switches, and routers and nodes of unknown type where they join switches. */
    if (db_execute(views->file,
                   "INSERT INTO switch(id, label) SELECT id, coalesce(label, text) FROM vertex"
                   " WHERE kind IN (0, 2, 4) ORDER BY id",
                   err) ||
        db_number(views->file, "SELECT max(id) + 1 FROM vertex", 0, &cables->ids, err))
        return -1;
    cables->is_switch = topomap_alloc((size_t)cables->ids, 1, err);
    if (!cables->is_switch)
        return -1;
    rows = db_ask(views->file, "SELECT id FROM switch", err);
    while (db_next(&rows))
        cables->is_switch[sqlite3_column_int64(rows.row, 0)] = 1;
    return rows.result;
}

static const struct db_adapter_host *find_adapter(const struct db_views *views, int64_t vertex)
{
    size_t low = topomap_sorted_rows(views->adapter, views->adapters, sizeof *views->adapter,
                                     offsetof(struct db_adapter_host, vertex), vertex);

    return low < views->adapters && views->adapter[low].vertex == vertex ? &views->adapter[low]
                                                                         : NULL;
}

static int take_attachment(struct db_views *views, struct cables *cables, int64_t adapter,
                           int64_t port, int64_t sw, struct db_link_class *class,
                           topomap_error *err)
{
    const struct db_adapter_host *found = find_adapter(views, adapter);

    if (!found)
        return 0; /* an aggregation engine */
    if (topomap_grow(&cables->attached, &cables->attached_room, cables->attachments + 1,
                     sizeof *cables->attached, err))
        return -1;
    class->others++;
    cables->attached[cables->attachments++] =
        (struct attached){found->host ? found->host->id : 0, adapter, port, sw, 1, 0, class->index};
    return 0;
}

/* Neighbouring rows are mostly of one class. */
static int find_class(struct cables *cables, sqlite3_stmt *links, struct db_link_class **last,
                      topomap_error *err)
{
    const char *kind = (const char *)sqlite3_column_text(links, 8);
    struct db_link_key key;

    memset(&key, 0, sizeof key);
    key.source = sqlite3_column_int64(links, 7);
    key.width = (uint32_t)sqlite3_column_int(links, 4);
    key.speed = (uint32_t)sqlite3_column_int(links, 5);
    key.mbps = (uint32_t)sqlite3_column_int64(links, 6);
    if (kind)
        strncpy(key.kind, kind, sizeof key.kind - 1);
    if (*last && memcmp(&(*last)->key, &key, sizeof key) == 0)
        return 0;
    return db_link_classes_find(&cables->classes, &key, last, err);
}

static int take_link(struct db_views *views, struct cables *cables, sqlite3_stmt *links,
                     struct db_link_class **class, topomap_error *err)
{
    int64_t a = sqlite3_column_int64(links, 0), b = sqlite3_column_int64(links, 2);

    if (a >= cables->ids || b >= cables->ids || a < 0 || b < 0 || a == b)
        return 0;
    if (find_class(cables, links, class, err))
        return -1;
    if (cables->is_switch[a] && cables->is_switch[b]) {
        if (topomap_grow(&cables->cable, &cables->cable_room, cables->cables + 1,
                         sizeof *cables->cable, err))
            return -1;
        (*class)->trunks++;
        cables->cable[cables->cables++] = (struct cable){a, b, (*class)->index};
        return 0;
    }
    if (cables->is_switch[b])
        return take_attachment(views, cables, a, sqlite3_column_int64(links, 1), b, *class, err);
    if (cables->is_switch[a])
        return take_attachment(views, cables, b, sqlite3_column_int64(links, 3), a, *class, err);
    return 0;
}

/* ---- Cray nodes on their routers ----------------------------------------------------------- */

struct router {
    int64_t cname, vertex;
};

static int by_cname(const void *a, const void *b)
{
    const struct router *x = a, *y = b;

    return x->cname < y->cname ? -1 : x->cname > y->cname;
}

static int read_routers(struct db_views *views, struct router **routers, size_t *count, char *kind,
                        topomap_error *err)
{
    struct db_rows rows = db_ask(views->file, "SELECT cname, vertex, kind FROM cray_router", err);
    size_t room = 0;

    while (db_next(&rows)) {
        if (topomap_grow(routers, &room, *count + 1, sizeof **routers, err))
            return db_stop(&rows);
        *kind = *(const char *)sqlite3_column_text(rows.row, 2);
        (*routers)[(*count)++] =
            (struct router){sqlite3_column_int64(rows.row, 0), sqlite3_column_int64(rows.row, 1)};
    }
    if (!rows.result && *count)
        qsort(*routers, *count, sizeof **routers, by_cname);
    return rows.result;
}

static int attach_cray(struct db_views *views, struct cables *cables, topomap_error *err)
{
    struct router *routers = NULL;
    size_t count = 0;
    char kind = 0;
    int result = read_routers(views, &routers, &count, &kind, err);

    for (struct db_host_row *host = views->hosts; !result && count && host; host = host->hh.next) {
        const struct router *found;
        struct router wanted = {.cname = cray_router_of(host->cname, kind)};

        if (host->cname < 0 ||
            !(found = bsearch(&wanted, routers, count, sizeof *routers, by_cname)))
            continue;
        result = topomap_grow(&cables->attached, &cables->attached_room, cables->attachments + 1,
                              sizeof *cables->attached, err);
        if (!result)
            cables->attached[cables->attachments++] = (struct attached){
                host->id, 0, 0, found->vertex, 0, views->router_cost / 2, UINT32_MAX};
    }
    free(routers);
    if (!result && kind && kind != 'a')
        result = db_number(views->file, "SELECT source FROM cray_router LIMIT 1", 0, &cables->torus,
                           err);
    return result;
}

/* ---- Views ------------------------------------------------------------------------------- */

static int write_attached(struct db_views *views, struct cables *cables, topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(views->file, "INSERT INTO attach VALUES(?,?,?,?,?,?)", err);
    int result = insert ? 0 : -1;

    if (cables->attachments)
        qsort(cables->attached, cables->attachments, sizeof *cables->attached, by_host);
    for (size_t i = 0; !result && i < cables->attachments; i++) {
        const struct attached *at = &cables->attached[i];

        result = DB_PUT(insert, err, DB_INT(at->host), DB_INT(at->adapter), DB_INT(at->port),
                        DB_INT(at->sw), DB_INT(at->hops),
                        DB_INT(at->class == UINT32_MAX
                                   ? at->cost
                                   : cables->classes.by_index[at->class]->cost +
                                         (views->router_measured ? views->router_cost / 2 : 0)));
    }
    sqlite3_finalize(insert);
    return result;
}

/* Cables of one pair of switches: cable[first .. end). */
struct pair {
    size_t first, end;
    uint64_t mbps;
    uint32_t cost;
};

/* A message takes one cable: what its class costs, or their mean. In a Cray torus packets spread
 * over the parallel links of a pair: the pair's whole rate counts, against the usual pair's. */
static void sum_pair(const struct cables *cables, size_t first, struct pair *pair)
{
    uint64_t cost = 0;

    *pair = (struct pair){.first = first, .end = first};
    while (pair->end < cables->cables &&
           by_ends(&cables->cable[first], &cables->cable[pair->end]) == 0) {
        const struct db_link_class *class =
            cables->classes.by_index[cables->cable[pair->end++].class];

        pair->mbps += class->mbps;
        cost += class->cost;
        if (class->key.source == cables->torus && !class->measured)
            cost = UINT64_MAX / 2;
    }
    pair->cost = cost >= UINT64_MAX / 4 ? db_cost_of_rate(cables->torus_usual, pair->mbps)
                                        : (uint32_t)(cost / (pair->end - first));
}

static int by_rate(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The rate that most pairs of routers have together. */
static int find_usual(struct cables *cables, topomap_error *err)
{
    uint64_t *rate;
    size_t count = 0, best = 0, end;
    struct pair pair;

    if (!cables->torus)
        return 0;
    rate = topomap_alloc(cables->cables, sizeof *rate, err);
    if (!rate)
        return -1;
    for (size_t i = 0; i < cables->cables; i = pair.end) {
        sum_pair(cables, i, &pair);
        if (cables->classes.by_index[cables->cable[i].class]->key.source == cables->torus)
            rate[count++] = pair.mbps;
    }
    qsort(rate, count, sizeof *rate, by_rate);
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && rate[end] == rate[i]; end++)
            ;
        if (end - i >= best) {
            best = end - i;
            cables->torus_usual = rate[i];
        }
    }
    free(rate);
    return 0;
}

static int write_trunks(struct db_views *views, struct cables *cables, topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(views->file, "INSERT INTO trunk VALUES(?,?,?,?,?)", err);
    int result = insert ? 0 : -1;
    struct pair pair;

    if (cables->cables)
        qsort(cables->cable, cables->cables, sizeof *cables->cable, by_ends);
    if (!result)
        result = find_usual(cables, err);
    for (size_t i = 0; !result && i < cables->cables; i = pair.end) {
        sum_pair(cables, i, &pair);
        result = DB_PUT(insert, err, DB_INT(cables->cable[i].a), DB_INT(cables->cable[i].b),
                        DB_INT(pair.end - i), DB_INT(pair.mbps), DB_INT(pair.cost));
    }
    sqlite3_finalize(insert);
    return result;
}

int db_views_links(struct db_views *views, topomap_error *err)
{
    struct cables cables = {0};
    struct db_link_class *class = NULL;
    int row = read_switches(views, &cables, err);

    if (!row) {
        struct db_rows links =
            db_ask(views->file,
                   "SELECT a, aport, b, bport, width, speed, mbps, source, kind FROM link"
                   " WHERE coalesce(state, 0) <> 1", /* IB_DOWN */
                   err);

        while (!row && db_next(&links))
            row = take_link(views, &cables, links.row, &class, err);
        db_end(&links);
        row = row || links.result ? -1 : 0;
    }
    if (!row)
        row = db_link_classes_price(&cables.classes, views->file, err) ||
                      attach_cray(views, &cables, err) || write_attached(views, &cables, err) ||
                      write_trunks(views, &cables, err)
                  ? -1
                  : 0;
    db_link_classes_clear(&cables.classes);
    free(cables.is_switch);
    free(cables.attached);
    free(cables.cable);
    return row;
}
