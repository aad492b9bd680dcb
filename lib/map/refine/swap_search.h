/* SPDX-License-Identifier: BSD-3-Clause */
/* Local search by pair swaps with gains in O(degree): Schulz & Traeff (VieM), section 3.2, with
 * the partners chosen by ours: who sits close to where a vertex's neighbours sit. It works on
 * slots, and in the same way on whole nodes of equal size. */
#ifndef TOPOMAP_SWAP_SEARCH_H
#define TOPOMAP_SWAP_SEARCH_H

#include "machine/vicinity.h"
#include "map/problem.h"
#include "util/arena.h"

typedef struct topomap_swap {
    topomap_arena memory;
    const topomap_weights *weights;
    const topomap_machine *machine;
    const topomap_vicinity *vicinity;
    int whole_nodes;      /* places are nodes, not slots */
    uint32_t *place_of;   /* [vertices] */
    uint32_t *vertex_at;  /* [vertices] by place */
    double *gamma;        /* [vertices] cost of each vertex's edges where it is */
    uint32_t reach;       /* partners tried for each neighbour */
    uint64_t evaluations; /* how many more swaps may be priced; those of vertices with many edges
                             count more */
    topomap_problem *problem;
    const uint32_t *held; /* a vertex that stays where it is; NULL: none does */
    double *node_load;    /* [nodes] that the problem's level limits; NULL: it does not */
} topomap_swap;

/** Makes vertex_at and gamma for what place_of says; they end with the swap's memory, on failure
 * too.
 */
int topomap_swap_open(topomap_swap *swap, topomap_error *err);
/** Cost change of exchanging u and x; negative is better. Exact: equals the difference of two full
 *  evaluations, the edge u-x included (it keeps its cost, distances being symmetric). */
double topomap_swap_delta(const topomap_swap *swap, uint32_t u, uint32_t x);
/** Exchanges u and x and brings gamma up to date, in O(degree). */
void topomap_swap_apply(topomap_swap *swap, uint32_t u, uint32_t x);
/** Swaps until no partner in reach improves, evaluations run out, or the time is up. */
int topomap_swap_run(topomap_swap *swap, uint64_t seed, topomap_error *err);

#endif
