/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of an allocation. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "topology-db/grid.h"
#include "topology-db/inside.h"
#include "topology-db/network.h"
#include "util/alloc.h"

enum { SITES_MOST = 16384 }; /* a matrix of 1.5 GiB; more than any fabric has leaf switches */
#define NOWHERE UINT32_MAX

/* What nodes hang on: a set of switches, or a Cray router. */
struct site {
    void *key; /* indices of switches, or three coordinates */
    size_t length;
    uint32_t index;
    UT_hash_handle hh;
};

struct build {
    topomap_db *db;
    const topomap_db_allocation *allocation;
    uint32_t nodes;
    struct db_place *place;
    size_t placed, hanging; /* nodes with coordinates, nodes with switches */
    struct db_network network;
    struct db_switches switches;
    struct site *sites;
    struct site **by_index; /* [number of sites] */
    uint32_t *site_of;      /* [nodes] */
    float *cost;
    uint16_t *hops;
    topomap_machine *machine;
};

static void build_clear(struct build *b)
{
    struct site *site, *next;

    HASH_ITER(hh, b->sites, site, next)
    {
        HASH_DELETE(hh, b->sites, site);
        free(site->key);
        free(site);
    }
    db_switches_clear(&b->switches);
    free(b->by_index);
    free(b->site_of);
    free(b->cost);
    free(b->hops);
    free(b->place);
    topomap_machine_free(b->machine);
}

/* ---- Sites ------------------------------------------------------------------------------- */

/* The site with this key, made where it is new. */
static int find_site(struct build *b, const void *key, size_t length, uint32_t *index,
                     topomap_error *err)
{
    struct site *site;

    HASH_FIND(hh, b->sites, key, length, site);
    if (!site) {
        if (HASH_COUNT(b->sites) == SITES_MOST)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "the allocation's nodes hang on more than %d switches",
                                     SITES_MOST);
        site = topomap_alloc(1, sizeof *site, err);
        if (!site)
            return -1;
        site->key = topomap_alloc(length, 1, err);
        if (!site->key) {
            free(site);
            return -1;
        }
        memcpy(site->key, key, length);
        site->length = length;
        site->index = HASH_COUNT(b->sites);
        HASH_ADD_KEYPTR(hh, b->sites, site->key, length, site);
    }
    *index = site->index;
    return 0;
}

static int make_matrix(struct build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);

    b->by_index = topomap_alloc(sites, sizeof *b->by_index, err);
    b->cost = topomap_alloc(sites * sites, sizeof *b->cost, err);
    b->hops = topomap_alloc(sites * sites, sizeof *b->hops, err);
    if (!b->by_index || !b->cost || !b->hops)
        return -1;
    for (struct site *site = b->sites; site; site = site->hh.next)
        b->by_index[site->index] = site;
    return 0;
}

static int set_matrix(struct build *b, double base, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);

    for (size_t i = 0; i < sites * sites; i++)
        b->cost[i] = (float)(base + DB_HOP_COST * b->hops[i]);
    return topomap_machine_set_matrix(b->machine, "fabric", (uint32_t)sites, b->site_of, b->cost,
                                      b->hops, err);
}

/* ---- InfiniBand -------------------------------------------------------------------------- */

/* Each node's switches as indices; nodes on the same set of switches are one site. */
static int find_switch_sites(struct build *b, struct db_finder *finder, topomap_error *err)
{
    int64_t *ids = NULL;
    uint32_t *key = NULL;
    size_t id_room = 0, key_room = 0, count;
    int result = 0;

    for (uint32_t node = 0; !result && node < b->nodes; node++) {
        result = db_finder_switches(finder, b->place[node].host, &ids, &id_room, &count, err);
        if (!result)
            result = topomap_grow(&key, &key_room, count, sizeof *key, err);
        for (size_t i = 0; !result && i < count; i++) {
            key[i] = db_switches_find(&b->switches, ids[i]);
            if (key[i] == UINT32_MAX)
                result = topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a switch is missing",
                                           b->db->path);
        }
        b->hanging += count > 0;
        b->site_of[node] = NOWHERE;
        if (!result && count)
            result = find_site(b, key, count * sizeof *key, &b->site_of[node], err);
    }
    free(ids);
    free(key);
    return result;
}

static uint16_t nearest(const struct site *site, const uint16_t *hops)
{
    const uint32_t *at = site->key;
    uint16_t best = DB_FAR;

    for (size_t i = 0; i < site->length / sizeof *at; i++)
        if (hops[at[i]] < best)
            best = hops[at[i]];
    return best;
}

