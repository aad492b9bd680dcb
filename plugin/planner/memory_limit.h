/* SPDX-License-Identifier: BSD-3-Clause */
/* A planner shares the cgroup of whoever has started srun: in a batch script, the job's own. Were
 * the kernel to end it there for want of memory, Slurm would mark the job OUT_OF_MEMORY. So it asks
 * for no more than that has left; what then fails is a plan. */
#pragma once

#include <stdint.h>

/** Bytes that a process may still take before a limit of its control groups is reached, caches that
 *  the kernel can drop left out; UINT64_MAX: no limit, or not known.
 *  \param groups  its groups, /proc/self/cgroup
 *  \param mounts  where they are seen, /sys/fs/cgroup: of version 2 itself or in `unified`, of
 *                 version 1 in `memory` (cgroups(7)) */
uint64_t planner_memory_free(const char *groups, const char *mounts);

/** Lowers RLIMIT_AS to what this process has and three quarters of what is free. */
void planner_memory_limit(void);
