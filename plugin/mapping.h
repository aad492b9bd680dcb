/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi/pmi2 tells MPICH which ranks share a node (PMI_process_mapping), and it does not always look
 * at the task ids to find out: in a block distribution it counts tasks node by node
 * (_get_proc_mapping in slurm's src/plugins/mpi/pmi2/setup.c). With permuted ids MPICH would then
 * share memory with ranks of other nodes, and fail in MPI_Init. */
#ifndef TOPOMAP_PLUGIN_MAPPING_H
#define TOPOMAP_PLUGIN_MAPPING_H

#include "plugin/ranks.h"

/** The distribution that the step layout must name for the mapping to be true to \p ranks:
 *  cyclic or plane, for which mpi/pmi2 follows the ids (cyclic if possible, since it leaves the
 *  distribution inside nodes as it was), and where the mapping would be longer than MPICH reads,
 *  arbitrary, for which every rank is said to be alone on its node: true enough to run, without
 *  shared memory.
 *  \param task_dist  the layout's own
 *  \return 0, or -1 without memory */
int plugin_mapping_choose(const plugin_ranks *ranks, uint32_t task_dist, uint32_t *chosen);

#endif
