/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "machine/fabric.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/ways.h"
#include "util/alloc.h"

/* ---- Parts ------------------------------------------------------------------------------- */

int topomap_fabric_init(topomap_fabric *fabric, const topomap_spec *spec, uint64_t hosts,
                        uint64_t switches, uint64_t cables, topomap_error *err)
{
    if (hosts > TOPOMAP_FABRIC_VERTICES || switches > TOPOMAP_FABRIC_VERTICES - hosts ||
        cables > TOPOMAP_FABRIC_CABLES)
        return topomap_spec_fail(spec, err,
                                 "the machine has more than %d hosts and switches or %d cables",
                                 TOPOMAP_FABRIC_VERTICES, TOPOMAP_FABRIC_CABLES);
    fabric->hosts = (uint32_t)hosts;
    fabric->vertices = (uint32_t)(hosts + switches);
    fabric->name = topomap_alloc(fabric->vertices, sizeof *fabric->name, err);
    return fabric->name ? 0 : -1;
}

int topomap_fabric_name(topomap_fabric *fabric, uint32_t vertex, topomap_error *err,
                        const char *format, ...)
{
    char text[64];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fabric->name[vertex] = topomap_strdup(text, err);
    return fabric->name[vertex] ? 0 : -1;
}

int topomap_fabric_join(topomap_fabric *fabric, uint32_t a, uint32_t b, double rate,
                        topomap_error *err)
{
    if (topomap_grow(&fabric->cable, &fabric->room, fabric->cables + 1, sizeof *fabric->cable, err))
        return -1;
    fabric->cable[fabric->cables++] = (topomap_cable){a, b, 1, rate};
    return 0;
}

void topomap_fabric_clear(topomap_fabric *fabric)
{
    for (uint32_t v = 0; fabric->name && v < fabric->vertices; v++)
        free(fabric->name[v]);
    free(fabric->name);
    free(fabric->cable);
    *fabric = (topomap_fabric){0};
}

/* ---- Rates ------------------------------------------------------------------------------- */

static int find_reference(const topomap_fabric *f, double *reference, topomap_error *err)
{
    double *rate = topomap_alloc(f->cables, sizeof *rate, err);
    size_t count = 0, all = 0;

    if (!rate)
        return -1;
    for (size_t i = 0; i < f->cables; i++)
        if (f->cable[i].capacity > 0 &&
            (f->hosts_route || (f->cable[i].a >= f->hosts && f->cable[i].b >= f->hosts)))
            rate[count++] = f->cable[i].capacity;
    for (size_t i = 0; !count && i < f->cables; i++)
        if (f->cable[i].capacity > 0)
            rate[all++] = f->cable[i].capacity;
    *reference = topomap_commonest_rate(rate, count ? count : all, 1);
    free(rate);
    return 0;
}

static uint32_t cost_of(double rate, double reference)
{
    double cost = rate > 0 ? reference / rate * TOPOMAP_HOP + 0.5 : TOPOMAP_HOP;

    return cost < 1 ? 1 : cost > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST : (uint32_t)cost;
}

/* ---- Ways -------------------------------------------------------------------------------- */

struct end {
    uint32_t vertex, cost;
};

struct ways {
    const topomap_fabric *fabric;
    uint32_t nodes;
    const uint32_t *host; /* [nodes] */
    uint32_t *first;      /* [vertices + 1] */
    struct end *end;      /* neighbours, ascending, each once with the least cost */
    uint32_t *site_of;    /* [nodes] */
    uint32_t *lead;       /* [sites] host that stands for the site */
    uint32_t sites;
    uint32_t routers; /* the first vertex that routes */
    uint16_t *site_hops;
    float *site_cost;
};

static void ways_clear(struct ways *w)
{
    free(w->first);
    free(w->end);
    free(w->site_of);
    free(w->lead);
    free(w->site_hops);
    free(w->site_cost);
}

static int by_end(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    return x->cost < y->cost ? -1 : x->cost > y->cost;
}

static int list_ends(struct ways *w, double reference, topomap_error *err)
{
    const topomap_fabric *f = w->fabric;
    uint32_t kept = 0, from = 0;
    uint32_t *at;

    w->first = topomap_alloc((size_t)f->vertices + 2, sizeof *w->first, err);
    w->end = topomap_alloc(f->cables * 2, sizeof *w->end, err);
    if (!w->first || !w->end)
        return -1;
    at = w->first + 1;
    for (size_t i = 0; i < f->cables; i++)
        if (f->cable[i].a != f->cable[i].b) {
            at[f->cable[i].a + 1]++;
            at[f->cable[i].b + 1]++;
        }
    for (uint32_t v = 0; v < f->vertices; v++)
        at[v + 1] += at[v];
    for (size_t i = 0; i < f->cables; i++) {
        const topomap_cable *c = &f->cable[i];
        uint32_t cost = cost_of(c->capacity, reference);

        if (c->a == c->b)
            continue;
        w->end[at[c->a]++] = (struct end){c->b, cost};
        w->end[at[c->b]++] = (struct end){c->a, cost};
    }
    /* Filling has moved each vertex's place to its end, so that first[v] .. first[v + 1] is v's. */
    for (uint32_t v = 0; v < f->vertices; v++) {
        uint32_t to = w->first[v + 1], start = kept;

        if (to > from)
            qsort(w->end + from, to - from, sizeof *w->end, by_end);
        for (uint32_t i = from; i < to; i++)
            if (kept == start || w->end[kept - 1].vertex != w->end[i].vertex)
                w->end[kept++] = w->end[i];
        from = to;
        w->first[v + 1] = kept;
    }
    return 0;
}

