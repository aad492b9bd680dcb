/* SPDX-License-Identifier: BSD-3-Clause */
/* How a step's bindings travel from srun to its nodes: in the environment while they are short,
 * else in a file, and beside it in the environment what is short: the same CPUs, dealt out in
 * order. */
#ifndef TOPOMAP_PLUGIN_PLANNER_LAUNCH_FORWARD_BINDINGS_H
#define TOPOMAP_PLUGIN_PLANNER_LAUNCH_FORWARD_BINDINGS_H

#include "plugin/planner/launch/verdict.h"

/** Writes the rows of the reply that say what srun is to put into the environment, and the file.
 *  \param text  as topomap_bindings_encode() writes it */
void planner_forward_bindings(planner_verdict *verdict, const char *text);

/** The same of the text of NICs, which has no other way than the environment. */
void planner_forward_nics(planner_verdict *verdict, const char *text);

#endif
