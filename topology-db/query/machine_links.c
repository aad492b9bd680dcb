/* SPDX-License-Identifier: BSD-3-Clause */
/* The host graph of an allocation: its nodes, and every switch that may route between them. */
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/safe_text.h"
#include "topology-db/sql_functions.h"
#include "fabric/infiniband.h"
#include "topology-db/fabric/load.h"

/* Network vertices: the allocation's nodes, then all switches in the order of their ids. */
struct links {
    topomap_db *db;
    uint32_t nodes;
    uint32_t switches;
    int64_t *host;    /* [nodes] */
    uint32_t *vertex; /* [ids] of a fabric vertex, or DB_NOWHERE */
    int64_t ids;
    topomap_fabric fabric;
    topomap_network *network;
    topomap_lft_fabric routes; /* where routing tables were imported */
    int routed;
    int64_t levels; /* of links that only tell levels; their switches are none here */
    int unrated;    /* some node hangs on such switches alone */
};

static int find_hosts(struct links *l, const topomap_names *names, topomap_error *err)
{
    DB_FINDER finder = {0};
    struct db_place place;

    if (db_finder_open(l->db, &finder, err))
        return -1;
    for (uint32_t node = 0; node < l->nodes; node++) {
        if (db_finder_find(&finder, names->name[node], &place, err))
            return -1;
        l->host[node] = place.host;
    }
    return 0;
}

/* What a node hangs on: its adapters are the node; a Cray node is on its router without an adapter
 * between them. */
static int take_attached(struct links *l, uint32_t node, sqlite3_stmt *attached, topomap_error *err)
{
    int64_t adapter = sqlite3_column_int64(attached, 0), sw = sqlite3_column_int64(attached, 1);

    if (adapter > 0 && adapter < l->ids)
        l->vertex[adapter] = node;
    if (adapter || sw < 0 || sw >= l->ids || l->vertex[sw] == DB_NOWHERE)
        return 0;
    return topomap_fabric_join(&l->fabric,
                               &(topomap_link){.a = node, .b = l->vertex[sw], .ends = 3}, err);
}

static int attach_nodes(struct links *l, topomap_error *err)
{
    DB_STATEMENT *attached =
        db_prepare(l->db->file, "SELECT adapter, switch FROM attach WHERE host=?", err);
    int row = attached ? 0 : -1;

    for (uint32_t node = 0; row == 0 && node < l->nodes; node++) {
        int rated = 0;

        sqlite3_bind_int64(attached, 1, l->host[node]);
        while (row >= 0 && (row = db_step(attached, err)) > 0) {
            int64_t sw = sqlite3_column_int64(attached, 1);

            rated |= sw >= 0 && sw < l->ids && l->vertex[sw] != DB_NOWHERE;
            if (take_attached(l, node, attached, err))
                row = -1;
        }
        l->unrated |= !rated;
        sqlite3_reset(attached);
    }
    return row;
}

/* Every vertex of the fabric has a number for what it is here. */
static int number_vertices(struct links *l, topomap_error *err)
{
    if (db_number(l->db->file, "SELECT max(id) + 1 FROM vertex", 0, &l->ids, err))
        return -1;
    l->vertex = topomap_alloc((size_t)l->ids, sizeof *l->vertex, err);
    if (!l->vertex)
        return -1;
    memset(l->vertex, 0xff, (size_t)l->ids * sizeof *l->vertex);
    return 0;
}

