/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/links/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

/* ---- Traffic ------------------------------------------------------------------------------- */

/* Rows of the graph and of what is made ascend, so that each is walked once: those out of u beside
 * u's own, and of each other one's the entry of u, which is behind those of the ranks before.
 * \param next  [vertices] where u is, or behind it, in the row of each */
static void fill_rows(const topomap_graph *g, topomap_traffic_rows *made, uint64_t *next)
{
    memcpy(next, made->offset, made->vertices * sizeof *next);
    for (uint32_t u = 0; u < g->ranks; u++) {
        uint64_t own = made->offset[u];

        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];

            while (own < made->offset[u + 1] && made->other[own] < v)
                own++;
            while (next[v] < made->offset[v + 1] && made->other[next[v]] < u)
                next[v]++;
            if (own == made->offset[u + 1] || made->other[own] != v)
                continue; /* without bytes, both ways */
            made->out[own] = (double)g->bytes[e];
            made->in[next[v]] = (double)g->bytes[e];
        }
    }
}

int topomap_traffic_rows_new(const topomap_graph *graph, uint32_t vertices,
                             topomap_traffic_rows *rows, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights w = {0};
    TOPOMAP_CLEANUP(topomap_traffic_rows_clear) topomap_traffic_rows made = {.vertices = vertices};
    TOPOMAP_FREED uint64_t *next = NULL;

    if (topomap_weights_new(graph, vertices, &w, err))
        return -1;
    made.out = topomap_alloc(w.offset[vertices], sizeof *made.out, err);
    made.in = topomap_alloc(w.offset[vertices], sizeof *made.in, err);
    made.offset = topomap_take(&w.offset);
    made.other = topomap_take(&w.target);
    next = topomap_alloc(vertices, sizeof *next, err);
    if (!made.out || !made.in || !next)
        return -1;
    fill_rows(graph, &made, next);
    *rows = made;
    made = (topomap_traffic_rows){0};
    return 0;
}

void topomap_traffic_rows_clear(topomap_traffic_rows *rows)
{
    free(rows->offset);
    free(rows->other);
    free(rows->out);
    free(rows->in);
    *rows = (topomap_traffic_rows){0};
}

/* ---- Loads --------------------------------------------------------------------------------- */

double topomap_loads_sum(const topomap_loads *l)
{
    double sum = 0;

    for (uint32_t link = 0; link < l->network->links; link++)
        sum += topomap_maxima_get(&l->load, link);
    return sum;
}

/* ---- The potential ------------------------------------------------------------------------- */

static double power_of(double load, unsigned power)
{
    for (; power > 1; power /= 2)
        load *= load;
    return load;
}

static double excess_of(const topomap_loads *l, double load)
{
    return (load > l->floor ? load - l->floor : 0) + l->slope * load * load;
}

double topomap_loads_potential(const topomap_loads *l)
{
    double sum = 0;

    for (uint32_t link = 0; link < l->network->links; link++) {
        double load = topomap_maxima_get(&l->load, link);

        if (!(load > 0)) /* most of a large fabric's */
            continue;
        load /= l->scale;
        sum += l->floor > 0 ? excess_of(l, load) : power_of(load, l->power) + l->slope * load;
    }
    return sum;
}

/* Adds traffic from one vertex of the network to another one to the change. -1: there is no way */
static int change(topomap_loads *l, uint32_t from, uint32_t to, double bytes)
{
    topomap_way way;
    int status;

    if (from == to || !(bytes < 0 || bytes > 0))
        return 0;
    status = topomap_shares_find(l->shares, from, to, &way);
    l->is_short |= status < 0;
    if (status)
        return -1;
    *l->looked += way.looked;
    for (uint32_t i = 0; i < way.links; i++) {
        uint32_t link = way.link[i];

        if (l->seen[link] != l->epoch) {
            l->seen[link] = l->epoch;
            l->touched[l->count++] = link;
            l->change[link] = 0;
        }
        l->change[link] += way.part ? bytes * way.part[i] : bytes;
    }
    return 0;
}

/* Adds up u's traffic by where the others are; sign -1 takes it off. */
static void meet(topomap_loads *l, uint32_t u, uint32_t but, double sign)
{
    const topomap_traffic_rows *r = l->rows;

    *l->looked += r->offset[u + 1] - r->offset[u];
    for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++) {
        uint32_t place = l->at[r->other[e]];

        if (r->other[e] == but)
            continue;
        if (l->met_seen[place] != l->epoch) {
            l->met_seen[place] = l->epoch;
            l->met[l->met_count++] = place;
            l->out[place] = l->in[place] = 0;
        }
        l->out[place] += sign * r->out[e];
        l->in[place] += sign * r->in[e];
    }
}

/* The edge of the two that change places turns round. */
static int turn(topomap_loads *l, uint32_t u, uint32_t x)
{
    const topomap_traffic_rows *r = l->rows;
    uint32_t p = l->at[u], q = l->at[x];
    uint64_t low = topomap_sorted_u32(r->other, r->offset[u], r->offset[u + 1], x);

    if (low == r->offset[u + 1] || r->other[low] != x)
        return 0;
    return change(l, p, q, r->in[low] - r->out[low]) || change(l, q, p, r->out[low] - r->in[low]);
}