static int compare_sites(const struct ways *w, uint32_t x, uint32_t y)
{
    uint32_t a = w->host[x], b = w->host[y];
    uint32_t na = w->first[a + 1] - w->first[a], nb = w->first[b + 1] - w->first[b];
    int order = 0;

    if (w->fabric->hosts_route)
        return a < b ? -1 : a > b;
    if (na != nb)
        return na < nb ? -1 : 1;
    for (uint32_t i = 0; !order && i < na; i++)
        order = by_end(&w->end[w->first[a] + i], &w->end[w->first[b] + i]);
    return order;
}

static int by_site(const void *a, const void *b, void *data)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare_sites(data, x, y);

    return order ? order : x < y ? -1 : x > y;
}

/* Nodes on the same switches by the same links are one site; sites are numbered by first node. */
static int find_sites(struct ways *w, topomap_error *err)
{
    uint32_t *node = topomap_alloc(w->nodes, sizeof *node, err);
    uint32_t *number = topomap_alloc(w->nodes, sizeof *number, err); /* 1 +, by first node */

    w->site_of = topomap_alloc(w->nodes, sizeof *w->site_of, err);
    w->lead = topomap_alloc(w->nodes, sizeof *w->lead, err);
    if (!node || !number || !w->site_of || !w->lead) {
        free(node);
        free(number);
        return -1;
    }
    for (uint32_t i = 0; i < w->nodes; i++)
        node[i] = i;
    qsort_r(node, w->nodes, sizeof *node, by_site, w);
    for (uint32_t i = 0; i < w->nodes; i++) /* for now, the first node of the site */
        w->site_of[node[i]] =
            i && compare_sites(w, node[i - 1], node[i]) == 0 ? w->site_of[node[i - 1]] : node[i];
    for (uint32_t i = 0; i < w->nodes; i++) {
        if (w->site_of[i] == i) {
            w->lead[w->sites++] = w->host[i];
            number[i] = w->sites;
        }
        w->site_of[i] = number[w->site_of[i]] - 1;
    }
    free(node);
    free(number);
    if (w->sites > TOPOMAP_FABRIC_SITES)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the nodes are at more than %d places of the fabric",
                                 TOPOMAP_FABRIC_SITES);
    return 0;
}

/* What routes, and the links between those. */
static int join_switches(const struct ways *w, topomap_switches *s, topomap_error *err)
{
    topomap_trunk *trunk;
    size_t trunks = 0;
    int status;

    s->count = w->fabric->vertices - w->routers;
    trunk = topomap_alloc(w->first[w->fabric->vertices], sizeof *trunk, err);
    if (!trunk)
        return -1;
    for (uint32_t a = w->routers; a < w->fabric->vertices; a++)
        for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++)
            if (w->end[e].vertex > a)
                trunk[trunks++] =
                    (topomap_trunk){a - w->routers, w->end[e].vertex - w->routers, w->end[e].cost};
    status = topomap_switches_join(s, trunk, trunks, err);
    free(trunk);
    return status;
}

/* A host that routes is its own switch; others hang on those that they have links to. */
static void list_starts(const struct ways *w, topomap_site *site, topomap_start *start)
{
    for (uint32_t i = 0; i < w->sites; i++) {
        uint32_t lead = w->lead[i], ends = w->fabric->hosts_route ? 0 : w->first[lead + 1];

        site[i] = (topomap_site){.on = start};
        if (w->fabric->hosts_route)
            *start++ = (topomap_start){.at = lead};
        for (uint32_t e = w->first[lead]; e < ends; e++)
            if (w->end[e].vertex >= w->routers)
                *start++ = (topomap_start){w->end[e].vertex - w->routers, 1, w->end[e].cost};
        site[i].count = (size_t)(start - site[i].on);
    }
}

static int measure(struct ways *w, double hop, topomap_error *err)
{
    size_t cells = (size_t)w->sites * w->sites;
    topomap_switches switches = {0};
    topomap_site *site = topomap_alloc(w->sites, sizeof *site, err);
    topomap_start *start =
        topomap_alloc((size_t)w->sites + w->first[w->fabric->vertices], sizeof *start, err);
    int status = -1;

    w->site_hops = topomap_alloc(cells, sizeof *w->site_hops, err);
    w->site_cost = topomap_alloc(cells, sizeof *w->site_cost, err);
    if (site && start && w->site_hops && w->site_cost && !join_switches(w, &switches, err)) {
        list_starts(w, site, start);
        status = topomap_ways(&switches, site, w->sites, hop, w->site_hops, w->site_cost, err);
    }
    topomap_switches_clear(&switches);
    free(site);
    free(start);
    return status;
}

