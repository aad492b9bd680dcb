/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiler's library before a step's tasks: srun says which, each node puts it into the tasks'
 * environment, where it is there. */
#ifndef TOPOMAP_PLUGIN_PRELOAD_H
#define TOPOMAP_PLUGIN_PRELOAD_H

#include <slurm/spank.h>
#include <stdint.h>

/** In srun: this step's tasks are to load \p library, an absolute path without blanks or colons,
 *  and to leave their profile in \p file. \return -1: the environment has no room */
int plugin_preload_carry(uint32_t job, uint32_t step, const char *library, const char *file);

/** In srun, before a step: forgets what an enclosing one has left. */
void plugin_preload_forget(void);

/** In slurm_spank_user_init: LD_PRELOAD for the tasks, behind what the user has there. A node that
 *  has no such library does nothing; then no rank of the step writes a profile. */
void plugin_preload_node(spank_t spank);

#endif
