/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/mpi.h"

#include <slurm/slurm.h>
#include <stdlib.h>
#include <string.h>

/* 26.05 has it under the new name alone (slurm/slurm.h). */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define slurm_free_ctl_conf slurm_free_conf
#endif

/* An RPC, so it is asked last. */
static int default_may_be_pmi2(void)
{
    slurm_conf_t *conf = NULL;
    int may_be = 1;

    if (slurm_load_ctl_conf(0, &conf) == SLURM_SUCCESS && conf) {
        may_be = conf->mpi_default && strstr(conf->mpi_default, "pmi2") != NULL;
        slurm_free_ctl_conf(conf);
    }
    return may_be;
}

int plugin_mpi_may_be_pmi2(const char *option)
{
    const char *type = option && *option ? option : getenv("SLURM_MPI_TYPE");

    if (type && *type)
        return strstr(type, "pmi2") != NULL;
    return default_may_be_pmi2();
}
