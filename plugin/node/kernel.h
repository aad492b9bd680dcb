/* SPDX-License-Identifier: BSD-3-Clause */
/* What this node's kernel tells of CPUs and NUMA nodes. A test has its own (mock_slurm.c). */
#ifndef TOPOMAP_PLUGIN_NODE_KERNEL_H
#define TOPOMAP_PLUGIN_NODE_KERNEL_H

#include "plugin/node/cpus.h"

/** A process's memory policy (set_mempolicy(2)). */
typedef struct plugin_memory_policy {
    int mode;          /* MPOL_BIND and the like, with its flags */
    plugin_cpus nodes; /* NUMA nodes, by their numbers */
} plugin_memory_policy;

/** The CPUs that this machine has; none where the kernel does not say. */
void plugin_kernel_online(plugin_cpus *online);

/** Sets \p nodes to the NUMA nodes that have one of the CPUs \p cpus. Returns 0, or -1 if the
 * kernel does not tell. */
int plugin_kernel_numa_nodes(const plugin_cpus *cpus, plugin_cpus *nodes);

/** Gets the calling thread's memory policy. Returns 0, or -1 if the kernel has no such call. */
int plugin_kernel_get_policy(plugin_memory_policy *policy);

/** Sets the calling thread's memory policy. Returns 0, or -1 if the kernel refuses it. */
int plugin_kernel_set_policy(const plugin_memory_policy *policy);

#endif
