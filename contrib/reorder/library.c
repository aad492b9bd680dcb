/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls that map; targets.c has those that measure. */
#include "config.h"
#include <stdlib.h>

#include "contrib/reorder/reorder.h"
#include "util/alloc.h"

/* ---- Ranks for a graph communicator --------------------------------------------------------- */

/* \p newrank holds what stays: on failure, or where a process has TOPOMAP=off. */
static int map(MPI_Comm graph, const topomap_mpi_target *target, const reorder_plan *plan,
               int *newrank, topomap_error *err)
{
    TOPOMAP_CLEANUP(reorder_arcs_clear) reorder_arcs arcs = {0};
    topomap_graph *whole = NULL;
    int size = 0, ok, status, rank;

    PMPI_Comm_size(graph, &size);
    ok = reorder_arcs_of_topology(graph, &arcs, err) == 0;
    if (ok && size != target->team.size)
        ok = topomap_error_set(err, TOPOMAP_EUSAGE, "the graph has %d processes, the target %d",
                               size, target->team.size) == 0;
    if (!reorder_agree(graph, ok))
        return ok ? topomap_error_set(err, TOPOMAP_ESYSTEM, "another process has no graph") : -1;
    if (!reorder_agree(graph, !target->settings.off))
        return 0;
    status = reorder_arcs_gather(&target->team, &arcs, (uint32_t)size, &whole, err);
    if (status == 0)
        status = reorder_place(target, whole, (uint32_t)size, plan, &rank, err);
    topomap_graph_free(whole);
    if (status < 0)
        return -1;
    *newrank = rank;
    return 0;
}

static int own_rank(MPI_Comm graph, int *newrank, topomap_error *err)
{
    int inter = 1;

    if (graph == MPI_COMM_NULL || PMPI_Comm_test_inter(graph, &inter) != MPI_SUCCESS || inter)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a graph is one group of processes");
    PMPI_Comm_rank(graph, newrank);
    return 0;
}

static int map_once(MPI_Comm graph, const reorder_plan *plan, int *newrank)
{
    REORDER_TARGET_FREED topomap_mpi_target *target = NULL;
    topomap_error err;

    return own_rank(graph, newrank, &err) != 0 || reorder_target_default(graph, &target, &err) != 0
               ? -1
               : map(graph, target, plan, newrank, &err);
}

int topomap_mpi_rank_map(MPI_Comm graph, int *newrank)
{
    return map_once(graph, &(reorder_plan){.what = "topomap_mpi_rank_map"}, newrank);
}

int topomap_mpi_rank_map_tree(MPI_Comm graph, int *newrank)
{
    const reorder_plan plan = {"tree", "tree", "topomap_mpi_rank_map_tree", NULL, 0};

    return map_once(graph, &plan, newrank);
}

int topomap_mpi_rank_map_bipart(MPI_Comm graph, int *newrank)
{
    const reorder_plan plan = {"rb", "tree", "topomap_mpi_rank_map_bipart", NULL, 0};

    return map_once(graph, &plan, newrank);
}

int topomap_mpi_process_map(MPI_Comm graph, const topomap_mpi_target *target, int *newrank,
                            topomap_error *err)
{
    if (own_rank(graph, newrank, err) != 0)
        return -1;
    return map(graph, target, &(reorder_plan){.what = "topomap_mpi_process_map"}, newrank, err);
}

/* ---- Refinement ------------------------------------------------------------------------------ */

static int is_permutation(const int *ranks, int size)
{
    TOPOMAP_FREED char *seen = calloc((size_t)size, 1);
    int ok = seen != NULL;

    for (int i = 0; ok && i < size; i++)
        ok = ranks[i] >= 0 && ranks[i] < size && !seen[ranks[i]]++;
    return ok;
}

int topomap_mpi_process_refine(MPI_Comm graph, const topomap_mpi_target *target, int *newrank,
                               topomap_error *err)
{
    const reorder_team *team = &target->team;
    TOPOMAP_FREED int *start = team->rank == 0 ? malloc((size_t)team->size * sizeof *start) : NULL;
    reorder_plan plan = {"refine", NULL, "topomap_mpi_process_refine", start, 0};
    int own;

    if (own_rank(graph, &own, err) != 0)
        return -1;
    topomap_error_set(err, TOPOMAP_EUSAGE, "the ranks to refine are no permutation");
    if (!reorder_agree(team->all, team->rank || start) ||
        PMPI_Gather(newrank, 1, MPI_INT, start, 1, MPI_INT, 0, team->all) != MPI_SUCCESS ||
        !reorder_agree(team->all, team->rank || is_permutation(start, team->size)))
        return -1;
    return map(graph, target, &plan, newrank, err);
}
