/* SPDX-License-Identifier: BSD-3-Clause */
/* A line a rank, with its host: Slurm's host file and hydra's machine file. */
#include "plan/writers/writers.h"

/* SLURM_HOSTFILE, for the distribution `arbitrary` (srun(1)); '#' begins a comment
 * (slurm_read_hostfile of src/common/slurm_resource_info.c, read_config.c in others). */
static void write_hostfile(FILE *out, const topomap_rank_places *places)
{
    fprintf(out, "# SLURM_HOSTFILE=<this file> srun -m arbitrary -n %u ...\n", places->ranks);
    for (uint32_t r = 0; r < places->ranks; r++)
        fprintf(out, "%s\n", places->node[places->node_of[r]]);
}

/* HOST:NUMBER of the next ranks (MPICH's and Intel MPI's hydra). In a Slurm allocation hydra starts
 * all its proxies by one srun, with a host as often as the file has it (MPICH 4.0,
 * tools/bootstrap/external/slurm_launch.c); srun refuses that and hydra waits for good. By ssh or a
 * program of its kind it starts one after the other. */
static void write_machinefile(FILE *out, const topomap_rank_places *places)
{
    fprintf(out,
            "# mpiexec -launcher ssh -f <this file> -n %u ...  (hydra's launcher for Slurm takes "
            "no host twice)\n",
            places->ranks);
    for (uint32_t r = 0; r < places->ranks; r++)
        fprintf(out, "%s:1\n", places->node[places->node_of[r]]);
}

const topomap_plan_writer topomap_slurm_hostfile = {
    .name = "slurm-hostfile",
    .help = "a host a rank, for SLURM_HOSTFILE and srun -m arbitrary",
    .write = write_hostfile,
};

const topomap_plan_writer topomap_machinefile = {
    .name = "machinefile",
    .help = "a host a rank, for MPICH's and Intel MPI's mpiexec -f",
    .write = write_machinefile,
};
