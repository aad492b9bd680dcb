/* SPDX-License-Identifier: BSD-3-Clause */
/* What srun's options, and what a job's leave to its steps, say of GPUs. */
#ifndef TOPOMAP_PLUGIN_SRUN_GPUS_H
#define TOPOMAP_PLUGIN_SRUN_GPUS_H

#include <stdint.h>
#include <stdio.h>

enum { PLUGIN_GPUS_OPTIONS = 10 };

/** The values of options, as rows of gpus.c; NULL: not said. Lent. */
typedef struct plugin_gpus {
    const char *value[PLUGIN_GPUS_OPTIONS];
} plugin_gpus;

/** Reads the environment of srun, whose options win over it. */
void plugin_gpus_inherit(plugin_gpus *gpus);
/** Notes an option, where it is one of GPUs. */
void plugin_gpus_note(plugin_gpus *gpus, const char *option, const char *value);

/** Whether each task has GPUs of its own, which Slurm pairs with the task's CPUs; by
 *  --gpu-bind=none it has not. */
int plugin_gpus_are_bound(const plugin_gpus *gpus);

/** Writes the line "step-gpus" of a request (protocol.md), where something is said that it can
 *  tell. */
void plugin_gpus_write(FILE *out, const plugin_gpus *gpus);

#endif
