/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU each task gets where Slurm binds tasks to GPUs. */
#ifndef TOPOMAP_PLANNER_GPU_BOUND_H
#define TOPOMAP_PLANNER_GPU_BOUND_H

#include <stdint.h>

/** Whether a step's word (`step-gpus`, protocol.md) is of GPUs that Slurm binds. */
int planner_gpu_is_bound(const char *said);

/** The GPU of each task of a node by local id, of several the first that no other task has, as
 *  Slurm deals them out (gres_g_task_set_env() in src/interfaces/gres.c) where it does not go by
 *  the tasks' CPUs (`closest`, or Cores= in gres.conf with per_task and single): the node looks at
 *  what they are before anything is bound by it.
 *  \param has    [gpus] that the job has of the node, Slurm's indices, ascending
 *  \param first  [tasks] filled: no GPU twice
 *  \return nonzero: they are known */
int planner_gpu_bound(const char *said, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                      uint32_t *first);

#endif
