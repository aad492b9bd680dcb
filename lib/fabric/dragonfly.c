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

/* One way being walked, with a part of the traffic. */
struct walk {
    const topomap_network *network;
    uint32_t node;
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

    while (status == 0 && at != w->network->vertex_of[w->node])
        status = go(w, next(w->network, at, w->node), &at);
    return status;
}

static uint32_t group_of(const topomap_network *network, uint32_t vertex)
{
    const struct routed_dragonfly *routed = network->shape;
    const topomap_dragonfly *d = &routed->shape;

    return vertex < network->nodes ? routed->host[vertex] / d->p / d->a
                                   : (vertex - d->first) / d->a;
}

/* To the third group, and on from there. */
static int walk_by(const struct walk *w, uint32_t at, uint32_t group)
{
    const struct routed_dragonfly *routed = w->network->shape;
    const topomap_network *n = w->network;
    int status = 0;

    if (at < n->nodes)
        status = go(w, n->first[at] == n->first[at + 1] ? UINT32_MAX : n->first[at], &at);
    while (status == 0 && group_of(n, at) != group)
        status = go(w,
                    topomap_network_link(n, at,
                                         leave_group(&routed->shape, at, group_of(n, at), group,
                                                     routed->host[w->node])),
                    &at);
    return status ? status : walk_minimal(w, at);
}

int topomap_dragonfly_ways(const topomap_network *network, uint32_t from, uint32_t node,
                           int (*put)(void *data, uint32_t link, double part), void *data)
{
    const struct routed_dragonfly *routed = network->shape;
    const topomap_dragonfly *d = &routed->shape;
    uint32_t out = group_of(network, from), in = group_of(network, node);
    struct walk w = {network, node, put, data, out == in ? 1.0 : 1.0 - d->valiant / 100.0};
    int status = w.part > 0 ? walk_minimal(&w, from) : 0;

    w.part = d->valiant / 100.0 / (d->groups - 2);
    for (uint32_t group = 0; status == 0 && out != in && group < d->groups; group++)
        if (group != out && group != in)
            status = walk_by(&w, from, group);
    return status;
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
