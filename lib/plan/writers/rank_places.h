/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as other launchers read it: rank by rank, cores by the numbers that a launcher counts. */
#pragma once

#include "topomap/hosts.h"
#include "topomap/plan.h"
#include "util/alloc.h"

typedef struct topomap_rank_places {
    topomap_arena memory;
    uint32_t ranks, nodes;
    const char *const *node; /* [nodes] names, lent */
    uint32_t *node_of;       /* [ranks] */
    uint32_t *local;         /* [ranks] how many ranks of its node come before it */
    uint32_t *by_node;       /* [ranks] one node after the other, ascending in each */
    int known;               /* what is below comes from bindings */
    int threads;             /* units are hardware threads, else cores */
    uint32_t *first; /* [ranks + 1] units of rank r are unit[first[r]] .. unit[first[r + 1]) */
    uint32_t *unit;  /* ascending: hwloc's logical numbers of those that the job has */
} topomap_rank_places;

/** Cores are counted as hwloc does within what a launcher may use: where a job has a part of a
 * node, its first core there is 0. They are hardware threads where some task has a part of a core.
 *  Without bindings of all nodes each rank has one core, by its place on its node.
 *  \param plan   lent while it runs
 *  \param names  [plan->nodes], lent as long as \p places
 *  \param cores  that the job has; NULL or nodes 0: all
 *  \param places ends with topomap_rank_places_clear(), after a failure too */
int topomap_rank_places_make(const topomap_plan *plan, const char *const *names,
                             const topomap_cores *cores, topomap_rank_places *places,
                             topomap_error *err);
void topomap_rank_places_clear(topomap_rank_places *places);
