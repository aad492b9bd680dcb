/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of an allocation. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "topology-db/costs.h"
#include "topology-db/inside.h"
#include "topology-db/network.h"
#include "topology-db/walks.h"
#include "util/alloc.h"

enum { SITES_MOST = 16384 }; /* a matrix of 1.5 GiB; more than any fabric has leaf switches */
#define NOWHERE UINT32_MAX

/* What nodes hang on: a set of switches, or a Cray router. */
struct site {
    void *key; /* struct db_start of its switches, or a struct db_point */
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
    struct db_walks walks; /* where routes are not all shortest: then sites hang on walks */
    struct site *sites;
    struct site **by_index; /* [number of sites] */
    uint32_t *site_of;      /* [nodes] */
    float *cost;
    uint16_t *hops;
    topomap_machine *machine;
};

static void forget_sites(struct build *b)
{
    struct site *site, *next;

    HASH_ITER(hh, b->sites, site, next)
    {
        HASH_DELETE(hh, b->sites, site);
        free(site->key);
        free(site);
    }
}

static void build_clear(struct build *b)
{
    forget_sites(b);
    db_switches_clear(&b->switches);
    db_walks_clear(&b->walks);
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

static int set_matrix(struct build *b, topomap_error *err)
{
    return topomap_machine_set_matrix(b->machine, "fabric", (uint32_t)HASH_COUNT(b->sites),
                                      b->site_of, b->cost, b->hops, err);
}

/* ---- Switches ------------------------------------------------------------------------------ */

/* What a node hangs on, in its site's key. */
static int find_starts(struct build *b, struct db_finder *finder, int slurm, int64_t host,
                       struct db_hanging **on, size_t *on_room, struct db_start **key,
                       size_t *key_room, size_t *count, topomap_error *err)
{
    if (b->walks.used)
        return db_walks_starts(&b->walks, host, key, key_room, count, err);
    if (db_finder_switches(finder, slurm, host, on, on_room, count, err) ||
        topomap_grow(key, key_room, *count, sizeof **key, err))
        return -1;
    for (size_t i = 0; i < *count; i++) {
        const struct db_hanging *h = &(*on)[i];

        (*key)[i] = (struct db_start){db_switches_find(&b->switches, h->sw), h->hops, h->cost};
        if ((*key)[i].at == UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a switch is missing",
                                     b->db->path);
    }
    return 0;
}

/* Nodes on the same switches, by the same links, are one site. */
static int find_switch_sites(struct build *b, struct db_finder *finder, int slurm,
                             topomap_error *err)
{
    struct db_hanging *on = NULL;
    struct db_start *key = NULL;
    size_t on_room = 0, key_room = 0, count;
    int result = 0;

    for (uint32_t node = 0; !result && node < b->nodes; node++) {
        result = find_starts(b, finder, slurm, b->place[node].host, &on, &on_room, &key, &key_room,
                             &count, err);
        b->hanging += !result && count > 0;
        b->site_of[node] = NOWHERE;
        if (!result && count)
            result = find_site(b, key, count * sizeof *key, &b->site_of[node], err);
    }
    free(on);
    free(key);
    return result;
}

/* The nearest of a site's switches, and of those the cheapest; hops DB_FAR: there is no path. */
static struct db_start nearest(const struct site *site, const uint16_t *hops, const uint32_t *cost)
{
    const struct db_start *on = site->key;
    struct db_start best = {.hops = DB_FAR};

    for (size_t i = 0; i < site->length / sizeof *on; i++) {
        uint32_t far = hops[on[i].at] == DB_FAR ? DB_FAR : hops[on[i].at] + on[i].hops;

        if (far < best.hops ||
            (far == best.hops && far < DB_FAR && cost[on[i].at] + on[i].cost < best.cost))
            best = (struct db_start){on[i].at, far, cost[on[i].at] + on[i].cost};
    }
    return best;
}

static void fill_place(struct build *b, size_t i, size_t j, uint32_t hops, uint32_t cost)
{
    size_t at = i * HASH_COUNT(b->sites) + j;

    b->hops[at] = hops >= DB_FAR ? DB_FAR : (uint16_t)hops;
    b->cost[at] = (float)DB_TENTHS(cost);
}

/* Two hosts are as far as the nearest two of their switches: a rail each where they share rails. */
static int fill_shortest(struct build *b, topomap_error *err)
{
    uint16_t *hops = topomap_alloc(b->switches.count, sizeof *hops, err);
    uint32_t *cost = topomap_alloc(b->switches.count, sizeof *cost, err);
    size_t sites = HASH_COUNT(b->sites);
    int result = hops && cost ? 0 : -1;

    for (size_t i = 0; !result && i < sites; i++) {
        db_switches_reach(&b->switches, b->by_index[i]->key,
                          b->by_index[i]->length / sizeof(struct db_start), hops, cost);
        for (size_t j = 0; j < sites; j++) {
            struct db_start near = nearest(b->by_index[j], hops, cost);

            fill_place(b, i, j, near.hops, near.cost);
        }
    }
    free(hops);
    free(cost);
    return result;
}

/* From every site to site \p to over the tables: row \p to of the matrices, cost in thousandths.
 * \param lone  [sites] of a site with one walk its place and what it takes to its switch */
static void fill_row(struct build *b, const struct db_start *lone, size_t to)
{
    size_t sites = HASH_COUNT(b->sites);
    const struct site *end = b->by_index[to];
    const uint8_t *codes = lone[to].at == NOWHERE ? NULL : db_walks_codes(&b->walks, end->key);

    for (size_t i = 0; i < sites; i++) {
        const struct site *from = b->by_index[i];
        struct db_start way;

        if (codes && lone[i].at != NOWHERE)
            way = db_walks_lone(&b->walks, codes, &lone[i], &lone[to]);
        else
            way = db_walks_way(&b->walks, from->key, from->length / sizeof way, end->key,
                               end->length / sizeof way);
        b->hops[to * sites + i] = way.hops >= DB_FAR ? DB_FAR : (uint16_t)way.hops;
        b->cost[to * sites + i] = (float)way.cost;
    }
}

/* The mean of both directions, hops rounded up: distances of a machine are symmetric. */
static void even_out(struct build *b, size_t i, size_t j)
{
    size_t sites = HASH_COUNT(b->sites), there = i * sites + j, back = j * sites + i;

    if (b->hops[there] == DB_FAR || b->hops[back] == DB_FAR) {
        size_t known = b->hops[there] == DB_FAR ? back : there;

        b->hops[there] = b->hops[back] = b->hops[known];
        b->cost[there] = b->cost[back] = b->cost[known];
    }
    b->hops[there] = b->hops[back] = (uint16_t)((b->hops[there] + b->hops[back] + 1) / 2);
    b->cost[there] = b->cost[back] = (b->cost[there] + b->cost[back]) * (float)DB_TENTHS(0.5);
}

static int fill_walks(struct build *b, topomap_error *err)
{
    enum { TILE = 32 }; /* both halves of the matrix stay in the cache */
    size_t sites = HASH_COUNT(b->sites);
    struct db_start *lone = topomap_alloc(sites, sizeof *lone, err);

    if (!lone)
        return -1;
    for (size_t i = 0; i < sites; i++) {
        const struct db_start *start = b->by_index[i]->key;

        lone[i] = *start;
        lone[i].at =
            b->by_index[i]->length == sizeof *start ? b->walks.row[start->at].place : NOWHERE;
    }
    for (size_t to = 0; to < sites; to++)
        fill_row(b, lone, to);
    free(lone);
    for (size_t top = 0; top < sites; top += TILE)
        for (size_t left = 0; left <= top; left += TILE)
            for (size_t i = top; i < sites && i < top + TILE; i++)
                for (size_t j = left; j <= i && j < left + TILE; j++)
                    even_out(b, i, j);
    return 0;
}

/* Pairs without a path (a dump that is not complete) are put 2 hops beyond the farthest pair. */
static void fill_gaps(struct build *b)
{
    size_t places = (size_t)HASH_COUNT(b->sites) * HASH_COUNT(b->sites);
    uint16_t most = 2;
    float dearest = 0;

    for (size_t i = 0; i < places; i++)
        if (b->hops[i] != DB_FAR) {
            most = b->hops[i] > most ? b->hops[i] : most;
            dearest = b->cost[i] > dearest ? b->cost[i] : dearest;
        }
    for (size_t i = 0; i < places; i++)
        if (b->hops[i] == DB_FAR) {
            b->hops[i] = (uint16_t)(most + 2);
            b->cost[i] = dearest + (float)DB_TENTHS(2 * DB_HOP);
        }
}

/* Whether a way's hops say its cost: all links cost the same, and so do all of a site's own. */
static int is_uniform(const struct build *b)
{
    const struct db_switches *s = &b->switches;

    for (uint32_t i = 1; i < s->first[s->count]; i++)
        if (s->cost[i] != s->cost[0])
            return 0;
    for (const struct site *site = b->sites; site; site = site->hh.next) {
        const struct db_start *on = site->key;

        for (size_t i = 1; i < site->length / sizeof *on; i++)
            if (on[i].hops != on[0].hops || on[i].cost != on[0].cost)
                return 0;
    }
    return 1;
}

static void price_pairs(struct build *b)
{
    uint32_t link = b->switches.first[b->switches.count] ? b->switches.cost[0] : 0;
    size_t sites = HASH_COUNT(b->sites);

    for (size_t i = 0; i < sites * sites; i++) {
        const struct db_start *from = b->by_index[i / sites]->key,
                              *to = b->by_index[i % sites]->key;
        uint32_t far = b->hops[i] + from->hops + to->hops;

        if (b->hops[i] == DB_FAR || far >= DB_FAR) {
            b->hops[i] = DB_FAR;
            continue;
        }
        b->cost[i] = (float)DB_TENTHS(from->cost + to->cost + link * b->hops[i]);
        b->hops[i] = (uint16_t)far;
    }
    fill_gaps(b);
}

/* The same as fill_shortest(), many searches at once. */
static int fill_uniform(struct build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites), members = 0;
    struct db_switch_set *set = topomap_alloc(sites, sizeof *set, err);
    uint32_t *at;
    int result = -1;

    for (size_t i = 0; i < sites; i++)
        members += b->by_index[i]->length / sizeof(struct db_start);
    at = topomap_alloc(members, sizeof *at, err);
    members = 0;
    for (size_t i = 0; set && at && i < sites; i++) {
        const struct db_start *on = b->by_index[i]->key;
        size_t count = b->by_index[i]->length / sizeof *on;

        set[i] = (struct db_switch_set){at + members, count};
        for (size_t k = 0; k < count; k++)
            at[members++] = on[k].at;
    }
    if (set && at)
        result = db_switches_between(&b->switches, set, sites, b->hops, err);
    if (!result)
        price_pairs(b);
    free(set);
    free(at);
    return result;
}

