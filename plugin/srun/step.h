/* SPDX-License-Identifier: BSD-3-Clause */
/* A step in srun, from options to a new layout. */
#ifndef TOPOMAP_PLUGIN_SRUN_STEP_H
#define TOPOMAP_PLUGIN_SRUN_STEP_H

#include "plugin/common/args.h"

#include <slurm/spank.h>

/** Forgets what an enclosing step left in the environment. */
void plugin_step_forget(void);

/** In slurm_spank_exit of srun: removes what the step left in the spool folder. */
void plugin_step_end(void);

/** In slurm_spank_local_user_init. Whatever goes wrong, the step runs as Slurm would run it, with
 *  one line; where topomap is required, its tasks end before they start their program. */
void plugin_step_place(spank_t spank, const plugin_args *args);

#endif
