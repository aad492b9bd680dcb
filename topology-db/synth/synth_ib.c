/* SPDX-License-Identifier: BSD-3-Clause */
/* Made fabrics as ibnetdiscover prints them (infiniband-diags, ibnetdiscover.c): switches, then
 * adapters, each port with its peer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/ib_names.h"
#include "topology-db/synth/synth.h"
#include "util/alloc.h"

/* One end of a link that the node at it lists. */
struct end {
    uint32_t node, peer;
    uint8_t port, peer_port, width, speed;
};

static int by_node_port(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static size_t list_ends(const struct synth_fabric *fabric, struct end *end)
{
    size_t ends = 0;

    for (uint32_t i = 0; i < fabric->links; i++) {
        const struct synth_link *l = &fabric->link[i];

        if (l->ends)
            end[ends++] = (struct end){l->a, l->b, l->aport, l->bport, l->width, l->speed};
        if (l->ends == 2)
            end[ends++] = (struct end){l->b, l->a, l->bport, l->aport, l->width, l->speed};
    }
    if (ends)
        qsort(end, ends, sizeof *end, by_node_port);
    return ends;
}

static void print_switch(const struct synth_fabric *fabric, uint32_t at, const struct end *end,
                         size_t ends, FILE *out)
{
    const struct synth_node *node = &fabric->node[at];

    fprintf(out,
            "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x%" PRIx64 "\nswitchguid=0x%" PRIx64
            "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64 "\"\t\t# \"%s\" enhanced port 0 lid %u lmc "
            "0\n",
            node->guid, node->guid, node->guid, node->ports, node->guid, node->name, node->lid);
    for (size_t i = 0; i < ends; i++) {
        const struct synth_node *peer = &fabric->node[end[i].peer];

        fprintf(out, "[%u]\t\"%c-%016" PRIx64 "\"[%u]", end[i].port,
                end[i].peer < fabric->switches ? 'S' : 'H', peer->guid, end[i].peer_port);
        if (end[i].peer >= fabric->switches)
            fprintf(out, "(%" PRIx64 ") ", peer->guid + 1);
        fprintf(out, "\t\t# \"%s\" lid %u %ux%s\n", peer->name, peer->lid, end[i].width,
                ib_speeds[end[i].speed].name);
    }
}

static void print_adapter(const struct synth_fabric *fabric, uint32_t at, const struct end *end,
                          FILE *out)
{
    const struct synth_node *node = &fabric->node[at], *peer = &fabric->node[end->peer];

    fprintf(out,
            "\nvendid=0x2c9\ndevid=0x101b\nsysimgguid=0x%" PRIx64 "\ncaguid=0x%" PRIx64
            "\nCa\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
            node->guid, node->guid, node->ports, node->guid, node->name);
    fprintf(out,
            "[%u](%" PRIx64 ") \t\"S-%016" PRIx64 "\"[%u]\t\t# lid %u lmc 0 \"%s\" lid %u %ux%s\n",
            end->port, node->guid + 1, peer->guid, end->peer_port, node->lid, peer->name, peer->lid,
            end->width, ib_speeds[end->speed].name);
}

int synth_write_ibnetdiscover(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    struct end *end = topomap_alloc((size_t)fabric->links * 2, sizeof *end, err);
    size_t ends, at = 0;

    if (!end)
        return -1;
    ends = list_ends(fabric, end);
    /* No clock: the same specification gives the same bytes. */
    fprintf(out,
            "#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"
            "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
            fabric->node[0].guid, fabric->node[0].guid);
    for (uint32_t node = 0; node < fabric->nodes; node++) {
        size_t first = at;

        while (at < ends && end[at].node == node)
            at++;
        if (node < fabric->switches)
            print_switch(fabric, node, end + first, at - first, out);
        else if (at > first)
            print_adapter(fabric, node, end + first, out);
    }
    free(end);
    return 0;
}
