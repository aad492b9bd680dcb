/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads a file of sysfs with a list of CPUs or of NUMA nodes. Returns 0 or -1. */
static int read_list(const char *path, plugin_cpus *set)
{
    FILE *file = fopen(path, "re");
    char list[4096];
    int failed = !file || !fgets(list, sizeof list, file) || plugin_cpus_read_list(list, set);

    if (file)
        fclose(file);
    return failed ? -1 : 0;
}

/* sysfs makes the list at each reading, which takes a good part of a millisecond: once a node is
 * enough. */
void plugin_kernel_online(plugin_cpus *online)
{
    if (read_list("/sys/devices/system/cpu/online", online))
        memset(online, 0, sizeof *online);
}

int plugin_kernel_numa_nodes(const plugin_cpus *cpus, plugin_memory_policy *policy)
{
    plugin_cpus nodes, own;
    char path[64];

    if (read_list("/sys/devices/system/node/has_cpu", &nodes))
        return -1;
    for (uint32_t node = 0; node < PLUGIN_NUMA_NODES; node++) {
        if (!plugin_cpus_has(&nodes, node))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpulist", node);
        if (read_list(path, &own))
            return -1;
        if (plugin_cpus_meet(&own, cpus))
            policy->node[node / PLUGIN_CPUS_WORD] |= 1ul << node % PLUGIN_CPUS_WORD;
    }
    return 0;
}

/* libc has no functions for these two. */
int plugin_kernel_get_policy(plugin_memory_policy *policy)
{
    return (int)syscall(SYS_get_mempolicy, &policy->mode, policy->node,
                        (unsigned long)PLUGIN_NUMA_NODES, NULL, 0ul);
}

int plugin_kernel_set_policy(const plugin_memory_policy *policy)
{
    return (int)syscall(SYS_set_mempolicy, policy->mode, policy->node,
                        (unsigned long)PLUGIN_NUMA_NODES + 1);
}
