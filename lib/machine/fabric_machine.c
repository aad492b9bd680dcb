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

/* ---- Ways -------------------------------------------------------------------------------- */

struct ways {
    topomap_fabric *fabric;
    uint32_t hosts, nodes;
    uint32_t *host;            /* [nodes] vertices */
    topomap_switches all;      /* all vertices, each pair by its cheapest link */
    topomap_switches switches; /* those that route, in the order of vertices */
    uint32_t *router;          /* [vertices] index in switches, or UINT32_MAX: does not route */
    topomap_known sites;       /* by their starts: nodes on the same switches by the same links */
    uint32_t *site_of;         /* [nodes] */
    uint16_t *site_hops;
    float *site_cost;
};

static void ways_clear(struct ways *w)
{
    topomap_switches_clear(&w->all);
    topomap_switches_clear(&w->switches);
    free(w->host);
    free(w->router);
    topomap_known_clear(&w->sites);
    free(w->site_of);
    free(w->site_hops);
    free(w->site_cost);
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
static size_t route_trunks(struct ways *w, topomap_trunk *trunk, size_t trunks)
{
    size_t kept = 0;

    for (uint32_t v = 0; v < w->fabric->vertices; v++)
        w->router[v] =
            w->fabric->hosts_route || !topomap_fabric_is(w->fabric, v, TOPOMAP_VERTEX_HOST)
                ? w->switches.count++
                : UINT32_MAX;
    for (size_t i = 0; i < trunks; i++) {
        uint32_t a = w->router[trunk[i].a], b = w->router[trunk[i].b];

        if (a != UINT32_MAX && b != UINT32_MAX)
            trunk[kept++] = (topomap_trunk){a, b, trunk[i].cost};
    }
    return kept;
}

static int join(struct ways *w, topomap_error *err)
{
    const topomap_fabric *f = w->fabric;
    TOPOMAP_FREED topomap_trunk *trunk = topomap_alloc(f->links, sizeof *trunk, err);
    double reference;
    size_t trunks;

    w->router = topomap_alloc(f->vertices, sizeof *w->router, err);
    if (!trunk || !w->router || topomap_fabric_rate(f, 1, 1, &reference, err) ||
        (!(reference > 0) && topomap_fabric_rate(f, 0, 1, &reference, err)))
        return -1;
    trunks = list_trunks(f, reference, trunk);
    w->all.count = (uint32_t)f->vertices;
    if (topomap_switches_join(&w->all, trunk, trunks, err))
        return -1;
    return topomap_switches_join(&w->switches, trunk, route_trunks(w, trunk, trunks), err);
}

/* A host that routes is its own switch; others hang on those that they have links to. */
static size_t list_starts(const struct ways *w, uint32_t host, topomap_start *start)
{
    size_t count = 0;

    if (w->fabric->hosts_route) {
        *start = (topomap_start){.at = host};
        return 1;
    }
    for (uint32_t e = w->all.first[host]; e < w->all.first[host + 1]; e++)
        if (w->router[w->all.neighbour[e]] != UINT32_MAX)
            start[count++] = (topomap_start){w->router[w->all.neighbour[e]], 1, w->all.cost[e]};
    return count;
}

static int find_sites(struct ways *w, topomap_error *err)
{
    TOPOMAP_FREED topomap_start *start =
        topomap_alloc((size_t)w->all.count + 1, sizeof *start, err);

    w->site_of = topomap_alloc(w->nodes, sizeof *w->site_of, err);
    if (!start || !w->site_of)
        return -1;
    for (uint32_t i = 0; i < w->nodes; i++) {
        size_t count = list_starts(w, w->host[i], start);

        if (topomap_known_number(&w->sites, start, count * sizeof *start, &w->site_of[i], err))
            return -1;
    }
    if (w->sites.count > TOPOMAP_FABRIC_SITES)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the nodes are at more than %d places of the fabric",
                                 TOPOMAP_FABRIC_SITES);
    return 0;
}

static int measure(struct ways *w, double hop, topomap_error *err)
{
    size_t sites = w->sites.count;
    TOPOMAP_FREED topomap_site *site = topomap_alloc(sites, sizeof *site, err);

    w->site_hops = topomap_alloc(sites * sites, sizeof *w->site_hops, err);
    w->site_cost = topomap_alloc(sites * sites, sizeof *w->site_cost, err);
    if (!site || !w->site_hops || !w->site_cost)
        return -1;
    for (size_t i = 0; i < sites; i++)
        site[i] = (topomap_site){topomap_known_key(&w->sites, i),
                                 w->sites.key[i].length / sizeof(topomap_start)};
    return topomap_switch_distances(&w->switches, site, sites, hop, w->site_hops, w->site_cost,
                                    err);
}

