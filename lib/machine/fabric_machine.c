/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/spec.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/shapes.h"
#include "fabric/network.h"
#include "fabric/switches.h"
#include "util/alloc.h"
#include "util/names/known.h"
#include "util/sorted.h"

static uint32_t cost_of(double rate, double reference)
{
    double cost = rate > 0 ? reference / rate * TOPOMAP_HOP + 0.5 : TOPOMAP_HOP;

    return cost < 1 ? 1 : cost > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST : (uint32_t)cost;
}

/* ---- Distances --------------------------------------------------------------------------- */

/* Distances between hosts of a fabric, and what they are calculated from. */
struct host_distances {
    topomap_fabric *fabric;
    uint32_t hosts, nodes;
    uint32_t *host;            /* [nodes] vertices */
    topomap_switches all;      /* all vertices, each pair by its cheapest link */
    topomap_switches switches; /* those that route, in the order of vertices */
    uint32_t *router;          /* [vertices] index in switches, or UINT32_MAX: does not route */
    topomap_known sites;       /* by their starts: nodes on the same switches by the same links */
    uint32_t *site_of;         /* [nodes] */
    uint16_t *site_hops;       /* [sites * sites] */
    float *site_cost;          /* [sites * sites] */
};

static void host_distances_clear(struct host_distances *d)
{
    topomap_switches_clear(&d->all);
    topomap_switches_clear(&d->switches);
    free(d->host);
    free(d->router);
    topomap_known_clear(&d->sites);
    free(d->site_of);
    free(d->site_hops);
    free(d->site_cost);
}

TOPOMAP_COMPARE(by_ends, topomap_trunk, TOPOMAP_ORDER(x->a, y->a),
                TOPOMAP_ORDER(x->b, y->b) ?: TOPOMAP_ORDER(x->cost, y->cost))

/* Each pair of joined vertices once, with its cheapest link; ascending. */
static size_t list_trunks(const topomap_fabric *f, double reference, topomap_trunk *trunk)
{
    size_t trunks = 0, kept = 0;

    for (size_t i = 0; i < f->links; i++) {
        const topomap_link *l = &f->link[i];

        if (l->a != l->b)
            trunk[trunks++] = (topomap_trunk){l->a < l->b ? l->a : l->b, l->a < l->b ? l->b : l->a,
                                              cost_of(l->rate, reference)};
    }
    TOPOMAP_SORT(trunk, trunks, by_ends);
    for (size_t i = 0; i < trunks; i++)
        if (!kept || trunk[kept - 1].a != trunk[i].a || trunk[kept - 1].b != trunk[i].b)
            trunk[kept++] = trunk[i];
    return kept;
}

/* The trunks between vertices that route, by those' own numbers. */
static size_t route_trunks(struct host_distances *d, topomap_trunk *trunk, size_t trunks)
{
    size_t kept = 0;

    for (uint32_t v = 0; v < d->fabric->vertices; v++)
        d->router[v] =
            d->fabric->hosts_route || !topomap_fabric_is(d->fabric, v, TOPOMAP_VERTEX_HOST)
                ? d->switches.count++
                : UINT32_MAX;
    for (size_t i = 0; i < trunks; i++) {
        uint32_t a = d->router[trunk[i].a], b = d->router[trunk[i].b];

        if (a != UINT32_MAX && b != UINT32_MAX)
            trunk[kept++] = (topomap_trunk){a, b, trunk[i].cost};
    }
    return kept;
}

static int join(struct host_distances *d, topomap_error *err)
{
    const topomap_fabric *f = d->fabric;
    TOPOMAP_FREED topomap_trunk *trunk = topomap_alloc(f->links, sizeof *trunk, err);
    double reference;
    size_t trunks;

    d->router = topomap_alloc(f->vertices, sizeof *d->router, err);
    if (!trunk || !d->router || topomap_fabric_rate(f, 1, 1, &reference, err) ||
        (!(reference > 0) && topomap_fabric_rate(f, 0, 1, &reference, err)))
        return -1;
    trunks = list_trunks(f, reference, trunk);
    d->all.count = (uint32_t)f->vertices;
    if (topomap_switches_join(&d->all, trunk, trunks, err))
        return -1;
    return topomap_switches_join(&d->switches, trunk, route_trunks(d, trunk, trunks), err);
}

/* A host that routes is its own switch; others hang on those that they have links to. */
static size_t list_starts(const struct host_distances *d, uint32_t host, topomap_start *start)
{
    size_t count = 0;

    if (d->fabric->hosts_route) {
        *start = (topomap_start){.at = host};
        return 1;
    }
    for (uint32_t e = d->all.first[host]; e < d->all.first[host + 1]; e++)
        if (d->router[d->all.neighbour[e]] != UINT32_MAX)
            start[count++] = (topomap_start){d->router[d->all.neighbour[e]], 1, d->all.cost[e]};
    return count;
}

