/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs next to the GPUs that a node's tasks take. */
#ifndef TOPOMAP_PLANNER_GPU_CORES_H
#define TOPOMAP_PLANNER_GPU_CORES_H

#include "plugin/planner/plan/inputs.h"

enum { PLANNER_CPUS_NEAR = 1 << 13 }; /* PUs of a class by OS number (plan/bindings.h) */

/** Marks the PUs of a device's list, "0-15,64-79"; what is beyond any class is passed over.
 *  \param near  [PLANNER_CPUS_NEAR] */
void planner_cpus_near(const char *list, uint8_t *near);

/** The CPUs of tasks, one after the other, as topomap_bindings has them. */
typedef struct planner_cpus {
    uint32_t *start; /* [tasks + 1] */
    uint32_t *pu;    /* [start[tasks]] */
    size_t room;
} planner_cpus;

/** Adds the CPUs of a node's tasks: of the job's cores those that are nearest to the task's GPU, as
 *  many as \p bindings have, and where the step names no CPUs a task, an even share of them. Where
 *  these are too few for all that want them, the tasks of the node change the CPUs that they have
 * in \p bindings with each other. What is not known of a GPU's place leaves them as they are.
 *  \param gpu   [tasks of the node] indices of devices; NULL: CPUs are as they are
 *  \param cpus  start[] up to the node's first task is there
 *  \return 1: they are next to the GPUs, 0: not all of them, -1 */
int planner_gpu_cores(const planner_inputs *in, uint32_t node, const uint32_t *gpu,
                      const topomap_bindings *bindings, planner_cpus *cpus, topomap_error *err);

#endif