/* Two hosts are as far as the nearest two of their switches: a rail each where they share rails.
 * Pairs without a path (a dump that is not complete) are put 2 hops beyond the farthest pair. */
static int fill_switch_hops(struct build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);
    uint16_t *hops = topomap_alloc(b->switches.count, sizeof *hops, err), most = 2;

    if (!hops)
        return -1;
    for (size_t i = 0; i < sites; i++) {
        db_switches_spread(&b->switches, b->by_index[i]->key,
                           b->by_index[i]->length / sizeof(uint32_t), hops);
        for (size_t j = 0; j < sites; j++) {
            uint16_t near = nearest(b->by_index[j], hops);

            b->hops[i * sites + j] = near >= DB_FAR - 2 ? DB_FAR : (uint16_t)(near + 2);
            if (b->hops[i * sites + j] != DB_FAR && b->hops[i * sites + j] > most)
                most = b->hops[i * sites + j];
        }
    }
    free(hops);
    for (size_t i = 0; i < sites * sites; i++)
        if (b->hops[i] == DB_FAR)
            b->hops[i] = (uint16_t)(most + 2);
    return 0;
}

/* Where the switches are a torus, and every distance that the links (or routes) gave is the torus's
 * own, coordinates say the same and more: algorithms use them. */
static int try_switch_torus(struct build *b, int *fits, topomap_error *err)
{
    struct db_grid grid;
    size_t sites = HASH_COUNT(b->sites);
    uint16_t *coordinate = NULL;
    int result = db_grid_load(b->db->file, &b->switches, &grid, err);

    *fits = !result && grid.dims > 0;
    for (size_t i = 0; *fits && i < sites; i++)
        *fits = b->by_index[i]->length == sizeof(uint32_t) &&
                db_grid_place(&grid, *(const uint32_t *)b->by_index[i]->key) != NULL;
    for (size_t i = 0; *fits && i < sites; i++)
        for (size_t j = 0; *fits && j < sites; j++)
            *fits = b->hops[i * sites + j] ==
                    DB_ENDS_HOPS + db_grid_hops(&grid, *(const uint32_t *)b->by_index[i]->key,
                                                *(const uint32_t *)b->by_index[j]->key);
    if (*fits) {
        coordinate = topomap_alloc((size_t)b->nodes * grid.dims, sizeof *coordinate, err);
        result = coordinate ? 0 : -1;
        for (uint32_t node = 0; !result && node < b->nodes; node++)
            memcpy(coordinate + (size_t)node * grid.dims,
                   db_grid_place(&grid, *(const uint32_t *)b->by_index[b->site_of[node]]->key),
                   grid.dims * sizeof *coordinate);
        if (!result)
            result = topomap_machine_set_torus(b->machine, grid.dims, grid.dim, grid.wrap,
                                               coordinate, DB_ENDS_HOPS * DB_HOP_COST, DB_HOP_COST,
                                               DB_ENDS_HOPS, err);
    }
    free(coordinate);
    db_grid_clear(&grid);
    return result;
}

static int set_fabric(struct build *b, topomap_error *err)
{
    int fits;

    if (make_matrix(b, err) || fill_switch_hops(b, err) || try_switch_torus(b, &fits, err))
        return -1;
    return fits ? 0 : set_matrix(b, 0, err);
}

/* ---- Cray -------------------------------------------------------------------------------- */

static int set_dragonfly(struct build *b, topomap_error *err)
{
    size_t sites;

    for (uint32_t node = 0; node < b->nodes; node++)
        if (find_site(b, b->place[node].coordinate, sizeof b->place[node].coordinate,
                      &b->site_of[node], err))
            return -1;
    if (make_matrix(b, err))
        return -1;
    sites = HASH_COUNT(b->sites);
    for (size_t i = 0; i < sites; i++)
        for (size_t j = 0; j < sites; j++)
            b->hops[i * sites + j] =
                (uint16_t)db_network_hops(&b->network, b->by_index[i]->key, b->by_index[j]->key);
    return set_matrix(b, DB_CRAY_BASE, err);
}