static int find_sites(struct host_distances *d, topomap_error *err)
{
    TOPOMAP_FREED topomap_start *start =
        topomap_alloc((size_t)d->all.count + 1, sizeof *start, err);

    d->site_of = topomap_alloc(d->nodes, sizeof *d->site_of, err);
    if (!start || !d->site_of)
        return -1;
    for (uint32_t i = 0; i < d->nodes; i++) {
        size_t count = list_starts(d, d->host[i], start);

        if (topomap_known_number(&d->sites, start, count * sizeof *start, &d->site_of[i], err))
            return -1;
    }
    if (d->sites.count > TOPOMAP_FABRIC_SITES)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the nodes are at more than %d places of the fabric",
                                 TOPOMAP_FABRIC_SITES);
    return 0;
}

static int measure(struct host_distances *d, double hop, topomap_error *err)
{
    size_t sites = d->sites.count;
    TOPOMAP_FREED topomap_site *site = topomap_alloc(sites, sizeof *site, err);

    d->site_hops = topomap_alloc(sites * sites, sizeof *d->site_hops, err);
    d->site_cost = topomap_alloc(sites * sites, sizeof *d->site_cost, err);
    if (!site || !d->site_hops || !d->site_cost)
        return -1;
    for (size_t i = 0; i < sites; i++)
        site[i] = (topomap_site){topomap_known_key(&d->sites, i),
                                 d->sites.key[i].length / sizeof(topomap_start)};
    return topomap_switch_distances(&d->switches, site, sites, hop, d->site_hops, d->site_cost,
                                    err);
}

/* ---- The machine ------------------------------------------------------------------------- */

/* Hosts that are not of the machine stay in the network only where they route. */
static uint32_t number_vertices(const struct host_distances *d, uint32_t *number)
{
    uint32_t count = d->nodes;

    memset(number, 0xff, d->fabric->vertices * sizeof *number);
    for (uint32_t i = 0; i < d->nodes; i++)
        number[d->host[i]] = i;
    for (uint32_t v = 0; v < d->fabric->vertices; v++)
        if (number[v] == UINT32_MAX && d->router[v] != UINT32_MAX)
            number[v] = count++;
    return count;
}

static int set_network(const struct host_distances *d, topomap_machine *m, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *number = topomap_alloc(d->fabric->vertices, sizeof *number, err);
    const topomap_fattree *tree = d->fabric->tree;
    const topomap_dragonfly *dragonfly = d->fabric->dragonfly;

    if (!number || topomap_network_of(d->fabric, number, number_vertices(d, number), d->nodes,
                                      &m->network, err))
        return -1;
    if (tree && topomap_fattree_routes(m->network, tree, d->hosts, d->host, err))
        return -1;
    if (dragonfly && topomap_dragonfly_routes(m->network, dragonfly, d->hosts, d->host, err))
        return -1;
    return 0;
}

static int frame(const struct host_distances *d, const topomap_spec *spec, int named,
                 topomap_machine **m, topomap_error *err)
{
    TOPOMAP_FREED char **name = topomap_alloc(d->nodes, sizeof *name, err);

    if (!name)
        return -1;
    for (uint32_t i = 0; i < d->nodes; i++)
        name[i] = d->fabric->text + d->fabric->vertex[d->host[i]].name;
    if (topomap_spec_frame(d->nodes, spec->slots, named ? name : NULL, m, err))
        return -1;
    return topomap_machine_add_inner(*m, "node", spec->costs == 2 ? spec->cost[0] : 0.0,
                                     (*m)->node_of, err);
}

static int build(struct host_distances *d, const topomap_spec *spec, int named, topomap_machine **m,
                 topomap_error *err)
{
    double hop = spec->costs ? spec->cost[spec->costs - 1] : 1.0;

    if (join(d, err) || find_sites(d, err) || frame(d, spec, named, m, err) || measure(d, hop, err))
        return -1;
    if (topomap_machine_set_matrix(*m, "fabric", d->sites.count, d->site_of, d->site_cost,
                                   d->site_hops, err) ||
        set_network(d, *m, err))
        return -1;
    return topomap_machine_finish(*m, err);
}

/* The hosts of the machine: those in alloc=, by their places among the hosts; or all. */
static int find_hosts(struct host_distances *d, const topomap_spec *spec, topomap_error *err)
{
    const topomap_fabric *f = d->fabric;
    uint32_t *host = topomap_alloc(f->vertices, sizeof *host, err);

    if (!host)
        return -1;
    for (uint32_t v = 0; v < f->vertices; v++)
        if (topomap_fabric_is(f, v, TOPOMAP_VERTEX_HOST))
            host[d->hosts++] = v;
    if (!spec->alloc) {
        d->host = host;
        d->nodes = d->hosts;
        return 0;
    }
    if (topomap_spec_alloc(spec->alloc, d->hosts, &d->host, &d->nodes, err) == 0)
        for (uint32_t i = 0; i < d->nodes; i++)
            d->host[i] = host[d->host[i]];
    free(host);
    return d->host ? 0 : -1;
}

int topomap_fabric_machine(topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_CLEANUP(host_distances_clear) struct host_distances d = {.fabric = fabric};
    TOPOMAP_MACHINE_FREED topomap_machine *m = NULL;

    if (spec->costs > 2)
        return topomap_spec_fail(spec, err, "expected @HOP or @INSIDE:HOP, found %u costs",
                                 spec->costs);
    if (find_hosts(&d, spec, err) || build(&d, spec, named, &m, err))
        return -1;
    *machine = topomap_take(&m);
    return 0;
}
