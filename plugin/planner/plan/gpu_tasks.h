/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU each task of a plan takes, and which NIC that GPU uses. */
#ifndef TOPOMAP_PLANNER_GPU_TASKS_H
#define TOPOMAP_PLANNER_GPU_TASKS_H

#include "plugin/planner/plan/inputs.h"

/** Fills gpu, nic and nic_name of \p plan; where no node's GPUs are known they stay NULL.
 *  \param bindings  with the orders of GPUs that the nodes have, of the plan's nodes or none; those
 *                   of the plan, or of a record */
int planner_gpu_tasks(const planner_inputs *in, const topomap_bindings *bindings,
                      topomap_plan *plan, topomap_error *err);
/** The same where Slurm gives tasks GPUs and nothing of theirs is planned: of which it is known, as
 *  of a count each. */
int planner_gpu_tasks_of_slurm(const planner_inputs *in, topomap_plan *plan, topomap_error *err);

#endif
