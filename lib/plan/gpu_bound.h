/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU each task gets where Slurm binds tasks to GPUs. libc only: srun and the nodes read it,
 * too. */
#ifndef TOPOMAP_GPU_BOUND_H
#define TOPOMAP_GPU_BOUND_H

#include <stdint.h>

/** What srun says of it to the planner (`step-gpus`, plugin/protocol.md), of a value of --gpu-bind,
 * or of --tres-bind behind "gres/gpu:": "bound:map:3,1", "bound:2"; "bound" where it is none that
 * is known. */
enum { TOPOMAP_GPU_BOUND = 544 };
void topomap_gpu_bound_word(const char *bind, char word[TOPOMAP_GPU_BOUND]);
/** The same of a kind ("map:", "mask:", "single:", "" of a count) and its value. */
void topomap_gpu_bound_kind(const char *kind, const char *value, char word[TOPOMAP_GPU_BOUND]);

/** Whether such a word is of GPUs that Slurm binds. */
int topomap_gpu_is_bound(const char *said);
/** How many GPUs such a word gives each task, "bound:4"; 0: none, or not by a count, or no word. */
uint32_t topomap_gpu_bound_count(const char *said);

/** The GPU of each task of a node by local id, of several the first that no other task has, as
 *  Slurm deals them out (gres_g_task_set_env() in src/interfaces/gres.c) where it does not go by
 *  the tasks' CPUs (`closest`, or Cores= in gres.conf with per_task and single): the node looks at
 *  what they are before anything is bound by it.
 *  \param has     [gpus] of the node's that there are, Slurm's indices, ascending
 *  \param within  lists count within these, as they do where the cgroup constrains devices, else on
 * the node; 0: it is not known, and they must be the node's first ones, of which it is the same
 * (srun(1), --gpu-bind) \param first   [tasks] filled: no GPU twice \return nonzero: they are known
 */
int topomap_gpu_bound(const char *said, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                      int within, uint32_t *first);

#endif
