/* SPDX-License-Identifier: BSD-3-Clause */
/* What the routing tables make of an allocation's host graph: at each switch the link towards each
 * node. */
#include <stdlib.h>
#include <string.h>

#include "fabric/infiniband.h"
#include "topology-db/query/query.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"

/* Where a node's traffic arrives. */
struct landing {
    uint32_t
        adapter; /* index of a fabric vertex (infiniband.h), or UINT32_MAX: no port has a LID */
    uint32_t lid;
};

struct work {
    struct db_links *links;
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

int db_links_route(struct db_links *links, topomap_error *err)
{
    struct work w = {.links = links, .routes = &links->routes};
    int result = route(&w, err);

    free(w.landing);
    free(w.table);
    free(w.met);
    return result;
}
