/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order the tasks of a node see the step's GPUs. Words alone, no memory; bind.c reads and
 * sets the variables. Plans are sound (plan/node_plan.h). */
#ifndef TOPOMAP_PLUGIN_NODE_GPUS_H
#define TOPOMAP_PLUGIN_NODE_GPUS_H

#include "plan/node_plan.h"

/* The longest words are UUIDs, of 40 characters and a comma. */
enum { PLUGIN_GPUS_VARIABLES = 4, PLUGIN_GPUS_VALUE = TOPOMAP_NODE_PLAN_GPUS * 48 };

/** The variables by which CUDA, ROCm, Level Zero and OpenCL know their GPUs, and which Slurm sets
 *  (gres_common_gpu_set_env() in src/plugins/gres/common/gres_common.c); NULL past the
 *  last. */
const char *plugin_gpus_variable(size_t index);

/** Whether the variable tells of the GPUs that ROCR_VISIBLE_DEVICES leaves, where they are AMD's:
 * were both put in order, it would be done twice. */
int plugin_gpus_counts_in_rocr(size_t index);

/** Whether Slurm gives each task GPUs of its own, by one of which its CPUs go. */
int plugin_gpus_are_own(const topomap_node_plan *plan);
/** Of such a plan, whose CPUs a task has: those of the task with this number. UINT32_MAX: it has
 * not just one of the plan's GPUs. \param step_gpus  SLURM_STEP_GPUS of the task, or NULL */
uint32_t plugin_gpus_entry(const topomap_node_plan *plan, const char *step_gpus);
/** The same where the cgroup constrains devices: there Slurm tells each such task the step's first
 * GPUs, as many as it has, whichever it has (common_gres_set_env(), whose usable_gres counts from 0
 * then). All planned ones must be those that Slurm deals out. \param all   SLURM_STEP_GPUS of the
 * step, before it was a task's \param bind  SLURMD_TRES_BIND, by which Slurm deals them out
 * ("gres/gpu:map_gpu:1,0", "gpu:single:1") */
uint32_t plugin_gpus_entry_dealt(const topomap_node_plan *plan, const char *all, const char *bind,
                                 uint32_t local);

/** Whether a task sees just the GPUs that the plan is for.
 *  \param step_gpus  SLURM_STEP_GPUS of the task, or NULL
 *  \return NULL, or why not */
const char *plugin_gpus_compare(const topomap_node_plan *plan, const char *step_gpus);

/** Whether a variable names parts of GPUs (NVIDIA's MIG). */
int plugin_gpus_are_parts(const char *value);

/** Puts the words of a variable, indices or UUIDs, into the plan's order, as they stand: none is
 *  added and none is lost, whatever they are.
 *  \param ordered  out
 *  \return NULL, or why they stay as they are */
const char *plugin_gpus_order(const topomap_node_plan *plan, const char *value,
                              char ordered[PLUGIN_GPUS_VALUE]);

#endif
