/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs each task of a node gets, given the plan and what the node really allows. Sets and
 * arithmetic only, no memory; bind.c asks the system. Plans are sound (plan/node_plan.h). */
#ifndef TOPOMAP_PLUGIN_NODE_CPUS_H
#define TOPOMAP_PLUGIN_NODE_CPUS_H

#include "plan/node_plan.h"

enum { PLUGIN_CPUS = TOPOMAP_NODE_PLAN_PUS, PLUGIN_CPUS_WORD = 8 * sizeof(unsigned long) };

/** A set of OS PU numbers, as the kernel has it (sched_setaffinity(2)). */
typedef struct plugin_cpus {
    unsigned long bit[PLUGIN_CPUS / PLUGIN_CPUS_WORD];
} plugin_cpus;

void plugin_cpus_add(plugin_cpus *set, uint32_t cpu);
int plugin_cpus_has(const plugin_cpus *set, uint32_t cpu);

/** Nonzero where \p whole has all of \p set. */
int plugin_cpus_within(const plugin_cpus *set, const plugin_cpus *whole);

/** Nonzero where the two have a CPU in common. */
int plugin_cpus_meet(const plugin_cpus *a, const plugin_cpus *b);

/** All PUs of a node. */
void plugin_cpus_of_class(const topomap_node_plan *node, plugin_cpus *set);

/** Reads a list of the kernel's, such as "0-3,8\n". \return 0, or -1: it is none */
int plugin_cpus_read_list(const char *list, plugin_cpus *set);

/** All CPUs of masks such as "0x0003,0x0C00" (SLURM_CPU_BIND_LIST; hexadecimal digits, the last one
 *  has the CPUs 0 to 3). \return 0, or -1: these are none */
int plugin_cpus_read_masks(const char *masks, plugin_cpus *set);

/** Cuts \p allowed to the PUs of the cores in \p cores, a list such as "0-3,8" in Slurm's core
 *  numbering: socket by socket, as hwloc's logical cores and the class's.
 *  \return 0, or -1 where the list is no list or names a core that the class does not have */
int plugin_cpus_cut(plugin_cpus *allowed, const char *cores, const topomap_node_plan *node);

/** Sets \p mask to the CPUs of the task \p local of \p node:
 *  - what is planned, where all tasks' planned CPUs are allowed;
 *  - where the plan has tasks on the same CPUs (bind=numa), the allowed ones of what is planned;
 *  - else CPUs along the class's order over the allowed ones, the tasks in the order of their
 *    planned CPUs: as many as planned, or an even share where there are fewer.
 *  \return 0, or -1: the node's tasks, or those that would share CPUs, are more than CPUs, and all
 *  tasks should keep Slurm's binding */
int plugin_cpus_of_task(const topomap_node_plan *node, const plugin_cpus *allowed, uint32_t local,
                        plugin_cpus *mask);

#endif
