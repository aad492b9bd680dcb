/* SPDX-License-Identifier: BSD-3-Clause */
/* Made fabrics as ibnetdiscover prints them (infiniband-diags, ibnetdiscover.c): switches, then
 * adapters, each port with its peer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/infiniband.h"
#include "topology-db/synth/synth.h"
#include "fabric/switches.h"
#include "util/alloc.h"

/* Whether the vertex lists its end, and the port at the other one. */
static int is_listed(const struct synth_fabric *fabric, uint32_t at, const topomap_end *end,
                     uint32_t *peer_port)
{
    const topomap_link *link = &fabric->base.link[end->link];

    *peer_port = link->a == at ? link->bport : link->aport;
    return link->ends == 3 || link->a == at;
}

static void print_switch(const struct synth_fabric *fabric, uint32_t at, const topomap_end *end,
                         size_t ends, FILE *out)
{
    const topomap_fabric *f = &fabric->base;
    uint64_t guid = synth_guid(fabric, at);
    uint32_t peer_port;

    fprintf(out,
            "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x%" PRIx64 "\nswitchguid=0x%" PRIx64
            "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64 "\"\t\t# \"%s\" enhanced port 0 lid %u lmc "
            "0\n",
            guid, guid, guid, fabric->ports[f->vertex[at].level], guid, topomap_fabric_name(f, at),
            synth_lid(at));
    for (size_t i = 0; i < ends; i++) {
        uint32_t peer = end[i].peer;
        int adapter = peer >= fabric->switches;

        if (!is_listed(fabric, at, &end[i], &peer_port))
            continue;
        guid = synth_guid(fabric, peer);
        fprintf(out, "[%u]\t\"%c-%016" PRIx64 "\"[%u]", end[i].port, adapter ? 'H' : 'S', guid,
                peer_port);
        if (adapter)
            fprintf(out, "(%" PRIx64 ") ", guid + 1);
        fprintf(out, "\t\t# \"%s\" lid %u %ux%s\n", topomap_fabric_name(f, peer), synth_lid(peer),
                f->link[end[i].link].width, ib_speeds[f->link[end[i].link].speed].name);
    }
}

/* Its one port; nothing where that is not listed. */
static void print_adapter(const struct synth_fabric *fabric, uint32_t at, const topomap_end *end,
                          FILE *out)
{
    const topomap_fabric *f = &fabric->base;
    const topomap_link *link = &f->link[end->link];
    uint64_t guid = synth_guid(fabric, at);
    uint32_t peer_port;

    if (!is_listed(fabric, at, end, &peer_port))
        return;
    fprintf(out,
            "\nvendid=0x2c9\ndevid=0x101b\nsysimgguid=0x%" PRIx64 "\ncaguid=0x%" PRIx64
            "\nCa\t1 \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
            guid, guid, guid, topomap_fabric_name(f, at));
    fprintf(out,
            "[%u](%" PRIx64 ") \t\"S-%016" PRIx64 "\"[%u]\t\t# lid %u lmc 0 \"%s\" lid %u %ux%s\n",
            end->port, guid + 1, synth_guid(fabric, end->peer), peer_port, synth_lid(at),
            topomap_fabric_name(f, end->peer), synth_lid(end->peer), link->width,
            ib_speeds[link->speed].name);
}

int synth_write_ibnetdiscover(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    const topomap_fabric *f = &fabric->base;
    uint32_t *first;
    topomap_end *end;

    if (topomap_ends_list(f->vertices, f->links, f->link, TOPOMAP_ENDS_BY_PORT, &first, &end, err))
        return -1;
    /* No clock: the same specification gives the same bytes. */
    fprintf(out,
            "#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"
            "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
            synth_guid(fabric, 0), synth_guid(fabric, 0));
    for (uint32_t v = 0; v < f->vertices; v++)
        if (v < fabric->switches)
            print_switch(fabric, v, end + first[v], first[v + 1] - first[v], out);
        else if (first[v + 1] > first[v])
            print_adapter(fabric, v, end + first[v], out);
    free(first);
    free(end);
    return 0;
}

/* ---- Routing tables --------------------------------------------------------------------- */

/* Routing tables of made fabrics, as dump_lfts prints them: shortest paths (in a fat tree these go
 * up and then down), by the first dimension first on a torus, and over equal ports by turns:
 * destination / divisor modulo ports, the D-mod-K rule of fat trees (Zahavi 2012). */

enum { NO_PORT = 255 };

struct router {
    const struct synth_fabric *fabric;
    topomap_end *end;       /* of all vertices, by port */
    topomap_switches graph; /* of all vertices: adapters lie beyond their switches */
    uint16_t *near;         /* hops to where routes lead */
    uint8_t *table;         /* [switches][nodes + 1] by LID */
};

