/* SPDX-License-Identifier: BSD-3-Clause */
/* The network of a torus or mesh machine. */
#include <stdlib.h>

#include "fabric/network.h"
#include "machine/machine.h"
#include "util/alloc.h"

/* Router ids are as node ids of a specification: x + X*(y + Y*z). */
static uint32_t router_of(const topomap_machine *m, uint32_t node)
{
    uint32_t id = 0;

    for (uint32_t d = m->dims; d-- > 0;)
        id = id * m->dim[d] + m->coord[(size_t)node * m->dims + d];
    return id;
}

static size_t list_cables(const topomap_machine *m, uint32_t routers, topomap_cable *cable)
{
    size_t cables = 0;

    for (uint32_t router = 0; router < routers; router++) {
        uint32_t stride = 1, rest = router;

        for (uint32_t d = 0; d < m->dims; d++) {
            uint32_t at = rest % m->dim[d];

            if (at + 1 < m->dim[d])
                cable[cables++] = (topomap_cable){router, router + stride, 1, 1.0};
            else if (m->wrap[d] && m->dim[d] > 1)
                cable[cables++] = (topomap_cable){router - at * stride, router, 1, 1.0};
            rest /= m->dim[d];
            stride *= m->dim[d];
        }
    }
    return cables;
}

int topomap_network_grid(const topomap_machine *m, topomap_network **network, topomap_error *err)
{
    uint64_t routers = 1;
    topomap_cable *cable;
    uint32_t *vertex_of;
    int status = -1;

    if (m->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "this machine's links are not known");
    for (uint32_t d = 0; d < m->dims; d++) {
        routers *= m->dim[d];
        if (routers * m->dims > TOPOMAP_NETWORK_LINKS / 2)
            return topomap_error_set(err, TOPOMAP_EINPUT, "a network of over %llu routers",
                                     (unsigned long long)(TOPOMAP_NETWORK_LINKS / 2 / m->dims));
    }
    cable = topomap_alloc((size_t)routers * m->dims, sizeof *cable, err);
    vertex_of = topomap_alloc(m->nodes, sizeof *vertex_of, err);
    if (cable && vertex_of) {
        for (uint32_t node = 0; node < m->nodes; node++)
            vertex_of[node] = router_of(m, node);
        status = topomap_network_new((uint32_t)routers, list_cables(m, (uint32_t)routers, cable),
                                     cable, m->nodes, vertex_of, network, err);
    }
    free(cable);
    free(vertex_of);
    return status;
}
