/* SPDX-License-Identifier: BSD-3-Clause */
/* Which NICs a step's tasks are next to, for nic=. */
#ifndef TOPOMAP_PLANNER_NICS_H
#define TOPOMAP_PLANNER_NICS_H

#include "plan/plan.h"
#include "plugin/planner/plan/inputs.h"

typedef struct planner_nics {
    char *text; /* for the nodes (plan/nics.h), or NULL: nobody asks, or none is known */
    char *told; /* lines for an explanation, or NULL: nobody asks */
} planner_nics;

/** Of a task the NIC that its GPU uses (topomap_devices_nics()), of a node's only task those of all
 *  its GPUs. Where Slurm or the node decides which GPUs a task has, those of the node's GPUs. Of a
 *  task without a GPU the NIC next to most of its CPUs, where the plan binds it; of several that
 *  are as near the fastest, and what is left of these is shared evenly, in order.
 *  \param plan  its bindings are those that the tasks will have
 *  \param gpu   [tasks of the plan] as planner_gpu_order has it, or NULL
 *  \param nics  ends with planner_nics_clear(), after a failure, too */
int planner_nics_make(const planner_inputs *in, const topomap_plan *plan, const uint32_t *gpu,
                      planner_nics *nics, topomap_error *err);
void planner_nics_clear(planner_nics *nics);

#endif
