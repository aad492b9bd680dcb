/* SPDX-License-Identifier: BSD-3-Clause */
/* The host graph of an allocation: its nodes, and every switch that may route between them. */
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "topology-db/ib_names.h"
#include "topology-db/query/machine_build.h"
#include "topology-db/query/machine_links.h"
#include "topology-db/query/network.h"
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
        sqlite3_bind_int64(attached, 1, l->host[node]);
        while (row >= 0 && (row = db_step(attached, err)) > 0)
            if (take_attached(l, node, attached, err))
                row = -1;
        sqlite3_reset(attached);
    }
    sqlite3_finalize(attached);
    return row;
}

static int add_vertices(struct db_links *l, const topomap_names *names, topomap_error *err)
{
    struct db_rows labels;

    for (uint32_t node = 0; node < l->nodes; node++)
        if (topomap_fabric_add(&l->fabric, TOPOMAP_VERTEX_HOST, names->name[node], err))
            return -1;
    labels = db_ask(l->db->file, "SELECT label FROM switch ORDER BY id", err);
    while (db_next(&labels))
        if (topomap_fabric_add(&l->fabric, TOPOMAP_VERTEX_SWITCH,
                               (const char *)sqlite3_column_text(labels.row, 0), err))
            return db_stop(&labels);
    return labels.result;
}

static int number_vertices(struct db_links *l, topomap_error *err)
{
    if (db_number(l->db->file, "SELECT max(id) + 1 FROM vertex", 0, &l->ids, err))
        return -1;
    l->vertex = topomap_alloc((size_t)l->ids, sizeof *l->vertex, err);
    if (!l->vertex)
        return -1;
    memset(l->vertex, 0xff, (size_t)l->ids * sizeof *l->vertex);
    for (uint32_t i = 0; i < l->switches.count; i++)
        if (l->switches.id[i] >= 0 && l->switches.id[i] < l->ids)
            l->vertex[l->switches.id[i]] = l->nodes + i;
    return attach_nodes(l, err);
}

static int take_cable(struct db_links *l, sqlite3_stmt *links, topomap_error *err)
{
    int64_t a = sqlite3_column_int64(links, 0), b = sqlite3_column_int64(links, 1);
    topomap_link link = {.ends = 3};
    uint32_t mbps = sqlite3_column_type(links, 4) != SQLITE_NULL
                        ? (uint32_t)sqlite3_column_int64(links, 4)
                        : ib_mbps((uint32_t)sqlite3_column_int(links, 2),
                                  (uint32_t)sqlite3_column_int(links, 3));

    if (a < 0 || b < 0 || a >= l->ids || b >= l->ids || l->vertex[a] == DB_NOWHERE ||
        l->vertex[b] == DB_NOWHERE)
        return 0;
    link.rate = topomap_rate_of_mbps(mbps);
    link.a = l->vertex[a];
    link.b = l->vertex[b];
    return topomap_fabric_join(&l->fabric, &link, err);
}

static int read_cables(struct db_links *l, topomap_error *err)
{
    struct db_rows rows = db_ask(
        l->db->file,
        "SELECT a, b, width, speed, mbps FROM link WHERE coalesce(state, 0) <> 1" /* IB_DOWN */
        " ORDER BY a, aport, b, bport",
        err);

    while (db_next(&rows))
        if (take_cable(l, rows.row, err))
            return db_stop(&rows);
    return rows.result;
}

static int make(struct db_links *l, const topomap_names *names, topomap_error *err)
{
    l->host = topomap_alloc(l->nodes, sizeof *l->host, err);
    if (!l->host || find_hosts(l, names, err) || add_vertices(l, names, err) ||
        number_vertices(l, err) || read_cables(l, err))
        return -1;
    return topomap_network_of(&l->fabric, NULL, l->nodes + l->switches.count, l->nodes, &l->network,
                              err) ||
                   db_links_route(l, err)
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
    char slurm[16];
    int result;

    if (db_allocation_copy(&allocation, given, err))
        return -1;
    if (!db->file || allocation.nodes->count != machine->nodes)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the machine is not of this allocation");
    /* Slurm's topology file has switches, but no cables. */
    if (db_fact_text(db->file, "slurm", slurm, sizeof slurm, err))
        return -1;
    if (*slurm)
        return 0;
    result = db_switches_load(db->file, 0, &l.switches, err);
    /* Without switches it is a torus by coordinates, whose links are its grid's. */
    if (!result && l.switches.count)
        result = make(&l, allocation.nodes, err);
    if (!result && background)
        result = take_background(&l, background, err);
    if (!result && l.network) {
        topomap_network_free(machine->network);
        machine->network = l.network;
        l.network = NULL;
    }
    topomap_network_free(l.network);
    topomap_switches_clear(&l.switches);
    free(l.host);
    free(l.vertex);
    topomap_fabric_clear(&l.fabric);
    return result;
}
