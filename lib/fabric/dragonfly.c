/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/shapes.h"

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

static uint32_t router_of(const struct routed_dragonfly *routed, uint32_t node)
{
    return routed->shape.first + routed->host[node] / routed->shape.p;
}

static uint32_t next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const struct routed_dragonfly *routed = network->shape;
    const topomap_dragonfly *d = &routed->shape;
    uint32_t router, group, to;

    if (at < network->nodes)
        return at == node || network->first[at] == network->first[at + 1] ? UINT32_MAX
                                                                          : network->first[at];
    router = router_of(routed, node);
    if (at == router)
        return topomap_network_link(network, at, node);
    group = (at - d->first) / d->a;
    to = (router - d->first) / d->a;
    return topomap_network_link(
        network, at, group == to ? router : leave_group(d, at, group, to, routed->host[node]));
}

/* ---- Adaptive routing ------------------------------------------------------------------------ */

uint32_t topomap_dragonfly_group(const topomap_network *network, uint32_t node)
{
    const struct routed_dragonfly *routed = network->shape;

    return network->rule == next ? routed->host[node] / routed->shape.p / routed->shape.a
                                 : UINT32_MAX;
}

int topomap_dragonfly_adaptive(const topomap_network *network)
{
    const struct routed_dragonfly *routed = network->shape;

    return network->rule == next && routed->shape.valiant && routed->shape.groups > 2;
}

/* One way being walked between routers, with a part of the traffic. */
struct walk {
    const topomap_network *network;
    uint32_t node, router; /* at its end, and the router that it is on */
    int (*put)(void *data, uint32_t link, double part);
    void *data;
    double part;
};

static int go(const struct walk *w, uint32_t link, uint32_t *at)
{
    int status = link == UINT32_MAX ? 1 : w->put(w->data, link, w->part);

    if (status == 0)
        *at = w->network->head[link];
    return status;
}

static int walk_minimal(const struct walk *w, uint32_t at)
{
    int status = 0;

    while (status == 0 && at != w->router)
        status = go(w, next(w->network, at, w->node), &at);
    return status;
}

static uint32_t group_of(const topomap_dragonfly *d, uint32_t router)
{
    return (router - d->first) / d->a;
}

/* To the third group, and on from there. */
static int walk_by(const struct walk *w, uint32_t at, uint32_t group)
{
    const struct routed_dragonfly *routed = w->network->shape;
    const topomap_dragonfly *d = &routed->shape;
    int status = 0;

    while (status == 0 && group_of(d, at) != group) {
        uint32_t to = leave_group(d, at, group_of(d, at), group, routed->host[w->node]);

        status = go(w, topomap_network_link(w->network, at, to), &at);
    }
    return status ? status : walk_minimal(w, at);
}

static int walk_all(struct walk *w, uint32_t at)
{
    const struct routed_dragonfly *routed = w->network->shape;
    const topomap_dragonfly *d = &routed->shape;
    uint32_t out = group_of(d, at), in = group_of(d, w->router);
    int status;

    w->part = out == in ? 1.0 : 1.0 - d->valiant / 100.0;
    status = w->part > 0 ? walk_minimal(w, at) : 0;
    w->part = d->valiant / 100.0 / (d->groups - 2);
    for (uint32_t group = 0; status == 0 && out != in && group < d->groups; group++)
        if (group != out && group != in)
            status = walk_by(w, at, group);
    return status;
}

/* All ways have both hosts' links. */
int topomap_dragonfly_ways(const topomap_network *network, uint32_t from, uint32_t node,
                           int (*put)(void *data, uint32_t link, double part), void *data)
{
    struct walk w = {network, node, router_of(network->shape, node), put, data, 1.0};
    uint32_t to = network->vertex_of[node], at = from;
    int status = 0;

    if (from == to)
        return 0;
    if (at < network->nodes)
        status = go(&w, next(network, at, node), &at);
    if (status == 0)
        status = walk_all(&w, at);
    w.part = 1.0;
    at = w.router;
    return status ? status : go(&w, topomap_network_link(network, at, to), &at);
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
