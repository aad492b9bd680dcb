/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a step is left as Slurm launches it, for the file of its explanation. */
#ifndef TOPOMAP_PLUGIN_SRUN_LEFT_H
#define TOPOMAP_PLUGIN_SRUN_LEFT_H

#include "plugin/srun/facts.h"

/** Has the planner write \p why into the file that the user has named, so that a former step's text
 *  does not pass for this one's: srun itself writes no file. Silent where it cannot. */
void plugin_left_explain(plugin_facts facts, const char *why);

#endif