/* ---- The machine ------------------------------------------------------------------------- */

/* Hosts that are not of the machine stay in the network only where they route. */
static uint32_t number_vertices(const struct ways *w, uint32_t *number)
{
    const topomap_fabric *f = w->fabric;
    uint32_t count = w->nodes;

    memset(number, 0xff, f->vertices * sizeof *number);
    for (uint32_t i = 0; i < w->nodes; i++)
        number[w->host[i]] = i;
    for (uint32_t v = 0; v < f->vertices; v++)
        if (number[v] == UINT32_MAX && (v >= f->hosts || f->hosts_route))
            number[v] = count++;
    return count;
}

static int name_network(const topomap_fabric *f, const uint32_t *number, topomap_network *network,
                        topomap_error *err)
{
    network->name = topomap_alloc(network->vertices, sizeof *network->name, err);
    if (!network->name)
        return -1;
    for (uint32_t v = 0; v < f->vertices; v++)
        if (number[v] != UINT32_MAX &&
            !(network->name[number[v]] = topomap_strdup(f->name[v], err)))
            return -1;
    return 0;
}

static int set_network(const struct ways *w, topomap_machine *m, topomap_error *err)
{
    const topomap_fabric *f = w->fabric;
    uint32_t *number = topomap_alloc(f->vertices, sizeof *number, err);
    topomap_cable *cable = topomap_alloc(f->cables, sizeof *cable, err);
    const char *unit = NULL;
    size_t cables = 0;
    int status = -1;

    if (number && cable) {
        if (f->cables)
            memcpy(cable, f->cable, f->cables * sizeof *cable);
        unit = topomap_cables_fill(cable, f->cables, err);
    }
    if (unit) {
        uint32_t vertices = number_vertices(w, number);

        for (size_t i = 0; i < f->cables; i++) {
            topomap_cable c = cable[i];

            c.a = number[c.a];
            c.b = number[c.b];
            if (c.a != UINT32_MAX && c.b != UINT32_MAX)
                cable[cables++] = c;
        }
        status = topomap_network_new(vertices, cables, cable, w->nodes, NULL, &m->network, err);
    }
    if (status == 0) {
        m->network->unit = unit;
        status = name_network(f, number, m->network, err);
    }
    if (status == 0 && f->tree) {
        m->network->fattree = topomap_fattree_copy(f->tree, f->hosts, w->nodes, w->host, err);
        status = m->network->fattree ? 0 : -1;
    }
    free(number);
    free(cable);
    return status;
}

static int frame(const struct ways *w, const topomap_spec *spec, int named, topomap_machine **m,
                 topomap_error *err)
{
    uint32_t *per_node = topomap_alloc(w->nodes, sizeof *per_node, err);
    char **name = topomap_alloc(w->nodes, sizeof *name, err);
    int status = -1;

    if (per_node && name) {
        for (uint32_t i = 0; i < w->nodes; i++) {
            per_node[i] = spec->slots;
            name[i] = w->fabric->name[w->host[i]];
        }
        status = topomap_machine_frame(w->nodes, per_node, named ? name : NULL, m, err);
    }
    free(per_node);
    free(name);
    if (status == 0)
        status = topomap_machine_add_inner(*m, "node", spec->costs == 2 ? spec->cost[0] : 0.0,
                                           (*m)->node_of, err);
    return status;
}

static int build(struct ways *w, const topomap_spec *spec, int named, topomap_machine **m,
                 topomap_error *err)
{
    double hop = spec->costs ? spec->cost[spec->costs - 1] : 1.0, reference;

    if (find_reference(w->fabric, &reference, err) || list_ends(w, reference, err) ||
        find_sites(w, err) || frame(w, spec, named, m, err) || measure(w, hop, err))
        return -1;
    if (topomap_machine_set_matrix(*m, "fabric", w->sites, w->site_of, w->site_cost, w->site_hops,
                                   err) ||
        set_network(w, *m, err))
        return -1;
    return topomap_machine_finish(*m, err);
}

int topomap_fabric_machine(const topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err)
{
    struct ways w = {.fabric = fabric,
                     .nodes = fabric->hosts,
                     .routers = fabric->hosts_route ? 0 : fabric->hosts};
    topomap_machine *m = NULL;
    uint32_t *host = NULL;
    int status = 0;

    if (spec->costs > 2)
        return topomap_spec_fail(spec, err, "expected @HOP or @INSIDE:HOP, found %u costs",
                                 spec->costs);
    if (spec->alloc) {
        status = topomap_spec_alloc(spec->alloc, fabric->hosts, &host, &w.nodes, err);
    } else if ((host = topomap_alloc(w.nodes, sizeof *host, err)) != NULL) {
        for (uint32_t i = 0; i < w.nodes; i++)
            host[i] = i;
    } else {
        status = -1;
    }
    w.host = host;
    if (status == 0)
        status = build(&w, spec, named, &m, err);
    ways_clear(&w);
    free(host);
    if (status == 0)
        *machine = m;
    else
        topomap_machine_free(m);
    return status;
}
