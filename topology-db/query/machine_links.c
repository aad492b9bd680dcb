/* SPDX-License-Identifier: BSD-3-Clause */
/* The host graph of an allocation: its nodes, and every switch that may route between them. */
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"

static int find_hosts(struct db_links *l, const topomap_names *names, topomap_error *err)
{
    struct db_finder finder;
    struct db_place place;
    int result = db_finder_open(l->db, &finder, err);

    if (result)
        return -1;
    for (uint32_t node = 0; !result && node < l->nodes; node++) {
        result = db_finder_find(&finder, names->name[node], &place, err);
        l->host[node] = result ? 0 : place.host;
    }
    db_finder_close(&finder);
    return result;
}

/* What a node hangs on: its adapters are the node; a Cray node is on its router without an adapter
 * between them. */
static int take_attached(struct db_links *l, uint32_t node, sqlite3_stmt *attached,
                         topomap_error *err)
{
    int64_t adapter = sqlite3_column_int64(attached, 0), sw = sqlite3_column_int64(attached, 1);

    if (adapter > 0 && adapter < l->ids)
        l->vertex[adapter] = node;
    if (adapter || sw < 0 || sw >= l->ids || l->vertex[sw] == DB_NOWHERE)
        return 0;
    return topomap_fabric_join(&l->fabric,
                               &(topomap_link){.a = node, .b = l->vertex[sw], .ends = 3}, err);
}

static int attach_nodes(struct db_links *l, topomap_error *err)
{
    sqlite3_stmt *attached =
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
    sqlite3_finalize(attached);
    return row;
}

/* Every vertex of the fabric has a number for what it is here. */
static int number_vertices(struct db_links *l, topomap_error *err)
{
    if (db_number(l->db->file, "SELECT max(id) + 1 FROM vertex", 0, &l->ids, err))
        return -1;
    l->vertex = topomap_alloc((size_t)l->ids, sizeof *l->vertex, err);
    if (!l->vertex)
        return -1;
    memset(l->vertex, 0xff, (size_t)l->ids * sizeof *l->vertex);
    return 0;
}

static int add_vertices(struct db_links *l, const topomap_names *names, topomap_error *err)
{
    struct db_rows rows;

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
            return db_stop(&rows);
    }
    return rows.result;
}

static int join(struct db_links *l, int64_t a, int64_t b, uint32_t mbps, topomap_error *err)
{
    topomap_link link = {.ends = 3, .rate = topomap_rate_of_mbps(mbps)};

    if (a < 0 || b < 0 || a >= l->ids || b >= l->ids || l->vertex[a] == DB_NOWHERE ||
        l->vertex[b] == DB_NOWHERE)
        return 0;
    link.a = l->vertex[a];
    link.b = l->vertex[b];
    return topomap_fabric_join(&l->fabric, &link, err);
}

static int read_cables(struct db_links *l, topomap_error *err)
{
    struct db_rows rows = db_ask(l->db->file,
                                 "SELECT a, b, link_mbps(width, speed, mbps) FROM link"
                                 " WHERE coalesce(state, 0) <> 1" /* IB_DOWN */
                                 " ORDER BY a, aport, b, bport",
                                 err);

    while (db_next(&rows))
        if (join(l, sqlite3_column_int64(rows.row, 0), sqlite3_column_int64(rows.row, 1),
                 (uint32_t)sqlite3_column_int64(rows.row, 2), err))
            return db_stop(&rows);
    return rows.result;
}

/* The routes need all cables too: they are read once. */
static int take_cables(struct db_links *l, topomap_error *err)
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

int topomap_db_routed(topomap_db *db, topomap_error *err)
{
    int64_t tables = 0;

    if (db->file && db_number(db->file, "SELECT EXISTS (SELECT 1 FROM lft)", 0, &tables, err))
        return -1;
    return tables > 0;
}

static int open_routes(struct db_links *l, topomap_error *err)
{
    l->routed = topomap_db_routed(l->db, err);
    if (l->routed <= 0)
        return l->routed;
    if (db_lft_load(l->db->file, &l->routes, err) == 0)
        return 0;
    l->routed = 0;
    return -1;
}

static int make(struct db_links *l, const topomap_names *names, topomap_error *err)
{
    l->host = topomap_alloc(l->nodes, sizeof *l->host, err);
    if (!l->host || find_hosts(l, names, err) || number_vertices(l, err) ||
        add_vertices(l, names, err) || attach_nodes(l, err))
        return -1;
    if (l->levels && l->unrated)
        return 0;
    if (open_routes(l, err) || (l->routed ? take_cables(l, err) : read_cables(l, err)))
        return -1;
    return topomap_network_of(&l->fabric, NULL, l->nodes + l->switches, l->nodes, &l->network,
                              err) ||
                   (l->routed && db_links_route(l, err))
               ? -1
               : 0;
}

static int take_background(struct db_links *l, const char *background, topomap_error *err)
{
    if (!l->network)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: background traffic needs a database with links", l->db->path);
    return strcmp(background, TOPOMAP_DB_MEASURED) == 0
               ? db_links_traffic(l, err)
               : topomap_network_background(l->network, background, err);
}

int topomap_db_machine_links(topomap_db *db, const topomap_db_allocation *given,
                             const char *background, topomap_machine *machine, topomap_error *err)
{
    topomap_db_allocation allocation;
    struct db_links l = {.db = db, .nodes = machine->nodes};
    int64_t switches = 0;
    char slurm[16];
    int result;

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
    result = db_number(db->file, "SELECT count(*) FROM switch", 0, &switches, err);
    /* Without switches it is a torus by coordinates, whose links are its grid's. */
    if (!result && switches)
        result = make(&l, allocation.nodes, err);
    if (!result && background && !(l.levels && l.unrated))
        result = take_background(&l, background, err);
    if (!result && l.network) {
        topomap_network_free(machine->network);
        machine->network = l.network;
        l.network = NULL;
    }
    topomap_network_free(l.network);
    if (l.routed > 0)
        db_lft_clear(&l.routes);
    free(l.host);
    free(l.vertex);
    topomap_fabric_clear(&l.fabric);
    return result;
}