static int fill_any(struct build *b, topomap_error *err)
{
    if (b->walks.used ? fill_walks(b, err) : fill_shortest(b, err))
        return -1;
    fill_gaps(b);
    return 0;
}

static int fill_switch_hops(struct build *b, topomap_error *err)
{
    return !b->walks.used && is_uniform(b) ? fill_uniform(b, err) : fill_any(b, err);
}

static int set_fabric(struct build *b, topomap_error *err)
{
    return make_matrix(b, err) || fill_switch_hops(b, err) ? -1 : set_matrix(b, err);
}

/* ---- Coordinates --------------------------------------------------------------------------- */

static int set_dragonfly(struct build *b, topomap_error *err)
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
            uint32_t hops = db_network_hops(&b->network, b->by_index[i]->key, b->by_index[j]->key);

            b->hops[i * sites + j] = (uint16_t)hops;
            b->cost[i * sites + j] = (float)DB_TENTHS(b->network.base + DB_HOP * hops);
        }
    return set_matrix(b, err);
}

static int set_torus(struct build *b, topomap_error *err)
{
    uint32_t dims = b->network.dims;
    uint16_t *coordinate = topomap_alloc((size_t)b->nodes * dims, sizeof *coordinate, err);
    int result;

    if (!coordinate)
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        memcpy(coordinate + (size_t)node * dims, b->place[node].point.at,
               dims * sizeof *coordinate);
    result =
        topomap_machine_set_torus(b->machine, dims, b->network.dim, b->network.wrap, coordinate,
                                  DB_TENTHS(b->network.base), DB_TENTHS(DB_HOP), err);
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
    b->cost[0] = (float)DB_TENTHS(2 * DB_HOP);
    return set_matrix(b, err);
}

