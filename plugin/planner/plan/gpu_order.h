/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of nodes whose tasks have GPUs: which GPU each task takes, and cores next to it. */
#ifndef TOPOMAP_PLANNER_GPU_ORDER_H
#define TOPOMAP_PLANNER_GPU_ORDER_H

#include "plan/plan.h"
#include "plugin/planner/plan/inputs.h"

typedef struct planner_gpu_order {
    uint32_t bound;       /* nodes of several tasks whose CPUs are next to their GPUs */
    double before, after; /* bytes times cost between a node's GPUs: Slurm's order, and planned */
} planner_gpu_order;

/** Gives the tasks of each node an order of the step's GPUs there, since a task takes the GPU of
 *  its local id, as programs do, by the number of GPUs where tasks are more. And CPUs next to it
 *  (gpu_cores.h). The CPUs of one task alone that has several GPUs stay, unless bind=gpu was said;
 *  so do those of nodes whose GPUs are not known. Where Slurm gives GPUs to tasks, a node has no
 *  bindings if these GPUs, or, unless bind=gpu was said, the CPUs next to them are not known. */
int planner_gpu_order_make(const planner_inputs *in, topomap_plan *plan, planner_gpu_order *order,
                           topomap_error *err);

#endif