static int add_vertices(struct links *l, const topomap_names *names, topomap_error *err)
{
    DB_ROWS rows = {0};

    for (uint32_t node = 0; node < l->nodes; node++)
        if (topomap_fabric_add(&l->fabric, TOPOMAP_VERTEX_HOST, names->name[node], err))
            return -1;
    rows = db_ask(l->db->file,
                  l->levels ? "SELECT id, label FROM switch WHERE id NOT IN " DB_LEVEL_ENDS
                              " ORDER BY id"
                            : "SELECT id, label FROM switch ORDER BY id",
                  err);
    while (db_next(&rows)) {
        int64_t id = sqlite3_column_int64(rows.row, 0);

        if (id >= 0 && id < l->ids)
            l->vertex[id] = l->nodes + l->switches;
        l->switches++;
        if (topomap_fabric_add(&l->fabric, TOPOMAP_VERTEX_SWITCH,
                               (const char *)sqlite3_column_text(rows.row, 1), err))
            return -1;
    }
    return rows.result;
}

static int join(struct links *l, int64_t a, int64_t b, uint32_t mbps, topomap_error *err)
{
    topomap_link link = {.ends = 3, .rate = topomap_rate_of_mbps(mbps)};

    if (a < 0 || b < 0 || a >= l->ids || b >= l->ids || l->vertex[a] == DB_NOWHERE ||
        l->vertex[b] == DB_NOWHERE)
        return 0;
    link.a = l->vertex[a];
    link.b = l->vertex[b];
    return topomap_fabric_join(&l->fabric, &link, err);
}

static int read_cables(struct links *l, topomap_error *err)
{
    DB_ROWS rows = db_ask(l->db->file,
                          "SELECT a, b, link_mbps(width, speed, mbps) FROM link"
                          " WHERE coalesce(state, 0) <> 1" /* IB_DOWN */
                          " ORDER BY a, aport, b, bport",
                          err);

    while (db_next(&rows))
        if (join(l, sqlite3_column_int64(rows.row, 0), sqlite3_column_int64(rows.row, 1),
                 (uint32_t)sqlite3_column_int64(rows.row, 2), err))
            return -1;
    return rows.result;
}

/* The routes need all cables too: they are read once. */
static int take_cables(struct links *l, topomap_error *err)
{
    const topomap_lft_fabric *r = &l->routes;

    for (uint32_t i = 0; i < r->cables; i++) {
        const topomap_cable *cable = &r->cable[i];

        if (cable->at < cable->peer &&
            join(l, r->vertex[cable->at].id, r->vertex[cable->peer].id, cable->mbps, err))
            return -1;
    }
    return 0;
}

int topomap_db_routing(topomap_db *db, enum topomap_db_routes *kind, char *name, size_t size,
                       topomap_error *err)
{
    int64_t tables = 0;

    *kind = TOPOMAP_DB_ROUTES_UNKNOWN;
    *name = 0;
    if (!db->file)
        return 0;
    if (db_fact_text(db->file, "routes_shared", name, size, err))
        return -1;
    if (*name)
        *kind = TOPOMAP_DB_ROUTES_SHARED;
    else if (db_fact_text(db->file, "routes_predicted", name, size, err) ||
             db_number(db->file, "SELECT EXISTS (SELECT 1 FROM lft)", 0, &tables, err))
        return -1;
    else if (*name || tables)
        *kind = *name ? TOPOMAP_DB_ROUTES_PREDICTED : TOPOMAP_DB_ROUTES_IMPORTED;
    topomap_safe_line(name, size);
    return 0;
}

int topomap_db_routed(topomap_db *db, topomap_error *err)
{
    enum topomap_db_routes kind;
    char name[8];

    if (topomap_db_routing(db, &kind, name, sizeof name, err))
        return -1;
    return kind == TOPOMAP_DB_ROUTES_IMPORTED || kind == TOPOMAP_DB_ROUTES_PREDICTED;
}

/* ---- Routes ----------------------------------------------------------------------------- */

/* What the routing tables make of it: at each switch the link towards each node. */

/* Where a node's traffic arrives. */
struct landing {
    uint32_t
        adapter; /* index of a fabric vertex (infiniband.h), or UINT32_MAX: no port has a LID */
    uint32_t lid;
};