/* Sites by the fabric's switches, or by Slurm's. */
static int load_sites(struct build *b, struct db_finder *finder, int slurm, topomap_error *err)
{
    forget_sites(b);
    db_switches_clear(&b->switches);
    db_walks_clear(&b->walks);
    b->hanging = 0;
    /* Routing tables are the fabric's alone; where their ways are listed, its graph is not needed
     * but for nodes that hang on something else. */
    if (!slurm && (db_walks_load(b->db->file, &b->walks, err) ||
                   (b->walks.used && find_switch_sites(b, finder, 0, err))))
        return -1;
    if (b->walks.used && b->hanging == b->nodes)
        return 0;
    forget_sites(b);
    db_walks_clear(&b->walks);
    b->hanging = 0;
    return db_switches_load(b->db->file, slurm, &b->switches, err) ||
                   find_switch_sites(b, finder, slurm, err)
               ? -1
               : 0;
}

/* Names a node that is not where the others are: on the fabric's switches, or at coordinates. */
static int mixed(struct build *b, struct db_finder *finder, int on_fabric, topomap_error *err)
{
    if (load_sites(b, finder, 0, err))
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        if (on_fabric ? b->site_of[node] == NOWHERE : !b->place[node].point.dims)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: node '%s' is not in the network that the others are in",
                                     b->db->path, b->place[node].name);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the nodes are not all in one network",
                             b->db->path);
}

/* The fabric's links win, then coordinates, then Slurm's own view. */
static int set_network(struct build *b, struct db_finder *finder, topomap_error *err)
{
    size_t on_fabric;

    if (db_network_load(b->db->file, &b->network, err))
        return -1;
    for (uint32_t node = 0; node < b->nodes; node++)
        b->placed += (size_t)db_network_has(&b->network, &b->place[node].point);
    if (load_sites(b, finder, 0, err))
        return -1;
    if (b->hanging == b->nodes)
        return set_fabric(b, err);
    if (b->placed == b->nodes) {
        forget_sites(b);
        return b->network.kind == DB_TORUS ? set_torus(b, err) : set_dragonfly(b, err);
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

static int find_nodes(struct build *b, struct db_finder *finder, topomap_error *err)
{
    for (uint32_t node = 0; node < b->nodes; node++) {
        if (db_finder_find(finder, b->allocation->nodes->name[node], &b->place[node], err))
            return -1;
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
