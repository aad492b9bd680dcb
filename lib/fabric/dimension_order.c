/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/shapes.h"

#include "util/alloc.h"

struct grid {
    uint32_t dims, dim[TOPOMAP_DIMS], stride[TOPOMAP_DIMS];
    uint8_t wrap[TOPOMAP_DIMS];
    uint16_t *coord; /* [vertices * dims] behind the ports */
    uint32_t port[]; /* [vertices * dims * 2] the link out, upwards and downwards */
};

static uint32_t place(const struct grid *g, uint32_t vertex, uint32_t d)
{
    return g->coord[(size_t)vertex * g->dims + d];
}

static int goes_up(const struct grid *g, uint32_t d, uint32_t from, uint32_t to)
{
    uint32_t up = from <= to ? to - from : g->dim[d] - (from - to);

    return g->wrap[d] ? up + (to == 0) <= g->dim[d] - up : from < to;
}

static uint32_t next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const struct grid *g = network->shape;
    uint32_t there = network->vertex_of[node];

    for (uint32_t d = 0; d < g->dims; d++) {
        uint32_t from = place(g, at, d), to = place(g, there, d);

        if (from != to)
            return g->port[((size_t)at * g->dims + d) * 2 + !goes_up(g, d, from, to)];
    }
    return UINT32_MAX;
}

static uint32_t route(const topomap_network *network, uint32_t from, uint32_t to, uint32_t *link)
{
    const struct grid *g = network->shape;
    const uint16_t *here = g->coord + (size_t)from * g->dims;
    const uint16_t *there = g->coord + (size_t)to * g->dims;
    size_t at = (size_t)from * g->dims * 2, step = g->dims * 2;
    uint32_t links = 0;

    for (uint32_t d = 0; d < g->dims; d++, at += 2) {
        uint32_t dim = g->dim[d], x = here[d], end = there[d];
        size_t round = step * dim;

        if (goes_up(g, d, x, end)) {
            for (; x != end; at += step) {
                link[links++] = g->port[at];
                if (++x == dim) {
                    x = 0;
                    at -= round;
                }
            }
        } else {
            for (; x != end; at -= step) {
                link[links++] = g->port[at + 1];
                if (x-- == 0) {
                    x = dim - 1;
                    at += round;
                }
            }
        }
        step = round;
    }
    return links;
}

static void find_ports(const topomap_network *network, struct grid *g)
{
    for (uint32_t v = 0; v < network->vertices; v++)
        for (uint32_t d = 0; d < g->dims; d++)
            g->coord[(size_t)v * g->dims + d] = (uint16_t)(v / g->stride[d] % g->dim[d]);
    for (uint32_t v = 0; v < network->vertices; v++)
        for (uint32_t d = 0; d < g->dims; d++) {
            uint32_t x = place(g, v, d), row = v - x * g->stride[d];
            uint32_t *port = &g->port[((size_t)v * g->dims + d) * 2];

            port[0] = topomap_network_link(network, v, row + (x + 1) % g->dim[d] * g->stride[d]);
            port[1] = topomap_network_link(network, v,
                                           row + (x + g->dim[d] - 1) % g->dim[d] * g->stride[d]);
        }
}

const uint32_t *topomap_grid_ports(const topomap_network *network)
{
    const struct grid *g = network->shape;

    return g->port;
}

int topomap_grid_routes(topomap_network *network, uint32_t dims, const uint32_t *dim,
                        const uint8_t *wrap, topomap_error *err)
{
    size_t places = (size_t)network->vertices * dims;
    struct grid *g =
        topomap_alloc(1, sizeof *g + places * (2 * sizeof *g->port + sizeof *g->coord), err);

    if (!g)
        return -1;
    g->dims = dims;
    g->coord = (uint16_t *)(void *)(g->port + 2 * places);
    for (uint32_t d = 0; d < dims; d++) {
        g->dim[d] = dim[d];
        g->stride[d] = d ? g->stride[d - 1] * dim[d - 1] : 1;
        g->wrap[d] = wrap[d];
        network->route_links += dim[d];
    }
    find_ports(network, g);
    network->shape = g;
    network->rule = next;
    network->route = route;
    return 0;
}
