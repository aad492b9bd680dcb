/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fattree.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

uint32_t topomap_fattree_next(const topomap_network *network, uint32_t at, uint32_t node)
{
    const topomap_fattree *t = network->fattree;
    uint32_t level = 1, host = t->host[node], size, index, a, b, to;
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

topomap_fattree *topomap_fattree_copy(const topomap_fattree *tree, uint32_t hosts, uint32_t nodes,
                                      const uint32_t *host, topomap_error *err)
{
    topomap_fattree *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return NULL;
    *made = *tree;
    for (uint32_t l = 1; l <= tree->levels; l++)
        made->first[l] = nodes + (tree->first[l] - hosts);
    made->host = topomap_alloc(nodes, sizeof *made->host, err);
    if (!made->host) {
        free(made);
        return NULL;
    }
    if (nodes)
        memcpy(made->host, host, nodes * sizeof *host);
    return made;
}

void topomap_fattree_free(topomap_fattree *tree)
{
    if (tree)
        free(tree->host);
    free(tree);
}
