/* SPDX-License-Identifier: BSD-3-Clause */
/* The map of ranks to nodes that mpi/pmi2 gives to MPICH and its kin, "(vector,(0,4,1),...)".
 *
 * mpi/pmi2 makes it from the step layout, in a way that hangs on what distribution the layout says
 * it is (slurm 22.05 to 26.05, src/plugins/mpi/pmi2/setup.c, _get_proc_mapping): for block it
 * counts ranks up and never looks at the task ids; for cyclic and plane it follows them. MPICH
 * reads the map as one line of its PMI wire protocol and dies in MPI_Init where it is too long. */
#ifndef TOPOMAP_PLUGIN_SRUN_PROCMAP_H
#define TOPOMAP_PLUGIN_SRUN_PROCMAP_H

#include "plugin/common/ranks.h"

/** Does the map that mpi/pmi2 makes of a layout with this distribution agree with its task ids? Not
 *  Slurm's own block layout of 26.05 along its topology: MPICH aborts where task counts differ. */
int plugin_procmap_is_honest(const plugin_ranks *ranks, uint32_t task_dist);

/** Chooses the distribution that a permuted layout must say it is, so that MPICH learns the truth.
 *  Only the part for nodes changes, unless \p plane is allowed: plane is shorter where ranks of a
 *  node follow one another, but task/affinity lays tasks out in another way inside nodes for it.
 *  \param task_dist  what the layout says
 *  \param pmi2       nonzero: the step may use mpi/pmi2, so the map must be short enough
 *  \return 0 and *honest, or -1 and \p err: no distribution gives a map that fits */
int plugin_procmap_choose(const plugin_ranks *ranks, uint32_t task_dist, int pmi2, int plane,
                          uint32_t *honest, topomap_error *err);

#endif