static void router_clear(struct router *r)
{
    free(r->end);
    topomap_switches_clear(&r->graph);
    free(r->near);
    free(r->table);
}

static int make_room(struct router *r, topomap_error *err)
{
    const topomap_fabric *f = &r->fabric->base;
    size_t size = (size_t)r->fabric->switches * (f->vertices + 1);

    if (topomap_ends_list(f->vertices, f->links, f->link, TOPOMAP_ENDS_BY_PORT, &r->graph.first,
                          &r->end, err))
        return -1;
    r->graph.count = (uint32_t)f->vertices;
    r->graph.neighbour = topomap_alloc(f->links * 2, sizeof *r->graph.neighbour, err);
    r->graph.queue = topomap_alloc(f->vertices, sizeof *r->graph.queue, err);
    r->near = topomap_alloc(f->vertices, sizeof *r->near, err);
    r->table = topomap_alloc(size, 1, err);
    if (!r->graph.neighbour || !r->graph.queue || !r->near || !r->table)
        return -1;
    for (uint32_t i = 0; i < r->graph.first[f->vertices]; i++)
        r->graph.neighbour[i] = r->end[i].peer;
    memset(r->table, NO_PORT, size);
    return 0;
}

/* The ports of a switch that are equally good on the way to where near[] leads. */
static uint32_t candidates(const struct router *r, uint32_t at, uint8_t *port)
{
    uint32_t count = 0, rank = UINT32_MAX;

    for (uint32_t i = r->graph.first[at]; i < r->graph.first[at + 1]; i++) {
        const topomap_end *end = &r->end[i];
        uint32_t own;

        if (r->near[end->peer] == TOPOMAP_FAR || r->near[end->peer] + 1 != r->near[at])
            continue;
        own = r->fabric->grid ? r->fabric->base.link[end->link].class : 0;
        if (own < rank) {
            rank = own;
            count = 0;
        }
        if (own == rank)
            port[count++] = (uint8_t)end->port;
    }
    return count;
}

/* Rows of all switches for the LIDs at one switch. */
static void route_to(struct router *r, uint32_t to)
{
    const struct synth_fabric *f = r->fabric;
    const uint32_t *first = r->graph.first;
    uint8_t port[256];

    topomap_switches_spread(&r->graph, &to, 1, r->near);
    for (uint32_t at = 0; at < f->switches; at++) {
        uint8_t *row = r->table + (size_t)at * (f->base.vertices + 1);
        uint32_t count = at == to ? 0 : candidates(r, at, port);
        uint32_t divisor = f->divisor[f->base.vertex[at].level];

        if (at == to)
            row[synth_lid(to)] = 0;
        else if (count)
            row[synth_lid(to)] = port[to % count];
        for (uint32_t i = first[to]; i < first[to + 1]; i++) {
            uint32_t peer = r->end[i].peer;

            if (peer >= f->switches && at == to)
                row[synth_lid(peer)] = (uint8_t)r->end[i].port;
            else if (peer >= f->switches && count)
                row[synth_lid(peer)] = port[(peer - f->switches) / divisor % count];
        }
    }
}

static void print_table(const struct router *r, uint32_t at, FILE *out)
{
    const struct synth_fabric *f = r->fabric;
    const uint8_t *row = r->table + (size_t)at * (f->base.vertices + 1);
    uint32_t valid = 0;

    fprintf(out,
            "Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64
            " (%s):\n  Lid  Out   Destination\n       Port     Info \n",
            (unsigned)f->base.vertices, synth_lid(at), synth_guid(f, at),
            topomap_fabric_name(&f->base, at));
    for (uint32_t v = 0; v < f->base.vertices; v++) {
        uint32_t lid = synth_lid(v);

        if (row[lid] == NO_PORT)
            continue;
        fprintf(out, "0x%04x %03u : (%s portguid 0x%016" PRIx64 ": '%s')\n", lid, row[lid],
                v < f->switches ? "Switch" : "Channel Adapter",
                synth_guid(f, v) + (v >= f->switches), topomap_fabric_name(&f->base, v));
        valid++;
    }
    fprintf(out, "%u valid lids dumped \n", valid);
}

int synth_write_lfts(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(router_clear) struct router r = {.fabric = fabric};

    if (make_room(&r, err))
        return -1;
    for (uint32_t to = 0; to < fabric->switches; to++)
        route_to(&r, to);
    for (uint32_t at = 0; at < fabric->switches; at++)
        print_table(&r, at, out);
    return 0;
}
