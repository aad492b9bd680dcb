/* SPDX-License-Identifier: BSD-3-Clause */
/* The control group of what slurmstepd starts. Slurm waits at a step's end for the group that
 * slurmstepd and its children are in to be empty, a minute at least, and then drains the node
 * (proctrack/cgroup and cgroup/v2, slurm 22.05 to 26.05: proctrack_p_wait(), which counts
 * CG_LEVEL_STEP_SLURM). A process that a file system holds in the kernel is moved to where
 * slurmstepd itself goes then: SCOPE/system, of no step. */
#ifndef TOPOMAP_PLUGIN_COMMON_GROUP_H
#define TOPOMAP_PLUGIN_COMMON_GROUP_H

#include <stddef.h>
#include <sys/types.h>

enum { PLUGIN_GROUP_PATH = 1024 };

/** The file that takes a process of slurmstepd's out of its step.
 *  \param text  of /proc/self/cgroup \param path  PLUGIN_GROUP_PATH bytes
 *  \return 0, or -1: not slurmstepd's group, or not that of cgroup/v2 */
int plugin_group_outside(const char *text, char *path);

/** The same for this process. */
int plugin_group_find(char *path);

/** Moves \p pid there, in a process of its own that ends with it. System calls only. */
_Noreturn void plugin_group_move(const char *path, pid_t pid);

#endif
