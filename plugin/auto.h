/* SPDX-License-Identifier: BSD-3-Clause */
/* --topomap=auto: a step is placed with the profile that an earlier run of its program has left;
 * where there is none, it runs as Slurm lays it out and leaves one. One step an srun. */
#ifndef TOPOMAP_PLUGIN_AUTO_H
#define TOPOMAP_PLUGIN_AUTO_H

#include "plugin/args.h"
#include "plugin/wish.h"

/** Drops what an enclosing step has left in the environment. */
void plugin_auto_forget(void);

/** Before the planner is asked. Where the graph is "auto", or none was named, looks for a stored
 *  profile and puts it in its place; where one is to be made, arranges it.
 *  \return nonzero: the planner is to be asked; 0: the step is left as Slurm laid it out */
int plugin_auto_begin(spank_t spank, const plugin_args *args, plugin_wish *wish);

/** The lines of the request that tell the planner about the profile, or "". Lent. */
const char *plugin_auto_request(void);

/** The planner could not read the stored profile: it goes, and this run makes another. */
void plugin_auto_damaged(void);

/** In slurm_spank_exit of srun: takes what the run has left into the store. */
void plugin_auto_end(void);

#endif
