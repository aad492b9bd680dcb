/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiler's library before a step's tasks: srun says which, each node puts it into the tasks'
 * environment, where it is there. */
#pragma once

#include <slurm/spank.h>
#include <stdint.h>

/** In srun: what this step's tasks are to load, an absolute path without blanks or colons, and,
 *  behind a blank, where they are to leave their profile. \return -1: the environment has no room
 */
int plugin_preload_carry(uint32_t job, uint32_t step, const char *what);

/** In srun, before a step: forgets what an enclosing one has left. */
void plugin_preload_forget(void);

enum { PLUGIN_PRELOAD_TEXT = 16384 };

typedef struct plugin_preload {
    char text[PLUGIN_PRELOAD_TEXT];
    const char *library, *file; /* in it */
} plugin_preload;

/** In slurm_spank_user_init: what srun says. \return nonzero: this step is to be profiled */
int plugin_preload_find(spank_t spank, uint32_t job, uint32_t step, plugin_preload *found);

/** Where the library can be read: LD_PRELOAD for the tasks, behind what the user has there, and
 *  the number of the memory for what they see (parts.h). A node without either does nothing; then
 *  the step leaves no profile. */
void plugin_preload_put(spank_t spank, const plugin_preload *found, int memory);
