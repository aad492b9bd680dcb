/* SPDX-License-Identifier: BSD-3-Clause */
/* The network of a torus or mesh machine. */
#include "fabric/shapes.h"
#include "fabric/network.h"
#include "machine/machine.h"
#include "util/alloc.h"

/* Their first dimension varies fastest, a shape's last one. */
static int join_routers(const topomap_machine *m, topomap_fabric *fabric, topomap_error *err)
{
    topomap_torus torus = {.dims = m->dims, .twice = 1, .links = 1};

    for (uint32_t d = 0; d < m->dims; d++) {
        torus.dim[m->dims - 1 - d] = m->dim[d];
        torus.wrap[m->dims - 1 - d] = m->wrap[d];
    }
    if (topomap_torus_join(&torus, fabric, err))
        return -1;
    for (size_t i = 0; i < fabric->links; i++)
        fabric->link[i].rate = 1.0;
    return 0;
}

int topomap_network_grid(const topomap_machine *m, topomap_network **network, topomap_error *err)
{
    uint64_t routers = 1;
    TOPOMAP_NETWORK_FREED topomap_network *made = NULL;
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric fabric = {0};
    TOPOMAP_FREED uint32_t *vertex_of = NULL;

    if (m->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "this machine's links are not known");
    for (uint32_t d = 0; d < m->dims; d++) {
        routers *= m->dim[d];
        if (routers * m->dims > TOPOMAP_NETWORK_LINKS / 2)
            return topomap_error_set(err, TOPOMAP_EINPUT, "a network of over %llu routers",
                                     (unsigned long long)(TOPOMAP_NETWORK_LINKS / 2 / m->dims));
    }
    vertex_of = topomap_alloc(m->nodes, sizeof *vertex_of, err);
    if (!vertex_of || join_routers(m, &fabric, err))
        return -1;
    for (uint32_t node = 0; node < m->nodes; node++)
        vertex_of[node] = (uint32_t)topomap_torus_router(m, m->coord + (size_t)node * m->dims);
    if (topomap_network_new((uint32_t)routers, fabric.links, fabric.link, m->nodes, vertex_of,
                            &made, err) ||
        topomap_grid_routes(made, m->dims, m->dim, m->wrap, err))
        return -1;
    *network = topomap_take(&made);
    return 0;
}
