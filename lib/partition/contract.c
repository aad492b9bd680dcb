/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include "util/alloc.h"

int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;

    for (uint32_t u = 0; u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (u < w->target[e] && block_of[u] != block_of[w->target[e]] &&
                topomap_arcs_add(&arcs, block_of[u], block_of[w->target[e]], w->weight[e], 0, err))
                return -1;
    if (topomap_arcs_take(&arcs, blocks, &graph, err) != 0)
        return -1;
    return topomap_weights_new(graph, blocks, out, err);
}

int topomap_contract_blocks(topomap_partitioner *p, uint32_t size, uint32_t *members,
                            topomap_weights *out, topomap_error *err)
{
    const topomap_weights *w = p->weights;
    uint32_t blocks = w->vertices / size;
    TOPOMAP_FREED uint32_t *sizes = topomap_alloc(blocks, sizeof *sizes, err);
    TOPOMAP_FREED uint32_t *block_of = topomap_alloc(w->vertices, sizeof *block_of, err);

    if (!sizes || !block_of)
        return -1;
    for (uint32_t i = 0; i < blocks; i++)
        sizes[i] = size;
    topomap_identity(members, w->vertices);
    if (topomap_partition(p, members, w->vertices, blocks, sizes, err))
        return -1;
    for (uint32_t i = 0; i < w->vertices; i++)
        block_of[members[i]] = i / size;
    return topomap_contract(w, block_of, blocks, out, err);
}
