/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PARTITION_H
#define TOPOMAP_PARTITION_H

#include "graph/graph.h"

enum topomap_partition_how {
    TOPOMAP_PARTITION_EXCHANGE = 1, /* then lower the cut by swaps (partition/exchange.h) */
    TOPOMAP_PARTITION_KWAY = 2,     /* k-way at once, also for few parts */
};

/** Memory that repeated partitions of one graph share. */
typedef struct topomap_partitioner {
    const topomap_weights *weights;
    uint32_t *local;   /* [vertices] index inside the current subgraph, UINT32_MAX outside */
    uint32_t *reorder; /* [vertices] */
    int cuts;          /* how many partitions METIS tries, keeping the best */
    uint32_t seed;
    int least_incident; /* nonzero: parts are corrected by topomap_balance_incident() */
    int looks_at_all;   /* with one cut alone: halves of few vertices are the best of all ways
                           (small.h) */
    unsigned how;       /* topomap_partition_how; none after init */
} topomap_partitioner;

int topomap_partitioner_init(topomap_partitioner *p, const topomap_weights *weights, int cuts,
                             uint32_t seed, topomap_error *err);
void topomap_partitioner_clear(topomap_partitioner *p);

/** Divides vertices[0..count) into \p parts parts of exactly size[i] vertices (their sum is
 *  count) with a small edge cut, and reorders the array so that the parts follow one another.
 *  METIS partitions the induced subgraph; its parts are then corrected to the exact sizes, each
 *  time by the move that leaves the least edge cut (Wu, Xiong, Lan, section 4), or by Hoefler &
 *  Snir's rule. */
int topomap_partition(topomap_partitioner *p, uint32_t *vertices, uint32_t count, uint32_t parts,
                      const uint32_t *size, topomap_error *err);

/** Divides a whole graph into \p parts parts of sizes that differ by 1 at most.
 *  \param part_of  [graph->ranks] the part of each vertex */
int topomap_partition_graph(const topomap_graph *graph, uint32_t parts, uint32_t *part_of,
                            topomap_error *err);

/** Cuts the subgraph of vertices[0..count) in two with a small edge cut and about the same load.
 *  The halves are as METIS leaves them, one of them perhaps empty.
 *  \param load  [p->weights->vertices] may be 0; the sum is below 2^31
 *  \param side  [count] 0 or 1 */
int topomap_bisect(topomap_partitioner *p, const uint32_t *vertices, uint32_t count,
                   const uint32_t *load, uint8_t *side, topomap_error *err);

#endif
