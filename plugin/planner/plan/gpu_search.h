/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a node's GPUs each of its tasks takes, by what they send each other. */
#ifndef TOPOMAP_PLANNER_GPU_SEARCH_H
#define TOPOMAP_PLANNER_GPU_SEARCH_H

#include "topomap/topomap.h"

/** Takers are tasks, or those of a node's tasks that take one GPU. No more of them than GPUs. */
typedef struct planner_gpu_search {
    uint32_t takers, gpus;
    const double *weight; /**< [takers * takers] bytes both ways, symmetric */
    const double *cost;   /**< [gpus * gpus] of a byte, symmetric */
    const double *apart;  /**< [gpus * gpus] how far apart they hang, symmetric */
    int compact;          /**< of placements of equal cost one that is close together, not spread */
    uint32_t visits;      /**< steps of the exhaustive search at most; 0: none */
} planner_gpu_search;

/** Makes the sum of weight times cost small: the least, where the visits are enough. Of those,
 *  takers of fewer GPUs than there are are apart or together, and as many as can be keep the GPU
 *  of their own number. Deterministic.
 *  \param gpu_of  [gpus] out: a permutation, the takers' first; in the rest, each GPU's number is
 *                 as near to the takers in their turn as can be */
int planner_gpu_choose(const planner_gpu_search *search, uint32_t *gpu_of, topomap_error *err);

/** Orders the rest alone: the takers' GPUs, the first of \p gpu_of, stay. */
void planner_gpu_order_rest(const planner_gpu_search *search, uint32_t *gpu_of);

/** The sum of weight times cost of the takers' GPUs. */
double planner_gpu_cost(const planner_gpu_search *search, const uint32_t *gpu_of);

#endif
