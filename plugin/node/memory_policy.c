/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/memory_policy.h"
#include "plugin/node/kernel.h"

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
static int is_of(const plugin_memory_policy *now, const plugin_memory_policy *cpus)
{
    unsigned long outside = 0;

    if ((now->mode & MODE_MASK) != MPOL_PREFERRED)
        return !memcmp(now->node, cpus->node, sizeof now->node);
    for (size_t i = 0; i < sizeof now->node / sizeof *now->node; i++)
        outside |= now->node[i] & ~cpus->node[i];
    return !outside;
}

int plugin_memory_policy_move(const plugin_cpus *from, const plugin_cpus *to)
{
    plugin_memory_policy now = {0}, old = {0}, new = {0};

    if (plugin_kernel_get_policy(&now) || !has_nodes(now.mode))
        return 0;
    if (plugin_kernel_numa_nodes(from, &old) || plugin_kernel_numa_nodes(to, &new))
        return -1;
    if (!is_of(&now, &old) || !memcmp(now.node, new.node, sizeof now.node))
        return 0;
    new.mode = now.mode;
    return plugin_kernel_set_policy(&new);
}
