/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of an allocation. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/query/query.h"
#include "util/alloc.h"

enum { SITES_MOST = 16384 }; /* a matrix of 1.5 GiB; more than any fabric has leaf switches */

static void forget_sites(struct db_build *b)
{
    struct db_site *site, *next;

    HASH_ITER(hh, b->sites, site, next)
    {
        HASH_DELETE(hh, b->sites, site);
        free(site->key);
        free(site);
    }
}

static void build_clear(struct db_build *b)
{
    forget_sites(b);
    topomap_switches_clear(&b->switches);
    db_route_costs_clear(&b->routes);
    free(b->by_index);
    free(b->site_of);
    free(b->cost);
    free(b->hops);
    free(b->place);
    topomap_machine_free(b->machine);
}

/* ---- Sites ------------------------------------------------------------------------------- */

/* The site with this key, made where it is new. */
static int find_site(struct db_build *b, const void *key, size_t length, uint32_t *index,
                     topomap_error *err)
{
    struct db_site *site;

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

static int make_matrix(struct db_build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);

    b->by_index = topomap_alloc(sites, sizeof *b->by_index, err);
    b->cost = topomap_alloc(sites * sites, sizeof *b->cost, err);
    b->hops = topomap_alloc(sites * sites, sizeof *b->hops, err);
    if (!b->by_index || !b->cost || !b->hops)
        return -1;
    for (struct db_site *site = b->sites; site; site = site->hh.next)
        b->by_index[site->index] = site;
    return 0;
}

static int set_matrix(struct db_build *b, topomap_error *err)
{
    return topomap_machine_set_matrix(b->machine, "fabric", (uint32_t)HASH_COUNT(b->sites),
                                      b->site_of, b->cost, b->hops, err);
}

/* ---- Switches ------------------------------------------------------------------------------ */

/* What a node hangs on, in its site's key. */
static int find_starts(struct db_build *b, struct db_finder *finder, int slurm, int64_t host,
                       struct db_hanging **on, size_t *on_room, topomap_start **key,
                       size_t *key_room, size_t *count, topomap_error *err)
{
    if (b->routes.used)
        return db_route_costs_starts(&b->routes, host, key, key_room, count, err);
    if (db_finder_switches(finder, slurm, host, on, on_room, count, err) ||
        topomap_grow(key, key_room, *count, sizeof **key, err))
        return -1;
    for (size_t i = 0; i < *count; i++) {
        const struct db_hanging *h = &(*on)[i];

        (*key)[i] = (topomap_start){topomap_switches_find(&b->switches, h->sw), h->hops, h->cost};
        if ((*key)[i].at == UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a switch is missing",
                                     b->db->path);
    }
    return 0;
}

/* Nodes on the same switches, by the same links, are one site. */
static int find_switch_sites(struct db_build *b, struct db_finder *finder, int slurm,
                             topomap_error *err)
{
    TOPOMAP_FREED struct db_hanging *on = NULL;
    TOPOMAP_FREED topomap_start *key = NULL;
    size_t on_room = 0, key_room = 0, count;
    int result = 0;

    for (uint32_t node = 0; !result && node < b->nodes; node++) {
        result = find_starts(b, finder, slurm, b->place[node].host, &on, &on_room, &key, &key_room,
                             &count, err);
        b->hanging += !result && count > 0;
        b->site_of[node] = DB_NOWHERE;
        if (!result && count)
            result = find_site(b, key, count * sizeof *key, &b->site_of[node], err);
    }
    return result;
}

static const topomap_start *start_of(const struct db_build *b, size_t site)
{
    return b->by_index[site]->key;
}

/* Whether every distance that the links gave is the grid's own: what it takes to get in and out,
 * and a hop's price for each step. */
static int fits_grid(const struct db_build *b, const topomap_grid *grid,
                     const topomap_coordinates *place)
{
    size_t sites = HASH_COUNT(b->sites);

    for (size_t i = 0; i < sites; i++)
        if (b->by_index[i]->length != sizeof(topomap_start) || !place[start_of(b, i)->at].dims)
            return 0;
    for (size_t i = 0; i < sites; i++)
        for (size_t j = 0; j < sites; j++) {
            uint32_t steps =
                topomap_grid_hops(grid, &place[start_of(b, i)->at], &place[start_of(b, j)->at]);
            double cost = b->cost[0] + DB_TENTHS(TOPOMAP_HOP) * steps;

            if (b->hops[i * sites + j] != b->hops[0] + steps ||
                (double)b->cost[i * sites + j] != cost)
                return 0;
        }
    return 1;
}

/* \param cost  of leaving a node, and \p hops of it */
static int set_torus(struct db_build *b, const topomap_grid *grid, double cost, uint32_t hops,
                     topomap_error *err)
{
    TOPOMAP_FREED uint16_t *coordinate =
        topomap_alloc((size_t)b->nodes * grid->dims, sizeof *coordinate, err);

    if (!coordinate)
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        memcpy(coordinate + (size_t)node * grid->dims, b->place[node].point.at,
               grid->dims * sizeof *coordinate);
    return topomap_machine_set_torus(b->machine, grid->dims, grid->dim, grid->wrap, coordinate,
                                     cost, DB_TENTHS(TOPOMAP_HOP), hops, err);
}

