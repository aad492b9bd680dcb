/* SPDX-License-Identifier: BSD-3-Clause */
/* In slurmstepd: where the ranks of a step that is profiled leave what they saw, and how it leaves
 * the node. The tasks inherit memory (graph/formats/part_memory.h), and when the last of them has
 * ended, topomap-node writes it into the run's folder, as the user. */
#ifndef TOPOMAP_PLUGIN_NODE_PARTS_H
#define TOPOMAP_PLUGIN_NODE_PARTS_H

#include <stdint.h>

#include "plugin/node/node.h"

/** In slurm_spank_init_post_opt, which runs in slurmstepd itself, as root: an empty file in memory,
 *  whatever the step is. With contain_spank, user_init and task_exit run in processes that have
 *  slurmstepd's memory, but copies of its descriptors (CLONE_VM alone, src/slurmd/slurmstepd/mgr.c
 *  since 24.11): one that is opened there never reaches the tasks. */
void plugin_parts_open(void);

/** In slurm_spank_user_init, for a step that is profiled: room for \p tasks of this node, the
 *  step's \p node, and of \p all in the step. \p file is one in the run's folder.
 *  \return the descriptor's number, for the tasks; -1: there is none */
int plugin_parts_begin(uint64_t run, uint32_t node, uint32_t tasks, uint32_t all, const char *file);

/** In slurm_spank_task_init: this task keeps it when it becomes its program. */
void plugin_parts_hand_over(void);

/** In slurm_spank_task_exit: a task has ended, with \p status as wait() has it. After the last one,
 *  waits site->node_ms at most for topomap-node; not at all where no task has left anything and
 * none has failed. */
void plugin_parts_task_exit(const plugin_node_site *site, int status);

/** In slurm_spank_exit: the last chance, where Slurm has not told of all tasks' ends. */
void plugin_parts_end(const plugin_node_site *site);

#endif
