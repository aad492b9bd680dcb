/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"

#include <stdlib.h>
#include <string.h>

/* srun puts the name of the plugin that it has loaded, MpiDefault's too, into its environment
 * before the step's hook runs (mpi_g_client_init, 22.05 to 26.05). */
int plugin_mpi_may_be_pmi2(const char *option)
{
    const char *type = option && *option ? option : getenv("SLURM_MPI_TYPE");

    return !type || !*type || strstr(type, "pmi2") != NULL;
}
