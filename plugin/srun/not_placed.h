/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a step is left as Slurm launches it, for the file of its explanation. */
#ifndef TOPOMAP_PLUGIN_SRUN_NOT_PLACED_H
#define TOPOMAP_PLUGIN_SRUN_NOT_PLACED_H

#include "plugin/common/reply.h"
#include "plugin/srun/facts.h"

/** Asks the planner about a step, and notes where it misses its deadline, which sets \p late.
 *  \param bytes  what \p *reply points into, or NULL; ends with free(), after a failure, too
 *  \return 0, or -1: \p err */
int plugin_facts_ask(const plugin_facts *facts, char **bytes, plugin_reply *reply, int *late,
                     topomap_error *err);

/** The same about a step that is not placed, unless it has missed a deadline in this job.
 *  \param late  set where it misses this one \return what \p *reply points into, for free(), or
 * NULL: there is no answer, and nobody says why */
char *plugin_not_placed_ask(const plugin_facts *facts, plugin_reply *reply, int *late);

/** Has the planner write \p why into the file that the user has named, so that a former step's text
 *  does not pass for this one's: srun itself writes no file. Silent where it cannot. */
void plugin_not_placed_explain(plugin_facts facts, const char *why);

#endif
