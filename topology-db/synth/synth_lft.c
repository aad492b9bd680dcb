/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing tables of made fabrics, as dump_lfts prints them: shortest paths (in a fat tree these go
 * up and then down), by the first dimension first on a torus, and over equal ports by turns:
 * destination / divisor modulo ports, the D-mod-K rule of fat trees (Zahavi 2012). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/synth/synth.h"
#include "util/alloc.h"

enum { FAR = UINT16_MAX, NO_PORT = 255 };

/* A switch's link to a switch. */
struct hop {
    uint32_t peer;
    uint8_t port, rank;
};

struct router {
    const struct synth_fabric *fabric;
    uint32_t *first; /* [switches + 1] links of a switch to switches */
    struct hop *hop; /* ascending by port */
    uint32_t *seat;  /* [switches + 1] adapters on a switch */
    uint32_t *adapter;
    uint8_t *port_of; /* [nodes] the switch's port of an adapter */
    uint16_t *near;
    uint32_t *queue;
    uint8_t *table; /* [switches][nodes + 1] by LID */
};

static void router_clear(struct router *r)
{
    free(r->first);
    free(r->hop);
    free(r->seat);
    free(r->adapter);
    free(r->port_of);
    free(r->near);
    free(r->queue);
    free(r->table);
}

static int by_port(const void *a, const void *b)
{
    return ((const struct hop *)a)->port - ((const struct hop *)b)->port;
}

/* Counts, then places: rows of the links and adapters of each switch. */
static void index_links(struct router *r)
{
    const struct synth_fabric *f = r->fabric;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < f->links; i++) {
            const struct synth_link *l = &f->link[i];

            if (!l->ends)
                continue;
            if (l->b >= f->switches) {
                if (pass) {
                    r->adapter[--r->seat[l->a]] = l->b;
                    r->port_of[l->b] = l->aport;
                } else {
                    r->seat[l->a]++;
                }
            } else if (pass) {
                r->hop[--r->first[l->a]] = (struct hop){l->b, l->aport, l->rank};
                r->hop[--r->first[l->b]] = (struct hop){l->a, l->bport, l->rank};
            } else {
                r->first[l->a]++;
                r->first[l->b]++;
            }
        }
        for (uint32_t i = 0; !pass && i < f->switches; i++) {
            r->first[i + 1] += r->first[i];
            r->seat[i + 1] += r->seat[i];
        }
    }
    for (uint32_t i = 0; i < f->switches; i++)
        qsort(r->hop + r->first[i], r->first[i + 1] - r->first[i], sizeof *r->hop, by_port);
}

static int make_room(struct router *r, topomap_error *err)
{
    const struct synth_fabric *f = r->fabric;
    size_t size = (size_t)f->switches * (f->nodes + 1);

    r->first = topomap_alloc(f->switches + 1u, sizeof *r->first, err);
    r->hop = topomap_alloc((size_t)f->links * 2, sizeof *r->hop, err);
    r->seat = topomap_alloc(f->switches + 1u, sizeof *r->seat, err);
    r->adapter = topomap_alloc(f->nodes, sizeof *r->adapter, err);
    r->port_of = topomap_alloc(f->nodes, 1, err);
    r->near = topomap_alloc(f->switches, sizeof *r->near, err);
    r->queue = topomap_alloc(f->switches, sizeof *r->queue, err);
    r->table = topomap_alloc(size, 1, err);
    if (!r->first || !r->hop || !r->seat || !r->adapter || !r->port_of || !r->near || !r->queue ||
        !r->table)
        return -1;
    memset(r->table, NO_PORT, size);
    return 0;
}

static void spread(struct router *r, uint32_t from)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < r->fabric->switches; i++)
        r->near[i] = FAR;
    r->near[from] = 0;
    r->queue[tail++] = from;
    while (head < tail) {
        uint32_t at = r->queue[head++];

        for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++)
            if (r->near[r->hop[i].peer] == FAR) {
                r->near[r->hop[i].peer] = (uint16_t)(r->near[at] + 1);
                r->queue[tail++] = r->hop[i].peer;
            }
    }
}

/* The ports of a switch that are equally good on the way to where near[] leads. */
static uint32_t candidates(const struct router *r, uint32_t at, uint8_t *port)
{
    uint32_t count = 0;
    uint8_t rank = 255;

    for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++) {
        const struct hop *hop = &r->hop[i];

        if (r->near[hop->peer] == FAR || r->near[hop->peer] + 1 != r->near[at] || hop->rank > rank)
            continue;
        if (hop->rank < rank) {
            rank = hop->rank;
            count = 0;
        }
        port[count++] = hop->port;
    }
    return count;
}

/* Rows of all switches for the LIDs at one switch. */
static void route_to(struct router *r, uint32_t to)
{
    const struct synth_fabric *f = r->fabric;
    uint8_t port[256];

    spread(r, to);
    for (uint32_t at = 0; at < f->switches; at++) {
        uint8_t *row = r->table + (size_t)at * (f->nodes + 1);
        uint32_t count = at == to ? 0 : candidates(r, at, port);
        uint32_t divisor = f->divisor[f->node[at].level];

        if (at == to)
            row[f->node[to].lid] = 0;
        else if (count)
            row[f->node[to].lid] = port[to % count];
        for (uint32_t i = r->seat[to]; i < r->seat[to + 1]; i++) {
            uint32_t adapter = r->adapter[i];

            if (at == to)
                row[f->node[adapter].lid] = r->port_of[adapter];
            else if (count)
                row[f->node[adapter].lid] = port[(adapter - f->switches) / divisor % count];
        }
    }
}

static void print_table(const struct router *r, uint32_t at, FILE *out)
{
    const struct synth_fabric *f = r->fabric;
    const uint8_t *row = r->table + (size_t)at * (f->nodes + 1);
    uint32_t valid = 0;

    fprintf(out,
            "Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64
            " (%s):\n  Lid  Out   Destination\n       Port     Info \n",
            f->nodes, f->node[at].lid, f->node[at].guid, f->node[at].name);
    /* LIDs follow the nodes' order. */
    for (uint32_t i = 0; i < f->nodes; i++) {
        const struct synth_node *node = &f->node[i];

        if (row[node->lid] == NO_PORT)
            continue;
        fprintf(out, "0x%04x %03u : (%s portguid 0x%016" PRIx64 ": '%s')\n", node->lid,
                row[node->lid], i < f->switches ? "Switch" : "Channel Adapter",
                node->guid + (i >= f->switches), node->name);
        valid++;
    }
    fprintf(out, "%u valid lids dumped \n", valid);
}

int synth_write_lfts(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    struct router r = {.fabric = fabric};
    int result = make_room(&r, err);

    if (!result) {
        index_links(&r);
        for (uint32_t to = 0; to < fabric->switches; to++)
            route_to(&r, to);
        for (uint32_t at = 0; at < fabric->switches; at++)
            print_table(&r, at, out);
    }
    router_clear(&r);
    return result;
}
