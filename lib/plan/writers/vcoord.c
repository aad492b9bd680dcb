/* SPDX-License-Identifier: BSD-3-Clause */
/* The coordinates file of Fujitsu's Technical Computing Suite: line r is where rank r runs, as a
 * coordinate in the shape of the job's nodes (R-CCS's user's guide of Fugaku 1.49, 6.3.2, for
 * mpiexec --vcoordfile; pjsub --mpi rank-map-hostfile=FILE has the same). The shape is of one
 * dimension here: the node's number in the list of hosts. The guide has no comments in it. */
#include "plan/writers/writers.h"

static void write_coordinates(FILE *out, const topomap_rank_places *places)
{
    for (uint32_t r = 0; r < places->ranks; r++)
        fprintf(out, "(%u)\n", places->node_of[r]);
}

const topomap_plan_writer topomap_pjsub_vcoord = {
    .name = "pjsub-vcoord",
    .help = "a coordinate a rank, for Fujitsu's mpiexec --vcoordfile and pjsub's rank-map-hostfile",
    .write = write_coordinates,
};
