/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores of its nodes a job has. */
#ifndef TOPOMAP_PLUGIN_CORES_H
#define TOPOMAP_PLUGIN_CORES_H

#include <stdint.h>

/** Asks slurmctld, for at most \p wait_ms.
 *  \param node_list  of the step, \p nodes of them
 *  \return lists for the request, "0-3,8(x2);0-1", in Slurm's core numbering and the step's node
 *  order; NULL where they are not known. Ends with free(). */
char *plugin_cores_of_job(uint32_t job, const char *node_list, uint32_t nodes, unsigned wait_ms);

#endif
