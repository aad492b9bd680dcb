/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/contract.h"

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
