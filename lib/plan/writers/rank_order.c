/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH_RANK_ORDER of Cray MPICH (intro_mpi(3), MPICH_RANK_REORDER_METHOD 3): all ranks in the
 * order in which the launcher fills nodes, one after the other; '#' begins a comment. A line a
 * node. */
#include "plan/writers/writers.h"

static void write_order(FILE *out, const topomap_rank_places *places)
{
    fprintf(out,
            "# MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=<this file> srun -m block -n %u "
            "...\n",
            places->ranks);
    for (uint32_t i = 0; i < places->ranks; i++) {
        uint32_t rank = places->by_node[i],
                 next = i + 1 < places->ranks ? places->by_node[i + 1] : rank;

        fprintf(out, "%u%s%s", rank, i + 1 < places->ranks ? "," : "",
                i + 1 == places->ranks || places->node_of[next] != places->node_of[rank] ? "\n"
                                                                                         : "");
    }
}

const topomap_plan_writer topomap_mpich_rank_order = {
    .name = "mpich-rank-order",
    .help = "ranks in the order of the nodes, for MPICH_RANK_REORDER_FILE of Cray MPICH",
    .write = write_order,
};
