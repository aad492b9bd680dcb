/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/shapes.h"

#include <string.h>

#include "util/alloc.h"

struct routed_tree {
    topomap_fattree tree;
    uint32_t host[]; /* [nodes] */
};

static uint32_t next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const struct routed_tree *routed = network->shape;
    const topomap_fattree *t = &routed->tree;
    uint32_t level = 1, host = routed->host[node], size, index, a, b, to;
    uint64_t divisor = 1;

    if (at < network->nodes)
        return at == node || network->first[at] == network->first[at + 1] ? UINT32_MAX
                                                                          : network->first[at];
    for (size = t->m[1]; level < t->levels && at >= t->first[level + 1]; size *= t->m[++level])
        divisor *= (uint64_t)t->w[level + 1] * t->p[level + 1];
    index = at - t->first[level];
    a = index / t->below[level];
    b = index % t->below[level];
    if (host / size != a) {
        uint32_t cable = (uint32_t)(host / divisor % (t->w[level + 1] * t->p[level + 1]));

        if (level == t->levels)
            return UINT32_MAX;
        to = t->first[level + 1] + a / t->m[level + 1] * t->below[level + 1] +
             cable / t->p[level + 1] * t->below[level] + b;
    } else if (level == 1) {
        to = node;
    } else {
        to = t->first[level - 1] + host / (size / t->m[level]) * t->below[level - 1] +
             b % t->below[level - 1];
    }
    return topomap_network_link(network, at, to);
}

int topomap_fattree_routes(topomap_network *network, const topomap_fattree *tree, uint32_t hosts,
                           const uint32_t *host, topomap_error *err)
{
    struct routed_tree *routed =
        topomap_alloc(1, sizeof *routed + network->nodes * sizeof *host, err);

    if (!routed)
        return -1;
    routed->tree = *tree;
    for (uint32_t l = 1; l <= tree->levels; l++)
        routed->tree.first[l] = network->nodes + (tree->first[l] - hosts);
    if (network->nodes)
        memcpy(routed->host, host, network->nodes * sizeof *host);
    network->shape = routed;
    network->rule = next;
    return 0;
}

const topomap_fattree *topomap_fattree_of(const topomap_network *network, const uint32_t **host)
{
    const struct routed_tree *routed = network->shape;

    if (network->rule != next)
        return NULL;
    *host = routed->host;
    return &routed->tree;
}
