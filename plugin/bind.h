/* SPDX-License-Identifier: BSD-3-Clause */
/* On the compute node: this node's slice of the plan, and a CPU set for each task. Everything
 * runs as the user; nothing here can fail a task. */
#ifndef TOPOMAP_PLUGIN_BIND_H
#define TOPOMAP_PLUGIN_BIND_H

#include <slurm/spank.h>

/** In slurm_spank_user_init, once a node. \param format  that is understood here (format.h)
 *  \return 0: srun's plugin speaks another one, nothing that it sent is to be used */
int plugin_bind_node(spank_t spank, unsigned format);
/** In slurm_spank_task_init, in each task before it starts its program. */
void plugin_bind_task(spank_t spank);

#endif
