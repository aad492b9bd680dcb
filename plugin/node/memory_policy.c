/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/cpus.h"

#include <linux/mempolicy.h>
#include <string.h>

enum { MODE_MASK = 0xff, PREFERRED_MANY = 5 /* MPOL_PREFERRED_MANY, Linux 5.15 */ };

static int has_nodes(int mode)
{
    mode &= MODE_MASK; /* flags are above it */
    return mode == MPOL_BIND || mode == MPOL_PREFERRED || mode == PREFERRED_MANY;
}

/* Slurm binds to all NUMA nodes of the task's CPUs, or prefers the first of them
 * (numa_set_preferred in src/plugins/task/affinity). */
static int is_of(const plugin_memory_policy *now, const plugin_cpus *nodes)
{
    if ((now->mode & MODE_MASK) == MPOL_PREFERRED)
        return plugin_cpus_within(&now->nodes, nodes);
    return !memcmp(&now->nodes, nodes, sizeof *nodes);
}

int plugin_memory_policy_move(const plugin_cpus *from, const plugin_cpus *to)
{
    plugin_memory_policy policy = {0};
    plugin_cpus old, new;

    if (plugin_kernel_get_policy(&policy) || !has_nodes(policy.mode))
        return 0;
    if (plugin_kernel_numa_nodes(from, &old) || plugin_kernel_numa_nodes(to, &new))
        return -1;
    if (!is_of(&policy, &old) || !memcmp(&policy.nodes, &new, sizeof new))
        return 0;
    policy.nodes = new;
    return plugin_kernel_set_policy(&policy);
}
