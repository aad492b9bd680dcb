/* SPDX-License-Identifier: BSD-3-Clause */
/* Rankfiles: a line a rank, with its host and its cores by hwloc's logical numbers (mpirun(1) of
 * Open MPI 4, "Rankfiles"; prte's help, "placement-rankfiles"). What an orted may not use is not in
 * its hwloc tree, so cores are counted within what the job has. */
#include "plan/writers/writers.h"
#include "util/sorted.h"

static void write_ranks(FILE *out, const topomap_rank_places *places)
{
    if (!places->known)
        fputs("# The cores are not from a plan: the database does not know the insides of these "
              "nodes, or tasks "
              "are not bound.\n",
              out);
    for (uint32_t r = 0; r < places->ranks; r++) {
        fprintf(out, "rank %u=%s slot=", r, places->node[places->node_of[r]]);
        topomap_ranges_print(out, places->unit + places->first[r],
                             places->first[r + 1] - places->first[r], 2);
        fputc('\n', out);
    }
}

static void write_openmpi(FILE *out, const topomap_rank_places *places)
{
    fprintf(out, "# mpirun -n %u %s--rankfile <this file> ...\n", places->ranks,
            places->threads ? "--use-hwthread-cpus " : "");
    write_ranks(out, places);
}

static void write_prrte(FILE *out, const topomap_rank_places *places)
{
    fprintf(out, "# mpirun -n %u --map-by rankfile:file=<this file>%s ...\n", places->ranks,
            places->threads ? ":hwtcpus" : "");
    write_ranks(out, places);
}

const topomap_plan_writer topomap_openmpi_rankfile = {
    .name = "openmpi-rankfile",
    .help = "hosts and cores, for mpirun --rankfile of Open MPI 4",
    .write = write_openmpi,
};

const topomap_plan_writer topomap_prrte_rankfile = {
    .name = "prrte-rankfile",
    .help = "hosts and cores, for --map-by rankfile of Open MPI 5 and PRRTE",
    .write = write_prrte,
};