struct work {
    struct links *links;
    topomap_lft_fabric *routes;
    struct landing *landing; /* [nodes] */
    uint32_t *table; /* [network vertices] of the fabric, or UINT32_MAX: no table, or taken */
    uint8_t *met;    /* [network vertices] of the ways to one node */
};

static int find_landings(struct work *w, topomap_error *err)
{
    DB_STATEMENT *ports =
        db_prepare(w->links->db->file,
                   "SELECT adapter, lid FROM attach JOIN port ON port.vertex = attach.adapter"
                   " AND port.number = attach.port WHERE host=? AND lid > 0"
                   " ORDER BY adapter, attach.port",
                   err);
    int row = ports ? 0 : -1;

    for (uint32_t node = 0; row >= 0 && node < w->links->nodes; node++) {
        struct landing *landing = &w->landing[node];

        landing->adapter = UINT32_MAX;
        sqlite3_bind_int64(ports, 1, w->links->host[node]);
        row = db_step(ports, err);
        if (row > 0)
            *landing = (struct landing){topomap_lft_find(w->routes, sqlite3_column_int64(ports, 0)),
                                        db_u32(ports, 1)};
        sqlite3_reset(ports);
    }
    return row < 0 ? -1 : 0;
}

/* Network vertex of a fabric vertex. */
static uint32_t place_of(const struct work *w, uint32_t fabric)
{
    int64_t id = w->routes->vertex[fabric].id;

    return id >= 0 && id < w->links->ids ? w->links->vertex[id] : DB_NOWHERE;
}

/* The link that the table of the switch \p at (of the fabric) takes towards a node. */
static uint32_t way_from(const struct work *w, uint32_t at, const struct landing *to)
{
    const topomap_lft *lft = &w->routes->lft[at];
    const topomap_cable *cable;
    uint32_t here = place_of(w, at), there;

    if (here == DB_NOWHERE || !lft->port || to->lid >= lft->lids || !lft->port[to->lid] ||
        lft->port[to->lid] == TOPOMAP_NO_PORT ||
        w->routes->vertex[at].subnet != w->routes->vertex[to->adapter].subnet)
        return UINT32_MAX;
    cable = topomap_lft_cable(w->routes, at, lft->port[to->lid]);
    there = cable ? place_of(w, cable->peer) : DB_NOWHERE;
    return there == DB_NOWHERE ? UINT32_MAX : topomap_network_link(w->links->network, here, there);
}

/* A table is unpacked where a way is the first to come by, for all nodes at once. */
static int take_table(struct work *w, uint32_t here, topomap_error *err)
{
    topomap_network *n = w->links->network;
    uint32_t at = w->table[here];

    if (at == UINT32_MAX)
        return 0;
    w->table[here] = UINT32_MAX;
    if (w->routes->read(w->routes, at, err))
        return -1;
    for (uint32_t node = 0; node < n->nodes; node++)
        if (w->landing[node].adapter != UINT32_MAX)
            n->next[(size_t)here * n->nodes + node] = way_from(w, at, &w->landing[node]);
    free(w->routes->lft[at].port);
    w->routes->lft[at].port = NULL;
    return 0;
}

/* From all switches that nodes are on; no way is walked twice. */
static int route_towards(struct work *w, uint32_t node, topomap_error *err)
{
    topomap_network *n = w->links->network;

    memset(w->met, 0, n->vertices);
    for (uint32_t from = 0; from < n->nodes; from++)
        for (uint32_t link = n->first[from]; link < n->first[from + 1]; link++)
            for (uint32_t at = n->head[link]; at >= n->nodes && !w->met[at];) {
                uint32_t next;

                w->met[at] = 1;
                if (take_table(w, at, err))
                    return -1;
                next = n->next[(size_t)at * n->nodes + node];
                if (next == UINT32_MAX)
                    break;
                at = n->head[next];
            }
    return 0;
}

