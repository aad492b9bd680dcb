/* SPDX-License-Identifier: BSD-3-Clause */
/* Flux's task map (RFC 34): blocks [node, nodes, tasks a node, repeat] in the order of the ranks.
 * The format has no comments: flux run --taskmap=manual:"$(cat FILE)". */
#include "plan/writers/writers.h"

struct block {
    uint32_t node, nodes, tasks, repeat;
};

/* The next run of ranks of one node. \return where it ends */
static uint32_t run(const topomap_rank_places *places, uint32_t rank, struct block *block)
{
    uint32_t end = rank + 1;

    while (end < places->ranks && places->node_of[end] == places->node_of[rank])
        end++;
    *block = (struct block){places->node_of[rank], 1, end - rank, 1};
    return end;
}

/* The next nodes that follow each other with as many tasks. */
static uint32_t group(const topomap_rank_places *places, uint32_t rank, struct block *block)
{
    uint32_t end = run(places, rank, block), next;
    struct block more;

    while (end < places->ranks) {
        next = run(places, end, &more);
        if (more.node != block->node + block->nodes || more.tasks != block->tasks)
            break;
        block->nodes++;
        end = next;
    }
    return end;
}

static void write_taskmap(FILE *out, const topomap_rank_places *places)
{
    struct block block = {0, 0, 0, 0}, more;
    uint32_t rank = places->ranks ? group(places, 0, &block) : 0;
    const char *before = "";

    fputs("{\"version\": 1, \"map\": [", out);
    while (block.repeat) {
        uint32_t end = rank < places->ranks ? group(places, rank, &more) : rank;

        if (rank < places->ranks && more.node == block.node && more.nodes == block.nodes &&
            more.tasks == block.tasks)
            block.repeat++;
        else {
            fprintf(out, "%s[%u, %u, %u, %u]", before, block.node, block.nodes, block.tasks,
                    block.repeat);
            before = ", ";
            block = rank < places->ranks ? more : (struct block){0, 0, 0, 0};
        }
        rank = end;
    }
    fputs("]}\n", out);
}

const topomap_plan_writer topomap_flux_taskmap = {
    .name = "flux-taskmap",
    .help = "blocks of ranks, for flux run --taskmap=manual (RFC 34)",
    .write = write_taskmap,
};