/* Where they are, the coordinates of switches say the same and more: algorithms use them. */
static int try_switch_torus(struct db_build *b, int *fits, topomap_error *err)
{
    topomap_grid grid;
    TOPOMAP_FREED topomap_coordinates *place = NULL;

    *fits = 0;
    /* Routes that are not all shortest are no grid's, and their sites are not switches. */
    if (b->routes.used)
        return 0;
    if (db_grid_load(b->db->file, "fabric_dims", "fabric_wrap", &grid, err) ||
        (grid.dims && db_grid_places(b->db->file, &grid, &b->switches, &place, err)))
        return -1;
    if (!grid.dims || !fits_grid(b, &grid, place))
        return 0;
    *fits = 1;
    for (uint32_t node = 0; node < b->nodes; node++)
        b->place[node].point = place[start_of(b, b->site_of[node])->at];
    return set_torus(b, &grid, b->cost[0], b->hops[0], err);
}

/* Two hosts are as far as the nearest two of their switches, or as their routes. */
static int fill_distances(struct db_build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);
    TOPOMAP_FREED topomap_site *site = topomap_alloc(sites, sizeof *site, err);

    if (!site)
        return -1;
    for (size_t i = 0; i < sites; i++)
        site[i] = (topomap_site){start_of(b, i), b->by_index[i]->length / sizeof(topomap_start)};
    return b->routes.used
               ? topomap_route_distances(&b->routes.costs, site, sites, b->hops, b->cost, err)
               : topomap_switch_distances(&b->switches, site, sites, DB_TENTHS(TOPOMAP_HOP),
                                          b->hops, b->cost, err);
}

static int set_fabric(struct db_build *b, topomap_error *err)
{
    int fits;

    if (make_matrix(b, err) || fill_distances(b, err) || try_switch_torus(b, &fits, err))
        return -1;
    return fits ? 0 : set_matrix(b, err);
}

/* ---- Coordinates --------------------------------------------------------------------------- */

static int set_dragonfly(struct db_build *b, topomap_error *err)
{
    size_t sites;

    for (uint32_t node = 0; node < b->nodes; node++)
        if (find_site(b, &b->place[node].point, sizeof b->place[node].point, &b->site_of[node],
                      err))
            return -1;
    if (make_matrix(b, err))
        return -1;
    sites = HASH_COUNT(b->sites);
    for (size_t i = 0; i < sites; i++)
        for (size_t j = 0; j < sites; j++) {
            uint32_t hops =
                topomap_coordinate_hops(&b->network, b->by_index[i]->key, b->by_index[j]->key);

            b->hops[i * sites + j] = (uint16_t)hops;
            b->cost[i * sites + j] = (float)DB_TENTHS(b->network.base + TOPOMAP_HOP * hops);
        }
    return set_matrix(b, err);
}

/* ---- Which network ------------------------------------------------------------------------ */

/* A database of insides alone: all nodes are equally far, as on one switch. */
static int set_nothing(struct db_build *b, topomap_error *err)
{
    int64_t known;

    if (db_number(b->db->file,
                  "SELECT count(*) FROM (SELECT 1 FROM switch UNION ALL"
                  " SELECT 1 FROM host WHERE place IS NOT NULL LIMIT 1)",
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
    b->cost[0] = (float)DB_TENTHS(2 * TOPOMAP_HOP);
    return set_matrix(b, err);
}

/* Sites by the fabric's switches, or by Slurm's. */
static int load_sites(struct db_build *b, struct db_finder *finder, int slurm, topomap_error *err)
{
    forget_sites(b);
    topomap_switches_clear(&b->switches);
    db_route_costs_clear(&b->routes);
    b->hanging = 0;
    /* Routing tables are the fabric's alone; where their ways are listed, its graph is not needed
     * but for nodes that hang on something else. */
    if (!slurm && (db_route_costs_load(b->db->file, &b->routes, err) ||
                   (b->routes.used && find_switch_sites(b, finder, 0, err))))
        return -1;
    if (b->routes.used && b->hanging == b->nodes)
        return 0;
    forget_sites(b);
    db_route_costs_clear(&b->routes);
    b->hanging = 0;
    return DB_STATUS(db_switches_load(b->db->file, slurm, &b->switches, err) ||
                     find_switch_sites(b, finder, slurm, err));
}

/* Names a node that is not where the others are: on the fabric's switches, or at coordinates. */
static int mixed(struct db_build *b, struct db_finder *finder, int on_fabric, topomap_error *err)
{
    if (load_sites(b, finder, 0, err))
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        if (on_fabric ? b->site_of[node] == DB_NOWHERE : !b->place[node].point.dims)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: node '%s' is not in the network that the others are in",
                                     b->db->path, b->place[node].name);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the nodes are not all in one network",
                             b->db->path);
}

