/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The number of a rank's node in the list for tests: the first rank that has its name. */
static int listed_node(const reorder_settings *settings)
{
    char own[REORDER_NAME], other[REORDER_NAME];
    int rank, cpu, first = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reorder_settings_node(settings, rank, own, sizeof own, &cpu);
    for (reorder_settings_node(settings, first, other, sizeof other, &cpu); strcmp(own, other) != 0;
         reorder_settings_node(settings, first, other, sizeof other, &cpu))
        first++;
    return first;
}

/* The number that Slurm gave this process's node. \return -1 where this is not a step's task of
 * that rank: started by mpirun, or spawned */
static int launched_node(void)
{
    const char *id = getenv("SLURM_PROCID"), *count = getenv("SLURM_STEP_NUM_TASKS");
    const char *node = getenv("SLURM_NODEID");
    int rank, size;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return id && count && node && atoi(id) == rank && atoi(count) == size ? atoi(node) : -1;
}

/* Debian's MPICH 5.0.2 says that every process is alone on its node, under its own mpirun too:
 * where all say so, the launcher knows better. */
static int split_as_launched(reorder_team *team)
{
    int alone, node = launched_node();

    if (PMPI_Comm_size(team->node, &alone) != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    if (!reorder_agree(team->all, alone == 1 && node >= 0))
        return MPI_SUCCESS;
    PMPI_Comm_free(&team->node);
    return PMPI_Comm_split(team->all, node, team->rank, &team->node);
}

static int split_by_node(reorder_team *team, const reorder_settings *settings)
{
    int status;

    if (settings->nodes)
        return PMPI_Comm_split(team->all, listed_node(settings), team->rank, &team->node);
    status = PMPI_Comm_split_type(team->all, MPI_COMM_TYPE_SHARED, team->rank, MPI_INFO_NULL,
                                  &team->node);
    return status == MPI_SUCCESS ? split_as_launched(team) : status;
}

int reorder_team_open(MPI_Comm comm, const reorder_settings *settings, reorder_team *team)
{
    *team = (reorder_team){MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL, 0, 1, 0, 1};
    if (PMPI_Comm_rank(comm, &team->rank) != MPI_SUCCESS ||
        PMPI_Comm_size(comm, &team->size) != MPI_SUCCESS ||
        PMPI_Comm_split(comm, 0, team->rank, &team->all) != MPI_SUCCESS)
        return -1;
    PMPI_Comm_set_errhandler(team->all, MPI_ERRORS_RETURN);
    if (split_by_node(team, settings) == MPI_SUCCESS &&
        PMPI_Comm_rank(team->node, &team->node_rank) == MPI_SUCCESS &&
        PMPI_Comm_size(team->node, &team->node_size) == MPI_SUCCESS &&
        PMPI_Comm_split(team->all, team->node_rank ? MPI_UNDEFINED : 0, team->rank,
                        &team->leaders) == MPI_SUCCESS)
        return 0;
    reorder_team_close(team);
    return -1;
}

void reorder_team_close(reorder_team *team)
{
    MPI_Comm *own[] = {&team->leaders, &team->node, &team->all};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (*own[i] != MPI_COMM_NULL)
            PMPI_Comm_free(own[i]);
}

int reorder_agree(MPI_Comm comm, int ok)
{
    int all = 0;

    ok = ok != 0;
    return PMPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* On rank 0: where each process's items go. \return their number, or -1 */
static long long place_items(const int *counts, int *starts, int ranks)
{
    long long total = 0;

    for (int r = 0; r < ranks; total += counts[r++]) {
        if (counts[r] < 0 || total > INT_MAX)
            return -1;
        starts[r] = (int)total;
    }
    return total <= INT_MAX ? total : -1;
}

/* \p counts is [2 * ranks] on rank 0. */
static int gather_items(MPI_Comm comm, const void *own, int count, size_t size, int *counts,
                        int ranks, void **all, size_t *total)
{
    MPI_Datatype type;
    int ok;

    if (PMPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        return -1;
    if (counts) {
        long long sum = place_items(counts, counts + ranks, ranks);

        *all = sum < 0 ? NULL : malloc((size_t)sum * size + 1);
        *total = *all ? (size_t)sum : 0;
    }
    if (!reorder_agree(comm, !counts || *all))
        return -1;
    PMPI_Type_contiguous((int)size, MPI_BYTE, &type);
    PMPI_Type_commit(&type);
    ok = PMPI_Gatherv(own, count, type, *all, counts, counts ? counts + ranks : NULL, type, 0,
                      comm) == MPI_SUCCESS;
    PMPI_Type_free(&type);
    return ok ? 0 : -1;
}

int reorder_gather(MPI_Comm comm, const void *own, size_t count, size_t size, void **all,
                   size_t *total)
{
    TOPOMAP_FREED int *counts = NULL;
    int rank, ranks;

    *all = NULL;
    *total = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    counts = rank == 0 ? malloc(2 * (size_t)ranks * sizeof *counts) : NULL;
    return reorder_agree(comm, rank || counts)
               ? gather_items(comm, own, count <= INT_MAX ? (int)count : -1, size, counts, ranks,
                              all, total)
               : -1;
}