static int find_tables(struct work *w, topomap_error *err)
{
    topomap_network *n = w->links->network;

    w->table = topomap_alloc(n->vertices, sizeof *w->table, err);
    w->met = topomap_alloc(n->vertices, 1, err);
    if (!w->table || !w->met)
        return -1;
    memset(w->table, 0xff, n->vertices * sizeof *w->table);
    for (uint32_t at = 0; at < w->routes->count; at++)
        if (w->routes->vertex[at].kind == IB_SWITCH && place_of(w, at) != DB_NOWHERE)
            w->table[place_of(w, at)] = at;
    return 0;
}

/* Hops from a switch to a node along the tables; UINT32_MAX: they do not lead there. */
static uint32_t hops_from(const topomap_network *n, uint32_t at, uint32_t node)
{
    for (uint32_t hops = 0; hops <= n->vertices; hops++) {
        uint32_t link;

        if (at == n->vertex_of[node])
            return hops;
        link = n->next[(size_t)at * n->nodes + node];
        if (at < n->nodes || link == UINT32_MAX) /* hosts do not route */
            return UINT32_MAX;
        at = n->head[link];
    }
    return UINT32_MAX;
}

static void route_hosts(const struct work *w)
{
    topomap_network *n = w->links->network;

    for (uint32_t from = 0; from < n->nodes; from++)
        for (uint32_t to = 0; to < n->nodes; to++) {
            uint32_t least = UINT32_MAX;

            for (uint32_t link = n->first[from]; from != to && link < n->first[from + 1]; link++) {
                uint32_t hops = hops_from(n, n->head[link], to);

                if (hops < least) {
                    least = hops;
                    n->next[(size_t)from * n->nodes + to] = link;
                }
            }
        }
}

static int route(struct work *w, topomap_error *err)
{
    topomap_network *n = w->links->network;
    size_t places = (size_t)n->vertices * n->nodes;

    if (n->nodes && places / n->nodes != n->vertices)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: routes");
    w->landing = topomap_alloc(n->nodes, sizeof *w->landing, err);
    if (!w->landing || find_landings(w, err))
        return -1;
    n->next = topomap_alloc(places, sizeof *n->next, err);
    if (!n->next)
        return -1;
    memset(n->next, 0xff, places * sizeof *n->next);
    if (find_tables(w, err))
        return -1;
    for (uint32_t node = 0; node < n->nodes; node++)
        if (route_towards(w, node, err))
            return -1;
    route_hosts(w);
    return 0;
}

/* Fills network->next from the routing tables, for the ways between the nodes. To a node with
 * several ports goes what the tables say of its first port with a LID, in the order of adapters and
 * ports. From a node it leaves by the port with the fewest hops, the first of equals. */
static int find_routes(struct links *links, topomap_error *err)
{
    struct work w = {.links = links, .routes = &links->routes};
    int result = route(&w, err);

    free(w.landing);
    free(w.table);
    free(w.met);
    return result;
}

/* ---- The links -------------------------------------------------------------------------- */

static int open_routes(struct links *l, topomap_error *err)
{
    l->routed = topomap_db_routed(l->db, err);
    if (l->routed <= 0)
        return l->routed;
    if (db_lft_load(l->db->file, &l->routes, err) == 0)
        return 0;
    l->routed = 0;
    return -1;
}

static int make(struct links *l, const topomap_names *names, topomap_error *err)
{
    l->host = topomap_alloc(l->nodes, sizeof *l->host, err);
    if (!l->host || find_hosts(l, names, err) || number_vertices(l, err) ||
        add_vertices(l, names, err) || attach_nodes(l, err))
        return -1;
    if (l->levels && l->unrated)
        return 0;
    if (open_routes(l, err) || (l->routed ? take_cables(l, err) : read_cables(l, err)))
        return -1;
    return DB_STATUS(
        topomap_network_of(&l->fabric, NULL, l->nodes + l->switches, l->nodes, &l->network, err) ||
        (l->routed && find_routes(l, err)));
}

/* ---- Measured traffic ------------------------------------------------------------------- */