static int set_torus(struct build *b, topomap_error *err)
{
    uint16_t *coordinate = topomap_alloc((size_t)b->nodes * 3, sizeof *coordinate, err);
    uint8_t wrap[3] = {(uint8_t)b->network.wrap, (uint8_t)b->network.wrap,
                       (uint8_t)b->network.wrap};
    int result;

    if (!coordinate)
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        for (int axis = 0; axis < 3; axis++)
            coordinate[(size_t)node * 3 + (size_t)axis] = (uint16_t)b->place[node].coordinate[axis];
    result = topomap_machine_set_torus(b->machine, 3, b->network.dim, wrap, coordinate,
                                       DB_CRAY_BASE, DB_HOP_COST, 0, err);
    free(coordinate);
    return result;
}

/* ---- Which network ------------------------------------------------------------------------ */

/* A database of insides alone: all nodes are equally far, as on one switch. */
static int set_nothing(struct build *b, topomap_error *err)
{
    int64_t known;

    if (db_number(b->db->file,
                  "SELECT count(*) FROM (SELECT 1 FROM switch UNION ALL"
                  " SELECT 1 FROM host WHERE x IS NOT NULL LIMIT 1)",
                  0, &known, err))
        return -1;
    if (known)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: node '%s' is known, but no network has it", b->db->path,
                                 b->place[0].name);
    for (uint32_t node = 0; node < b->nodes; node++)
        if (find_site(b, "", 1, &b->site_of[node], err))
            return -1;
    if (make_matrix(b, err))
        return -1;
    b->hops[0] = 2;
    return set_matrix(b, 0, err);
}

/* Names a node that is not where the others are. */
static int mixed(const struct build *b, topomap_error *err)
{
    for (uint32_t node = 0; node < b->nodes; node++)
        if (b->hanging ? b->site_of[node] == NOWHERE : !b->place[node].placed)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: node '%s' is not in the network that the others are in",
                                     b->db->path, b->place[node].name);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the nodes are not all in one network",
                             b->db->path);
}

static int set_network(struct build *b, struct db_finder *finder, topomap_error *err)
{
    if (db_network_load(b->db->file, &b->network, err))
        return -1;
    if (b->placed == b->nodes && b->network.kind == DB_TORUS)
        return set_torus(b, err);
    if (b->placed == b->nodes && b->network.kind == DB_DRAGONFLY)
        return set_dragonfly(b, err);
    if (db_switches_load(b->db->file, &b->switches, err) || find_switch_sites(b, finder, err))
        return -1;
    if (b->hanging == b->nodes)
        return set_fabric(b, err);
    return b->hanging || b->placed ? mixed(b, err) : set_nothing(b, err);
}

/* ---- All --------------------------------------------------------------------------------- */

static int find_nodes(struct build *b, struct db_finder *finder, topomap_error *err)
{
    for (uint32_t node = 0; node < b->nodes; node++) {
        if (db_finder_find(finder, b->allocation->nodes->name[node], &b->place[node], err))
            return -1;
        b->placed += b->place[node].placed != 0;
    }
    return 0;
}

static int make(struct build *b, struct db_finder *finder, topomap_bindings *bindings,
                topomap_error *err)
{
    topomap_bindings filled = {0};

    b->place = topomap_alloc(b->nodes, sizeof *b->place, err);
    b->site_of = topomap_alloc(b->nodes, sizeof *b->site_of, err);
    if (!b->place || !b->site_of || find_nodes(b, finder, err) ||
        topomap_machine_frame(b->nodes, b->allocation->tasks, b->allocation->nodes->name,
                              &b->machine, err) ||
        set_network(b, finder, err) ||
        db_inside_add(b->db, b->allocation, b->place, b->machine, bindings ? &filled : NULL, err))
        return -1;
    if (topomap_machine_finish(b->machine, err)) {
        topomap_bindings_clear(&filled);
        return -1;
    }
    if (bindings)
        *bindings = filled;
    return 0;
}

int topomap_db_machine(topomap_db *db, const topomap_db_allocation *allocation,
                       topomap_machine **machine, topomap_bindings *bindings, topomap_error *err)
{
    struct build b = {.db = db, .allocation = allocation};
    struct db_finder finder;
    int result;

    if (!allocation->nodes->count || allocation->nodes->count > INT32_MAX)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "an allocation of %zu nodes",
                                 allocation->nodes->count);
    b.nodes = (uint32_t)allocation->nodes->count;
    if (db_finder_open(db, &finder, err))
        return -1;
    result = make(&b, &finder, bindings, err);
    db_finder_close(&finder);
    if (!result) {
        *machine = b.machine;
        b.machine = NULL;
    }
    build_clear(&b);
    return result;
}
