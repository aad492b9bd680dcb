/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/dragonfly.h"

#include <string.h>

#include "util/alloc.h"

struct routed_dragonfly {
    topomap_dragonfly shape;
    uint32_t host[]; /* [nodes] */
};

/* The routers at both ends of a group's cable of round `round` to another one (fabric/shapes.c,
 * topomap_dragonfly_join(): what leads from g to h leads from h to g at the mirrored place). */
static void gateway(const topomap_dragonfly *d, uint32_t round, uint32_t from, uint32_t to,
                    uint32_t *leave, uint32_t *enter)
{
    uint32_t away = d->groups - 1, i = (to + d->groups - from - 1) % d->groups;

    *leave = d->first + from * d->a + (round * away + i) / d->h;
    *enter = d->first + to * d->a + (round * away + away - 1 - i) / d->h;
}

/* Towards another group: over a cable of this router's own where it has one. */
static uint32_t leave_group(const topomap_dragonfly *d, uint32_t at, uint32_t group, uint32_t to,
                            uint32_t host)
{
    uint32_t rounds = d->a * d->h / (d->groups - 1), leave, enter;

    for (uint32_t round = 0; round < rounds; round++) {
        gateway(d, round, group, to, &leave, &enter);
        if (leave == at)
            return enter;
    }
    gateway(d, host % rounds, group, to, &leave, &enter);
    return leave;
}

static uint32_t next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const struct routed_dragonfly *routed = network->shape;
    const topomap_dragonfly *d = &routed->shape;
    uint32_t router, group, to;

    if (at < network->nodes)
        return at == node || network->first[at] == network->first[at + 1] ? UINT32_MAX
                                                                          : network->first[at];
    router = d->first + routed->host[node] / d->p;
    if (at == router)
        return topomap_network_link(network, at, node);
    group = (at - d->first) / d->a;
    to = (router - d->first) / d->a;
    return topomap_network_link(
        network, at, group == to ? router : leave_group(d, at, group, to, routed->host[node]));
}

int topomap_dragonfly_routes(topomap_network *network, const topomap_dragonfly *dragonfly,
                             uint32_t hosts, const uint32_t *host, topomap_error *err)
{
    struct routed_dragonfly *routed =
        topomap_alloc(1, sizeof *routed + network->nodes * sizeof *host, err);

    if (!routed)
        return -1;
    routed->shape = *dragonfly;
    routed->shape.first = network->nodes + (dragonfly->first - hosts);
    if (network->nodes)
        memcpy(routed->host, host, network->nodes * sizeof *host);
    network->shape = routed;
    network->rule = next;
    return 0;
}
