/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include <stdlib.h>

#include "util/alloc.h"

int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err)
{
    topomap_arcs arcs = {0};
    topomap_graph *graph = NULL;
    int status = 0;

    for (uint32_t u = 0; status == 0 && u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; status == 0 && e < w->offset[u + 1]; e++)
            if (u < w->target[e] && block_of[u] != block_of[w->target[e]])
                status = topomap_arcs_add(&arcs, block_of[u], block_of[w->target[e]], w->weight[e],
                                          0, err);
    if (status != 0) {
        topomap_arcs_clear(&arcs);
        return -1;
    }
    if (topomap_arcs_take(&arcs, blocks, &graph, err) != 0)
        return -1;
    status = topomap_weights_new(graph, blocks, out, err);
    topomap_graph_free(graph);
    return status;
}

int topomap_contract_blocks(topomap_partitioner *p, uint32_t size, uint32_t *members,
                            topomap_weights *out, topomap_error *err)
{
    const topomap_weights *w = p->weights;
    uint32_t blocks = w->vertices / size, *sizes = topomap_alloc(blocks, sizeof *sizes, err);
    TOPOMAP_FREED uint32_t *block_of = topomap_alloc(w->vertices, sizeof *block_of, err);
    int status = -1;

    if (sizes && block_of) {
        for (uint32_t i = 0; i < blocks; i++)
            sizes[i] = size;
        for (uint32_t v = 0; v < w->vertices; v++)
            members[v] = v;
        status = topomap_partition(p, members, w->vertices, blocks, sizes, err);
    }
    for (uint32_t i = 0; status == 0 && i < w->vertices; i++)
        block_of[members[i]] = i / size;
    if (status == 0)
        status = topomap_contract(w, block_of, blocks, out, err);
    free(sizes);
    return status;
}
