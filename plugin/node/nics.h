/* SPDX-License-Identifier: BSD-3-Clause */
/* The NICs that a task is next to, and the variables by which libraries take them. Words alone;
 * bind.c reads and sets the variables. A node's part is sound (plan/nics.h). */
#ifndef TOPOMAP_PLUGIN_NODE_NICS_H
#define TOPOMAP_PLUGIN_NODE_NICS_H

#include "plan/nics.h"

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

#endif
