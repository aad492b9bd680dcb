/* SPDX-License-Identifier: BSD-3-Clause */
/* On the compute node: this node's slice of the plan, and a CPU set for each task. Everything
 * runs as the user; nothing here can fail a task. */
#ifndef TOPOMAP_PLUGIN_NODE_BIND_H
#define TOPOMAP_PLUGIN_NODE_BIND_H

#include <slurm/spank.h>

#include "plugin/node/node.h"

/** In slurm_spank_user_init, once a node, where slurmstepd is root beneath: reads and decodes
 *  nothing that a user can have written, and asks topomap-node instead.
 *  \param format  that is understood here (format.h): of a srun whose plugin speaks another one,
 *                 nothing is used */
void plugin_bind_node(spank_t spank, unsigned format, const plugin_node_site *site);
/** In slurm_spank_task_init, in each task before it starts its program. */
void plugin_bind_task(spank_t spank);

#endif
