/* SPDX-License-Identifier: BSD-3-Clause */
/* One node's part of a plan, flat: what `topomap-node` hands to slurmstepd, which has nothing to
 * unfold and checks all of it before use. libc alone. */
#ifndef TOPOMAP_NODE_PLAN_H
#define TOPOMAP_NODE_PLAN_H

#include "topomap/topomap.h"

enum {
    TOPOMAP_NODE_PLAN_PUS = 1 << 13,
    TOPOMAP_NODE_PLAN_TASKS = 1 << 16,
    TOPOMAP_NODE_PLAN_GPUS = 256
};

typedef struct topomap_node_plan {
    uint32_t job, step; /* a plan for another job or step must not be applied */
    uint32_t tasks;     /* by local id */
    uint32_t cores;     /* 0: the node's inside is not known, and there is nothing below but
                           GPUs */
    uint32_t pus;
    uint32_t runs;
    uint32_t gpus;              /* 0: their order is Slurm's */
    uint32_t amd;               /* whether they are AMD\'s */
    const uint32_t *task_first; /* [tasks + 1] each task's first run */
    const uint16_t *core_first; /* [cores + 1] each core's first PU in the class's order */
    const uint16_t *pu_os;      /* [pus] OS PU numbers in the class's order (plan/bindings.h) */
    const uint16_t *run;        /* [2 * runs] where a run of a task's PUs begins in the class's
                                   order, and how many they are */
    const uint16_t *gpu;       /* [gpus] that the step must have here, Slurm's indices, ascending */
    const uint16_t *gpu_place; /* [gpus] which of them stands k-th for the tasks. Where all stand
                                  where they are: each task has just one of them among those that
                                  Slurm has given it, and the task that has the k-th has the CPUs
                                  of the k-th task */
} topomap_node_plan;

/** Bytes of the arrays, by the counts alone; 0 where there are none. */
size_t topomap_node_plan_size(const topomap_node_plan *plan);

/** Lets the arrays lie in \p bytes, as many as topomap_node_plan_size() says, aligned for numbers
 * of 32 bits. */
void topomap_node_plan_lay(topomap_node_plan *plan, const void *bytes);

/** Whether the counts are such as a node can have: then topomap_node_plan_size() does not
 *  overflow. */
int topomap_node_plan_counts(const topomap_node_plan *plan);

/** Whether the arrays hold what is said above, each PU once in the class, each task's runs not
 * empty and ascending, the GPUs ascending and their order one. \return nonzero: they do */
int topomap_node_plan_is_sound(const topomap_node_plan *plan);

#endif
