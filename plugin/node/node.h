/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin in slurmstepd and in a task. */
#pragma once

#include <slurm/spank.h>
#include <stdint.h>

#include "plugin/helper/helper.h"

/* ---- node ---------------------------------------------------------------------- */
/* In slurmstepd: asks topomap-node, which may read and decode what is a user's. */

/** The words of plugstack.conf that concern a node. Slurm owns the texts. */
typedef struct plugin_node_site {
    const char *helper; /* path of topomap-node */
    const char *spool;  /* a folder, or NULL */
    unsigned node_ms; /* milliseconds that topomap-node has in all, starting and ending included */
} plugin_node_site;

/** How one start of topomap-node divides node_ms: the sum of the times is below it. */
typedef struct plugin_node_budget {
    int answer_ms;        /* until the end of its answer */
    int exit_ms;          /* then, until it has ended by itself */
    int kill_ms;          /* until it is gone after SIGKILL; then it is left behind */
    unsigned cpu_seconds; /* its RLIMIT_CPU, for one that was left behind */
} plugin_node_budget;

void plugin_node_site_read(int count, char **words, plugin_node_site *site);

/** Returns 85 % of \p node_ms for the answer, 2 % for the exit and 10 % for the kill, at least a
 *  millisecond each, and twice as much CPU time in whole seconds, rounded up. */
plugin_node_budget plugin_node_budget_of(unsigned node_ms);

/** Starts topomap-node, asks it and ends it; takes site->node_ms at most.
 *  \param memory  where the answer's plan lies; ends with free(), NULL where there is none
 *  \return 0, or -1: no answer, or none that is sound; \p err says why in a few words */
int plugin_node_ask(const plugin_node_site *site, const node_question *question,
                    node_answer *answer, void **memory, topomap_error *err);

/* ---- bind ---------------------------------------------------------------------- */
/* On the compute node: this node's slice of the plan, and a CPU set for each task. Everything
 * runs as the user; nothing here can fail a task. */

/** In slurm_spank_user_init, once a node, where slurmstepd is root beneath: reads and decodes
 *  nothing that a user can have written, and asks topomap-node instead.
 *  \param format  that is understood here (format.h): of a srun whose plugin speaks another one,
 *                 nothing is used */
void plugin_bind_node(spank_t spank, unsigned format, const plugin_node_site *site);
/** In slurm_spank_task_init, in each task before it starts its program. */
void plugin_bind_task(spank_t spank);

/* ---- parts --------------------------------------------------------------------- */
/* In slurmstepd: where the ranks of a step that is profiled leave what they saw, and how it leaves
 * the node. The tasks inherit memory (graph/formats/parts.h), and when the last of them has
 * ended, topomap-node writes it into the run's folder, as the user. */

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