static double sum_change(topomap_loads *l)
{
    double sum = 0;

    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t link = l->touched[i];
        double after = (l->bytes[link] + l->change[link]) / (l->network->capacity[link] * l->scale);
        double before = topomap_maxima_get(&l->load, link) / l->scale;

        after = after > 0 ? after : 0;
        l->peak = after > l->peak ? after : l->peak;
        sum += l->floor > 0 ? excess_of(l, after) - excess_of(l, before)
                            : power_of(after, l->power) - power_of(before, l->power) +
                                  l->slope * (after - before);
    }
    l->peak *= l->scale;
    return sum;
}

double topomap_loads_price(topomap_loads *l, uint32_t u, uint32_t x)
{
    uint32_t p = l->at[u], q = l->at[x];
    int lost;

    l->epoch++;
    l->count = l->met_count = 0;
    l->peak = 0;
    if (p == q)
        return 0;
    meet(l, u, x, 1);
    meet(l, x, u, -1);
    for (uint32_t i = 0; i < l->met_count; i++) {
        topomap_shares_expect(l->shares, p, l->met[i]);
        topomap_shares_expect(l->shares, q, l->met[i]);
        topomap_shares_expect(l->shares, l->met[i], p);
        topomap_shares_expect(l->shares, l->met[i], q);
    }
    lost = turn(l, u, x);
    for (uint32_t i = 0; !lost && i < l->met_count; i++) {
        uint32_t place = l->met[i];

        lost = change(l, p, place, -l->out[place]) || change(l, q, place, l->out[place]) ||
               change(l, place, p, -l->in[place]) || change(l, place, q, l->in[place]);
    }
    return lost ? INFINITY : sum_change(l);
}

void topomap_loads_swap(topomap_loads *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t link = l->touched[i];

        l->bytes[link] += l->change[link];
        l->bytes[link] = l->bytes[link] > 0 ? l->bytes[link] : 0;
        topomap_maxima_set(&l->load, link, l->bytes[link] / l->network->capacity[link]);
    }
    *l->looked += l->count;
    l->count = 0;
}

/* ---- Parts --------------------------------------------------------------------------------- */

static int add_all(topomap_loads *l, topomap_error *err)
{
    const topomap_traffic_rows *r = l->rows;

    for (uint32_t u = 0; u < r->vertices; u++) {
        int lost = 0;

        l->epoch++;
        l->count = l->met_count = 0;
        meet(l, u, UINT32_MAX, 1);
        for (uint32_t i = 0; !lost && i < l->met_count; i++)
            lost = change(l, l->at[u], l->met[i], l->out[l->met[i]]);
        if (lost)
            return l->is_short
                       ? topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory")
                       : topomap_error_set(err, TOPOMAP_EINPUT,
                                           "rank %u has no way to a rank that it sends to", u);
        for (uint32_t i = 0; i < l->count; i++)
            l->bytes[l->touched[i]] += l->change[l->touched[i]];
    }
    l->count = 0;
    for (uint32_t link = 0; link < l->network->links; link++)
        topomap_maxima_put(&l->load, link, l->bytes[link] / l->network->capacity[link]);
    topomap_maxima_finish(&l->load);
    return 0;
}

static int allocate(topomap_loads *l, topomap_error *err)
{
    size_t links = l->network->links, vertices = l->network->vertices;

    l->bytes = topomap_arena_alloc(&l->memory, links * 2, sizeof *l->bytes, err);
    l->seen = topomap_arena_alloc(&l->memory, links * 2, sizeof *l->seen, err);
    l->out = topomap_arena_alloc(&l->memory, vertices * 2, sizeof *l->out, err);
    l->met = topomap_arena_alloc(&l->memory, vertices * 2, sizeof *l->met, err);
    if (topomap_maxima_init(&l->load, l->network->links, err) || l->memory.is_short)
        return -1;
    l->change = l->bytes + links;
    l->touched = l->seen + links;
    l->in = l->out + vertices;
    l->met_seen = l->met + vertices;
    return 0;
}

int topomap_loads_init(topomap_loads *l, topomap_shares *shares, const topomap_network *network,
                       const topomap_traffic_rows *rows, const uint32_t *at, uint64_t *looked,
                       topomap_error *err)
{
    *l = (topomap_loads){
        .shares = shares, .network = network, .rows = rows, .at = at, .looked = looked};
    return allocate(l, err) ? -1 : topomap_loads_restart(l, err);
}

int topomap_loads_restart(topomap_loads *l, topomap_error *err)
{
    l->scale = 1;
    l->power = 1;
    l->slope = 0;
    l->floor = 0;
    l->is_short = 0;
    l->peak = 0;
    memset(l->bytes, 0, l->network->links * sizeof *l->bytes);
    if (l->epoch > UINT32_MAX / 2) {
        memset(l->seen, 0, l->network->links * sizeof *l->seen);
        memset(l->met_seen, 0, l->network->vertices * sizeof *l->met_seen);
        l->epoch = 0;
    }
    return add_all(l, err);
}

void topomap_loads_clear(topomap_loads *l)
{
    topomap_maxima_clear(&l->load);
    topomap_arena_clear(&l->memory);
}
