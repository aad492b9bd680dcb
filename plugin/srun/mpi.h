/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of Slurm's mpi plugins a step uses. */
#ifndef TOPOMAP_PLUGIN_SRUN_MPI_H
#define TOPOMAP_PLUGIN_SRUN_MPI_H

/** Nonzero unless the step surely uses another mpi plugin than pmi2.
 *  \param option  value of --mpi, or NULL */
int plugin_mpi_may_be_pmi2(const char *option);

#endif
