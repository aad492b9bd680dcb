/* SPDX-License-Identifier: BSD-3-Clause */
/* Other jobs' traffic, as less capacity of the links that it is on (Hoefler & Snir, ICS 2011,
 * section 2.2). */
#include <math.h>
#include <string.h>

#include "fabric/fabric.h"
#include "fabric/network.h"
#include "util/alloc.h"

/* A link that other jobs fill is not gone: it still gets a share. */
#define LEAST_SHARE 0.01

void topomap_network_take(topomap_network *network, const double *used)
{
    for (uint32_t link = 0; link < network->links; link++) {
        double whole = network->capacity[link];

        network->capacity[link] = fmax(whole - used[link], whole * LEAST_SHARE);
    }
}

/* \param vertex  [listed->vertices] of the network, UINT32_MAX: of none */
static size_t add_all(const topomap_network *network, const uint32_t *vertex, double *bytes,
                      const topomap_fabric *listed)
{
    size_t fit = 0;

    for (size_t i = 0; i < listed->links; i++) {
        const topomap_link *row = &listed->link[i];
        uint32_t a = vertex[row->a], b = vertex[row->b], there, back;

        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        there = topomap_network_link(network, a, b);
        back = topomap_network_link(network, b, a);
        if (there == UINT32_MAX || back == UINT32_MAX)
            continue;
        bytes[there] += row->rate;
        bytes[back] += row->rate;
        fit++;
    }
    return fit;
}

/* The vertices of the network that have the list's names, the first ones where several have one. */
static void find_names(const topomap_network *network, const topomap_fabric *listed,
                       uint32_t *vertex)
{
    memset(vertex, 0xff, listed->vertices * sizeof *vertex);
    for (uint32_t v = network->vertices; v-- > 0;) {
        uint32_t at = topomap_fabric_lookup(listed, network->name[v]);

        if (at != UINT32_MAX)
            vertex[at] = v;
    }
}

static int apply(topomap_network *network, const char *path, const topomap_fabric *listed,
                 topomap_error *err)
{
    TOPOMAP_FREED uint32_t *vertex = topomap_alloc(listed->vertices, sizeof *vertex, err);
    TOPOMAP_FREED double *used = topomap_alloc(network->links, sizeof *used, err);

    if (!vertex || !used)
        return -1;
    find_names(network, listed, vertex);
    if (listed->links && !add_all(network, vertex, used, listed))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: none of its %zu links is one of this network; names "
                                 "are those of `topomap db export --to links`",
                                 path, listed->links);
    topomap_network_take(network, used);
    return 0;
}

int topomap_network_background(topomap_network *network, const char *path, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric listed = {0};
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (!network->name || strcmp(network->unit, "s") != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "background traffic needs a network whose links have names and "
                                 "rates, from a topology database");
    if (topomap_input_open(path, &input, err) || topomap_links_read(input, NULL, &listed, err))
        return -1;
    return apply(network, path, &listed, err);
}
