/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/dimension_order.h"

#include "fabric/shapes.h"
#include "util/alloc.h"

struct grid {
    uint32_t dims, dim[TOPOMAP_TORUS_DIMS];
    uint8_t wrap[TOPOMAP_TORUS_DIMS];
};

static uint32_t next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const struct grid *g = network->shape;
    uint32_t here = at, there = network->vertex_of[node], stride = 1;

    for (uint32_t d = 0; d < g->dims; stride *= g->dim[d++]) {
        uint32_t from = here % g->dim[d], to = there % g->dim[d];
        uint32_t up = from <= to ? to - from : g->dim[d] - (from - to);
        int upwards = g->wrap[d] ? up + (to == 0) <= g->dim[d] - up : from < to;

        here /= g->dim[d];
        there /= g->dim[d];
        if (from != to)
            return topomap_network_link(
                network, at,
                at - from * stride + (from + (upwards ? 1 : g->dim[d] - 1)) % g->dim[d] * stride);
    }
    return UINT32_MAX;
}

int topomap_grid_routes(topomap_network *network, uint32_t dims, const uint32_t *dim,
                        const uint8_t *wrap, topomap_error *err)
{
    struct grid *g = topomap_alloc(1, sizeof *g, err);

    if (!g)
        return -1;
    g->dims = dims;
    for (uint32_t d = 0; d < dims; d++) {
        g->dim[d] = dim[d];
        g->wrap[d] = wrap[d];
    }
    network->shape = g;
    network->rule = next;
    return 0;
}
