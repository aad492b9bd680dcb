/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/cpus.h"
#include "util/full_io.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads a file of sysfs with a list of CPUs or of NUMA nodes. Returns 0 or -1. */
static int read_list(const char *path, plugin_cpus *set)
{
    TOPOMAP_CLOSED_FILE FILE *file = fopen(path, "re");
    char list[4096];

    return !file || !fgets(list, sizeof list, file) || plugin_cpus_read_list(list, set) ? -1 : 0;
}

/* sysfs makes the list at each reading, which takes a good part of a millisecond: once a node is
 * enough. */
void plugin_kernel_online(plugin_cpus *online)
{
    if (read_list("/sys/devices/system/cpu/online", online))
        memset(online, 0, sizeof *online);
}

int plugin_kernel_numa_nodes(const plugin_cpus *cpus, plugin_cpus *nodes)
{
    plugin_cpus all, own;
    char path[64];

    memset(nodes, 0, sizeof *nodes);
    if (read_list("/sys/devices/system/node/has_cpu", &all))
        return -1;
    for (uint32_t node = 0; node < PLUGIN_CPUS; node++) {
        if (!plugin_cpus_has(&all, node))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpulist", node);
        if (read_list(path, &own))
            return -1;
        if (plugin_cpus_meet(&own, cpus))
            plugin_cpus_add(nodes, node);
    }
    return 0;
}

/* libc has no functions for these two. */
int plugin_kernel_get_policy(plugin_memory_policy *policy)
{
    return (int)syscall(SYS_get_mempolicy, &policy->mode, policy->nodes.bit,
                        (unsigned long)PLUGIN_CPUS, NULL, 0ul);
}

/* The kernel takes one bit less than it is told. */
int plugin_kernel_set_policy(const plugin_memory_policy *policy)
{
    return (int)syscall(SYS_set_mempolicy, policy->mode, policy->nodes.bit,
                        (unsigned long)PLUGIN_CPUS + 1);
}
