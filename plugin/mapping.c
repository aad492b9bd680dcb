/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/mapping.h"

#include <slurm/slurm.h>
#include <stdlib.h>

/* MPICH reads the mapping into PMI2_MAX_VALLEN bytes; "(vector" and ")" are around the groups. */
enum { MAPPING_MOST = 1024 - 16, INSIDE_BITS = 0x0ff0 };

/* Characters of ",(START,NODES,BLOCK)". */
static size_t group_length(uint32_t start, uint32_t nodes, uint32_t block)
{
    return (size_t)snprintf(NULL, 0, ",(%u,%u,%u)", start, nodes, block);
}

/* The length of the groups: runs of nodes that follow each other with blocks of the same size.
 * \param most  the largest block: 1 for cyclic, UINT32_MAX for plane */
static size_t mapping_length(const uint32_t *node_of, uint32_t tasks, uint32_t most)
{
    uint32_t start = 0, nodes = 0, block = 0;
    size_t length = 0;

    for (uint32_t rank = 0, next; rank < tasks && length <= MAPPING_MOST; rank = next) {
        for (next = rank + 1; next < tasks && next - rank < most && node_of[next] == node_of[rank];
             next++)
            ;
        if (nodes && node_of[rank] == start + nodes && next - rank == block) {
            nodes++;
            continue;
        }
        length += nodes ? group_length(start, nodes, block) : 0;
        start = node_of[rank];
        nodes = 1;
        block = next - rank;
    }
    return length + group_length(start, nodes, block);
}

int plugin_mapping_choose(const plugin_ranks *ranks, uint32_t task_dist, uint32_t *chosen)
{
    uint32_t *node_of = calloc(ranks->tasks, sizeof *node_of);
    uint32_t flags = task_dist & SLURM_DIST_STATE_FLAGS;

    if (!node_of)
        return -1;
    for (uint32_t node = 0; node < ranks->nodes; node++)
        for (uint32_t i = ranks->first[node]; i < ranks->first[node + 1]; i++)
            node_of[ranks->id[i]] = node;
    if (mapping_length(node_of, ranks->tasks, 1) <= MAPPING_MOST)
        *chosen = flags | (task_dist & INSIDE_BITS) | SLURM_DIST_NODECYCLIC;
    else if (mapping_length(node_of, ranks->tasks, UINT32_MAX) <= MAPPING_MOST)
        *chosen = flags | SLURM_DIST_PLANE;
    else
        *chosen = flags | SLURM_DIST_ARBITRARY;
    free(node_of);
    return 0;
}
