/* SPDX-License-Identifier: BSD-3-Clause */
/* srun --async (26.05): steps that srun only queues. */
#ifndef TOPOMAP_PLUGIN_SRUN_ASYNC_H
#define TOPOMAP_PLUGIN_SRUN_ASYNC_H

#include "plugin/common/args.h"

#include <slurm/spank.h>

/** In srun, once it has read its options. An asynchronous step is launched by the job's stepmgr,
 *  which loads no SPANK plugin, and srun never reaches local_user_init (create_srun_job() in
 *  src/srun/srun_job.c, launch_common_create_job_step() in src/srun/launch.c, 26.05): it cannot be
 *  placed. Whoever asked for that is told; where it is required, srun ends here, before there is a
 *  step. Nothing, for any other step. */
void plugin_async_leave(spank_t spank, const plugin_args *args);

#endif