/* ---- The machine ------------------------------------------------------------------------- */

/* Hosts that are not of the machine stay in the network only where they route. */
static uint32_t number_vertices(const struct ways *w, uint32_t *number)
{
    uint32_t count = w->nodes;

    memset(number, 0xff, w->fabric->vertices * sizeof *number);
    for (uint32_t i = 0; i < w->nodes; i++)
        number[w->host[i]] = i;
    for (uint32_t v = 0; v < w->fabric->vertices; v++)
        if (number[v] == UINT32_MAX && w->router[v] != UINT32_MAX)
            number[v] = count++;
    return count;
}

static int set_network(const struct ways *w, topomap_machine *m, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *number = topomap_alloc(w->fabric->vertices, sizeof *number, err);
    const topomap_fattree *tree = w->fabric->tree;
    const topomap_dragonfly *dragonfly = w->fabric->dragonfly;

    return !number ||
                   topomap_network_of(w->fabric, number, number_vertices(w, number), w->nodes,
                                      &m->network, err) ||
                   (tree && topomap_fattree_routes(m->network, tree, w->hosts, w->host, err)) ||
                   (dragonfly &&
                    topomap_dragonfly_routes(m->network, dragonfly, w->hosts, w->host, err))
               ? -1
               : 0;
}

static int frame(const struct ways *w, const topomap_spec *spec, int named, topomap_machine **m,
                 topomap_error *err)
{
    TOPOMAP_FREED char **name = topomap_alloc(w->nodes, sizeof *name, err);

    if (!name)
        return -1;
    for (uint32_t i = 0; i < w->nodes; i++)
        name[i] = w->fabric->text + w->fabric->vertex[w->host[i]].name;
    if (topomap_spec_frame(w->nodes, spec->slots, named ? name : NULL, m, err))
        return -1;
    return topomap_machine_add_inner(*m, "node", spec->costs == 2 ? spec->cost[0] : 0.0,
                                     (*m)->node_of, err);
}

static int build(struct ways *w, const topomap_spec *spec, int named, topomap_machine **m,
                 topomap_error *err)
{
    double hop = spec->costs ? spec->cost[spec->costs - 1] : 1.0;

    if (join(w, err) || find_sites(w, err) || frame(w, spec, named, m, err) || measure(w, hop, err))
        return -1;
    if (topomap_machine_set_matrix(*m, "fabric", w->sites.count, w->site_of, w->site_cost,
                                   w->site_hops, err) ||
        set_network(w, *m, err))
        return -1;
    return topomap_machine_finish(*m, err);
}

/* The hosts of the machine: those in alloc=, by their places among the hosts; or all. */
static int find_hosts(struct ways *w, const topomap_spec *spec, topomap_error *err)
{
    const topomap_fabric *f = w->fabric;
    uint32_t *host = topomap_alloc(f->vertices, sizeof *host, err);

    if (!host)
        return -1;
    for (uint32_t v = 0; v < f->vertices; v++)
        if (topomap_fabric_is(f, v, TOPOMAP_VERTEX_HOST))
            host[w->hosts++] = v;
    if (!spec->alloc) {
        w->host = host;
        w->nodes = w->hosts;
        return 0;
    }
    if (topomap_spec_alloc(spec->alloc, w->hosts, &w->host, &w->nodes, err) == 0)
        for (uint32_t i = 0; i < w->nodes; i++)
            w->host[i] = host[w->host[i]];
    free(host);
    return w->host ? 0 : -1;
}

int topomap_fabric_machine(topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_CLEANUP(ways_clear) struct ways w = {.fabric = fabric};
    TOPOMAP_MACHINE_FREED topomap_machine *m = NULL;

    if (spec->costs > 2)
        return topomap_spec_fail(spec, err, "expected @HOP or @INSIDE:HOP, found %u costs",
                                 spec->costs);
    if (find_hosts(&w, spec, err) || build(&w, spec, named, &m, err))
        return -1;
    *machine = topomap_take(&m);
    return 0;
}