/* Between the allocation's vertices; UINT32_MAX: of none. */
static uint32_t link_between(const struct links *l, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || a >= l->ids || b >= l->ids || l->vertex[a] == DB_NOWHERE ||
        l->vertex[b] == DB_NOWHERE)
        return UINT32_MAX;
    return topomap_network_link(l->network, l->vertex[a], l->vertex[b]);
}

static size_t add_flow(const struct links *l, sqlite3_stmt *flow, double *used)
{
    size_t known = 0;

    for (int back = 0; back < 2; back++) {
        uint32_t link =
            link_between(l, sqlite3_column_int64(flow, back), sqlite3_column_int64(flow, !back));
        double bytes = sqlite3_column_double(flow, 2 + back);

        if (link == UINT32_MAX || db_is_null(flow, 2 + back))
            continue;
        used[link] += bytes > 0 ? bytes : 0;
        known++;
    }
    return known;
}

/* Takes what ports were measured to carry (importer counters) off the network's links. Fails where
 * nothing was measured, or nothing of these links. */
static int take_traffic(struct links *l, topomap_error *err)
{
    DB_ROWS flows = {0};
    TOPOMAP_FREED double *used = NULL;
    size_t known = 0;

    if (strcmp(l->network->unit, "s") != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: measured traffic needs cables with rates", l->db->path);
    used = topomap_alloc(l->network->links, sizeof *used, err);
    if (!used)
        return -1;
    flows = db_ask_if(l->db->file, "traffic", DB_TRAFFIC "SELECT a, b, there, back FROM flow", err);
    while (db_next(&flows))
        known += add_flow(l, flows.row, used);
    if (flows.result)
        return -1;
    if (known)
        topomap_network_take(l->network, used);
    return known ? 0
                 : topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: it has no traffic of these links; measure it, and import "
                                     "it (topomap db import counters)",
                                     l->db->path);
}

/* ---- All -------------------------------------------------------------------------------- */

static int take_background(struct links *l, const char *background, topomap_error *err)
{
    if (!l->network)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: background traffic needs a database with links", l->db->path);
    return strcmp(background, TOPOMAP_DB_MEASURED) == 0
               ? take_traffic(l, err)
               : topomap_network_background(l->network, background, err);
}

static void links_clear(struct links *l)
{
    topomap_network_free(l->network);
    if (l->routed > 0)
        db_lft_clear(&l->routes);
    free(l->host);
    free(l->vertex);
    topomap_fabric_clear(&l->fabric);
}

int topomap_db_machine_links(topomap_db *db, const topomap_db_allocation *given,
                             const char *background, topomap_machine *machine, topomap_error *err)
{
    topomap_db_allocation allocation;
    TOPOMAP_CLEANUP(links_clear) struct links l = {.db = db, .nodes = machine->nodes};
    int64_t switches = 0;
    char slurm[16];

    if (db_allocation_copy(&allocation, given, err))
        return -1;
    if (!db->file || allocation.nodes->count != machine->nodes)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the machine is not of this allocation");
    /* Slurm's topology file has switches, but no cables. So have levels: where these hosts hang on
     * others, too, those have. */
    if (db_fact_text(db->file, "slurm", slurm, sizeof slurm, err) ||
        db_number(db->file, "SELECT EXISTS (SELECT 1 FROM link WHERE kind='" DB_LEVEL "')", 0,
                  &l.levels, err))
        return -1;
    if (*slurm)
        return 0;
    /* Without switches it is a torus by coordinates, whose links are its grid's. */
    if (db_number(db->file, "SELECT count(*) FROM switch", 0, &switches, err) ||
        (switches && make(&l, allocation.nodes, err)) ||
        (background && !(l.levels && l.unrated) && take_background(&l, background, err)))
        return -1;
    if (l.network) {
        topomap_network_free(machine->network);
        machine->network = l.network;
        l.network = NULL;
    }
    return 0;
}
