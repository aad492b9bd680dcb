/* SPDX-License-Identifier: BSD-3-Clause */
/* With --mem-bind=local, task/affinity gives a task the memory of the NUMA nodes of its CPUs before
 * the task's hook runs. A task that is then moved to other CPUs must get their memory. */
#ifndef TOPOMAP_PLUGIN_NODE_MEMORY_POLICY_H
#define TOPOMAP_PLUGIN_NODE_MEMORY_POLICY_H

#include "plugin/node/cpus.h"

/** If the calling thread's memory policy binds or prefers just the NUMA nodes of the CPUs \p from,
 * sets the same policy for those of \p to; any other policy stays. Returns 0, or -1 if the new
 * nodes cannot be found or set; the policy is then unchanged. */
int plugin_memory_policy_move(const plugin_cpus *from, const plugin_cpus *to);

#endif