/* The fabric's links win, then coordinates, then Slurm's own view. */
static int set_network(struct db_build *b, struct db_finder *finder, topomap_error *err)
{
    size_t on_fabric;

    if (db_network_load(b->db->file, &b->network, err))
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        b->placed += (size_t)topomap_grid_has(&b->network.grid, &b->place[node].point);
    if (load_sites(b, finder, 0, err))
        return -1;
    if (b->hanging == b->nodes)
        return set_fabric(b, err);
    if (b->placed == b->nodes) {
        forget_sites(b);
        return b->network.kind == TOPOMAP_COORDINATES_TORUS
                   ? set_torus(b, &b->network.grid, DB_TENTHS(b->network.base), 0, err)
                   : set_dragonfly(b, err);
    }
    on_fabric = b->hanging;
    if (load_sites(b, finder, 1, err))
        return -1;
    if (b->hanging == b->nodes)
        return set_fabric(b, err);
    if (on_fabric || b->placed)
        return mixed(b, finder, on_fabric > 0, err);
    forget_sites(b);
    return b->hanging ? mixed(b, finder, 0, err) : set_nothing(b, err);
}

/* ---- All --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int named_once(const topomap_names *nodes, topomap_error *err)
{
    char **name = topomap_alloc(nodes->count, sizeof *name, err);
    size_t twice = 0;

    if (!name)
        return -1;
    for (size_t i = 0; i < nodes->count; i++)
        name[i] = nodes->name[i];
    TOPOMAP_SORT(name, nodes->count, by_name);
    for (size_t i = 1; i < nodes->count && !twice; i++)
        twice = strcmp(name[i - 1], name[i]) == 0 ? i : 0;
    if (twice)
        topomap_error_set(err, TOPOMAP_EUSAGE,
                          "the node %s is named twice; each stands once, with all of its tasks",
                          name[twice]);
    free(name);
    return twice ? -1 : 0;
}

static int find_nodes(struct db_build *b, struct db_finder *finder, topomap_error *err)
{
    for (uint32_t node = 0; node < b->nodes; node++) {
        if (db_finder_find(finder, b->allocation->nodes->name[node], &b->place[node], err))
            return -1;
    }
    return 0;
}

/* The nodes and what lies between them. */
static int make_between(struct db_build *b, struct db_finder *finder, topomap_error *err)
{
    b->place = topomap_alloc(b->nodes, sizeof *b->place, err);
    b->site_of = topomap_alloc(b->nodes, sizeof *b->site_of, err);
    if (!b->place || !b->site_of || named_once(b->allocation->nodes, err) ||
        find_nodes(b, finder, err) ||
        topomap_machine_frame(b->nodes, b->allocation->tasks, b->allocation->nodes->name,
                              &b->machine, err))
        return -1;
    return set_network(b, finder, err);
}

static int make_inside(struct db_build *b, topomap_bindings *bindings, topomap_error *err)
{
    topomap_bindings filled = {0};

    if (db_node_levels_add(b->db, b->allocation, b->place, b->machine, bindings ? &filled : NULL,
                           err))
        return -1;
    if (topomap_machine_finish(b->machine, err)) {
        topomap_bindings_clear(&filled);
        return -1;
    }
    if (bindings)
        *bindings = filled;
    return 0;
}

int db_allocation_copy(topomap_db_allocation *allocation, const topomap_db_allocation *given,
                       topomap_error *err)
{
    size_t least = offsetof(topomap_db_allocation, cores) + sizeof allocation->cores;

    return topomap_sized_copy(allocation, sizeof *allocation, least, given, "topomap_db_allocation",
                              err);
}

static int make(topomap_db *db, const topomap_db_allocation *given, int inside,
                topomap_machine **machine, topomap_bindings *bindings, topomap_error *err)
{
    topomap_db_allocation allocation;
    TOPOMAP_CLEANUP(build_clear) struct db_build b = {.db = db, .allocation = &allocation};
    DB_FINDER finder = {0};

    if (db_allocation_copy(&allocation, given, err))
        return -1;
    if (!allocation.nodes->count || allocation.nodes->count > INT32_MAX)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "an allocation of %zu nodes",
                                 allocation.nodes->count);
    b.nodes = (uint32_t)allocation.nodes->count;
    if (db_finder_open(db, &finder, err) || make_between(&b, &finder, err) ||
        (inside && make_inside(&b, bindings, err)))
        return -1;
    *machine = b.machine;
    b.machine = NULL;
    return 0;
}

int topomap_db_machine(topomap_db *db, const topomap_db_allocation *allocation,
                       topomap_machine **machine, topomap_bindings *bindings, topomap_error *err)
{
    return make(db, allocation, 1, machine, bindings, err);
}

int topomap_db_machine_between(topomap_db *db, const topomap_db_allocation *allocation,
                               topomap_machine **machine, topomap_error *err)
{
    return make(db, allocation, 0, machine, NULL, err);
}
