/* SPDX-License-Identifier: BSD-3-Clause */
/* Made fabrics as ibnetdiscover prints them (infiniband-diags, ibnetdiscover.c): switches, then
 * adapters, each port with its peer. */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/infiniband.h"
#include "topology-db/synth/synth.h"

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
