/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs, GPUs, NICs and memory of a node's tasks. */
#pragma once

#include "plan/node_plan.h"

/* ---- cpus ---------------------------------------------------------------------- */
/* Which CPUs each task of a node gets, given the plan and what the node really allows. Sets and
 * arithmetic only, no memory; bind.c asks the system. Plans are sound (plan/node_plan.h). */

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

/* ---- gpu_variables ------------------------------------------------------------- */
/* In which order the tasks of a node see the step's GPUs. Words alone, no memory; bind.c reads and
 * sets the variables. Plans are sound (plan/node_plan.h). */

/* The longest words are UUIDs, of 40 characters and a comma. */
enum { PLUGIN_GPUS_VARIABLES = 4, PLUGIN_GPUS_VALUE = TOPOMAP_NODE_PLAN_GPUS * 48 };

/** The variables by which CUDA, ROCm, Level Zero and OpenCL know their GPUs, and which Slurm sets
 *  (gres_common_gpu_set_env() in src/plugins/gres/common/gres_common.c); NULL past the
 *  last. */
const char *plugin_gpus_variable(size_t index);

/** Whether the variable tells of the GPUs that ROCR_VISIBLE_DEVICES leaves, where they are AMD's:
 * were both put in order, it would be done twice. */
int plugin_gpus_counts_in_rocr(size_t index);

/** Whether Slurm gives each task GPUs of its own, by one of which its CPUs go. */
int plugin_gpus_are_own(const topomap_node_plan *plan);
/** Of such a plan, whose CPUs a task has: those of the task with this number. UINT32_MAX: it has
 * not just one of the plan's GPUs. \param step_gpus  SLURM_STEP_GPUS of the task, or NULL */
uint32_t plugin_gpus_entry(const topomap_node_plan *plan, const char *step_gpus);
/** The same where the cgroup constrains devices: there Slurm tells each such task the step's first
 * GPUs, as many as it has, whichever it has (common_gres_set_env(), whose usable_gres counts from 0
 * then). All planned ones must be those that Slurm deals out. \param all   SLURM_STEP_GPUS of the
 * step, before it was a task's \param bind  SLURMD_TRES_BIND, by which Slurm deals them out
 * ("gres/gpu:map_gpu:1,0", "gpu:single:1") */
uint32_t plugin_gpus_entry_dealt(const topomap_node_plan *plan, const char *all, const char *bind,
                                 uint32_t local);

/** Whether a task sees just the GPUs that the plan is for.
 *  \param step_gpus  SLURM_STEP_GPUS of the task, or NULL
 *  \return NULL, or why not */
const char *plugin_gpus_compare(const topomap_node_plan *plan, const char *step_gpus);

/** Whether a variable names parts of GPUs (NVIDIA's MIG). */
int plugin_gpus_are_parts(const char *value);

/** Puts the words of a variable, indices or UUIDs, into the plan's order, as they stand: none is
 *  added and none is lost, whatever they are.
 *  \param ordered  out
 *  \return NULL, or why they stay as they are */
const char *plugin_gpus_order(const topomap_node_plan *plan, const char *value,
                              char ordered[PLUGIN_GPUS_VALUE]);

/* ---- kernel -------------------------------------------------------------------- */
/* What this node's kernel tells of CPUs and NUMA nodes. A test has its own (mock_slurm.c). */

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

/* ---- memory policy ------------------------------------------------------------- */
/* With --mem-bind=local, task/affinity gives a task the memory of the NUMA nodes of its CPUs before
 * the task's hook runs. A task that is then moved to other CPUs must get their memory. */

/** If the calling thread's memory policy binds or prefers just the NUMA nodes of the CPUs \p from,
 * sets the same policy for those of \p to; any other policy stays. Returns 0, or -1 if the new
 * nodes cannot be found or set; the policy is then unchanged. */
int plugin_memory_policy_move(const plugin_cpus *from, const plugin_cpus *to);

/* ---- nic_environment ----------------------------------------------------------- */
/* The NICs that a task is next to, and the variables by which libraries take them. Words alone;
 * bind.c reads and sets the variables. A node's part is sound (plan/node_plan.h). */

enum { PLUGIN_NICS_VALUE = 4096, PLUGIN_NICS_VARIABLES = 4 };

/** What is known of a task. */
typedef struct plugin_nics_task {
    const topomap_node_nics *nics;
    uint32_t local, tasks;
    const char *step_gpus; /* SLURM_STEP_GPUS of the task, or NULL */
    int mpich_gpus;        /* MPICH sends from GPUs' memory */
} plugin_nics_task;

/** Their names, commas between, with a port behind a colon where they have one.
 *  \return 0, or -1: there is none, or more than there is room for */
int plugin_nics_of_task(const plugin_nics_task *task, char names[PLUGIN_NICS_VALUE]);

/** A variable's name; NULL past the last. Neighbours of one library are set together or not at all:
 *  \param with  out: how many from this one on */
const char *plugin_nics_variable(size_t index, size_t *with);

/** Its value for this task. \return 0, or -1: it is not for such NICs */
int plugin_nics_value(const plugin_nics_task *task, size_t index, char value[PLUGIN_NICS_VALUE]);
