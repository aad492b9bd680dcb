/* SPDX-License-Identifier: BSD-3-Clause */
/* Dividing a graph into parts of exact sizes with a small edge cut. */
#pragma once

#include <metis.h>
#include <stdint.h>

#include "graph/graph.h"
#include "topomap/topomap.h"
#include "util/random.h"

/* ---- partition ----------------------------------------------------------------- */

enum topomap_partition_how {
    TOPOMAP_PARTITION_EXCHANGE = 1, /* then lower the cut by swaps (see exchange, below) */
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
    int looks_at_all; /* with one cut alone: halves of few vertices are the best of all (see small,
                         below) */
    unsigned how;     /* topomap_partition_how; none after init */
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

/* ---- balance ------------------------------------------------------------------- */

/** Moves vertices from parts that have too many to parts that have too few until part i has
 *  exactly size[i] (their sum is \p count), each time the move that leaves the least total edge
 *  cut; ties by vertex, then part (Wu, Xiong, Lan, "Hierarchical task mapping", section 4).
 *  offset [count + 1], target and weight [offset[count]]: the graph; part [count] is changed. */
int topomap_balance(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                    uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err);

/** The same sizes by another rule: vertices of the least cumulative edge weight move first, ties by
 *  vertex, into the lowest part that has room (Hoefler & Snir, ICS 2011, sections 3.2 and 3.4). */
int topomap_balance_incident(uint32_t count, const idx_t *offset, const idx_t *weight,
                             uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err);

/* ---- contract ------------------------------------------------------------------ */

/** The graph of blocks, \p block_of [w->vertices]; edges between the same two are added up, those
 *  inside one left out. \p out ends with topomap_weights_clear(). O(edges). */
int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err);

/** Divides all vertices of the partitioner's graph into blocks of exactly \p size, which divides
 * their number, and contracts these. \param members  [vertices] filled: the vertices block by block
 */
int topomap_contract_blocks(topomap_partitioner *p, uint32_t size, uint32_t *members,
                            topomap_weights *out, topomap_error *err);

/* ---- exchange ------------------------------------------------------------------ */

/** Lowers the cut of a perfectly balanced partition and keeps the parts' sizes: a vertex changes
 *  places with the vertex of another part, among its neighbours, theirs, and those without edges,
 *  that saves most, until none saves anything. \p part [count] is changed; the graph is as in
 * topomap_balance(). */
int topomap_exchange(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                     uint32_t parts, idx_t *part, topomap_error *err);

/* ---- matching ------------------------------------------------------------------ */

/** Pairs the vertices of a graph, an even number of them, so that pairs weigh much: each in random
 *  order with the heaviest neighbour that is free (heavy-edge matching: Karypis, Kumar, SIAM J.
 *  Sci. Comput. 20, 1998), what is left with who shares a neighbour, then in order.
 *  \param half  [vertices] filled: the vertices of pair i are half[2 i] and half[2 i + 1] */
int topomap_matching(const topomap_weights *graph, topomap_random *random, uint32_t *half,
                     topomap_error *err);

/** The graph of the pairs; edges between the same pairs are added up. */
int topomap_matching_contract(const topomap_weights *graph, const uint32_t *half,
                              topomap_weights *pairs, topomap_error *err);

/* ---- small: exact bisection of few vertices --------------------------------- */
/* The best halves of a few vertices, found by looking at all: a launch divides the insides of many
 * nodes, and what METIS does before it looks at the first edge takes longer there. */

/** Whether there are so few ways to choose \p first of \p count vertices. */
int topomap_small_fits(uint32_t count, uint32_t first);

/** Divides into \p first vertices (part 0) and the rest (part 1) with the least cut; of equal ones
 *  the first by its vertices. Needs no memory.
 *  \param offset  [count + 1], target, weight: both directions of each edge
 *  \param part    [count] out */
void topomap_small_halve(uint32_t count, const idx_t *offset, const idx_t *target,
                         const idx_t *weight, uint32_t first, idx_t *part);
