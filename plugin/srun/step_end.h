/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be done when the step of this srun has ended: the planner does it, in a process of its
 * own, for which srun waits end_ms of plugstack.conf at most, a tenth of a second by default. */
#ifndef TOPOMAP_PLUGIN_SRUN_STEP_END_H
#define TOPOMAP_PLUGIN_SRUN_STEP_END_H

#include "plugin/common/args.h"
#include "plugin/common/reply.h"

/** Keeps what a launch's reply says of it, and the memory that its planner has. \p args must live
 * until plugin_step_end_do(). */
void plugin_step_end_take(const plugin_reply *reply, const plugin_args *args, uint32_t job,
                          uint32_t step, uint64_t memory, int asked, int verbose);

/** The step keeps Slurm's layout although the planner placed it: its times count there. */
void plugin_step_end_refuse(void);

/** Says the lines that a reply wants to be said. */
void plugin_step_end_tell(const plugin_reply *reply);

/** In slurm_spank_exit of srun: starts the planner and waits until it is done, end_ms at most. What
 *  is not done by then goes on by itself, or, where the job's end kills it, is done by a later
 *  launch. */
void plugin_step_end_do(void);

#endif
