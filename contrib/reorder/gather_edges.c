/* SPDX-License-Identifier: BSD-3-Clause */
/* Who talks to whom: what every process knows, brought to rank 0 once. */
#include "config.h"
#include <stdlib.h>

#include "contrib/profile/neighbors.h"
#include "contrib/reorder/reorder.h"
#include "util/alloc.h"

int reorder_arcs_add(reorder_arcs *arcs, int from, int to, int bytes)
{
    if (topomap_grow(&arcs->arc, &arcs->room, arcs->count + 1, sizeof *arcs->arc, NULL) != 0)
        return -1;
    arcs->arc[arcs->count++] =
        (reorder_arc){(uint32_t)from, (uint32_t)to, bytes > 0 ? (uint64_t)bytes : 0};
    return 0;
}

int reorder_arcs_graph(const reorder_arcs *arcs, uint32_t ranks, topomap_graph **graph,
                       topomap_error *err)
{
    TOPOMAP_FREED uint32_t *from = topomap_alloc(arcs->count, sizeof *from, err);
    TOPOMAP_FREED uint32_t *to = topomap_alloc(arcs->count, sizeof *to, err);
    TOPOMAP_FREED uint64_t *bytes = topomap_alloc(arcs->count, sizeof *bytes, err);

    if (!from || !to || !bytes)
        return -1;
    for (size_t i = 0; i < arcs->count; i++) {
        from[i] = arcs->arc[i].from;
        to[i] = arcs->arc[i].to;
        bytes[i] = arcs->arc[i].bytes;
    }
    return topomap_graph_new(ranks, arcs->count, from, to, bytes, NULL, graph, err);
}

/* ---- To rank 0 ------------------------------------------------------------------------------ */

int reorder_arcs_gather(const reorder_team *team, const reorder_arcs *arcs, uint32_t ranks,
                        topomap_graph **graph, topomap_error *err)
{
    reorder_arcs all = {0};
    TOPOMAP_FREED void *list = NULL;
    int ok = reorder_gather(team->all, arcs->arc, arcs->count, sizeof *arcs->arc, &list,
                            &all.count) == 0;

    topomap_error_set(err, TOPOMAP_ESYSTEM, "the graph is too large for rank 0");
    all.arc = list;
    if (ok && team->rank == 0)
        ok = reorder_arcs_graph(&all, ranks, graph, err) == 0;
    return reorder_agree(team->all, ok) ? 0 : -1;
}

/* ---- What a topology says ------------------------------------------------------------------- */

int reorder_arcs_of_topology(MPI_Comm comm, reorder_arcs *arcs, topomap_error *err)
{
    int kind = MPI_UNDEFINED, rank, failed;
    mpi_neighbors to;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind == MPI_UNDEFINED)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the communicator has no topology: make it by "
                                 "MPI_Dist_graph_create, MPI_Graph_create or MPI_Cart_create");
    PMPI_Comm_rank(comm, &rank);
    failed = mpi_neighbors_get(comm, kind, &to);
    for (int i = 0; !failed && i < to.count; i++)
        if (to.rank[i] != MPI_PROC_NULL)
            failed = reorder_arcs_add(arcs, rank, to.rank[i], to.weight ? to.weight[i] : 1);
    free(to.rank);
    return failed ? topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for the topology") : 0;
}

int reorder_arcs_of_grid(int ndims, const int *dims, const int *periods, reorder_arcs *arcs)
{
    int ranks = 1, stride = 1;

    for (int d = 0; d < ndims; d++)
        ranks *= dims[d];
    for (int d = ndims - 1; d >= 0; stride *= dims[d--])
        for (int r = 0; r < ranks; r++) {
            int at = r / stride % dims[d];
            int next = at + 1 < dims[d] ? r + stride : r - at * stride;

            if ((at + 1 < dims[d] || periods[d]) && (reorder_arcs_add(arcs, r, next, 1) != 0 ||
                                                     reorder_arcs_add(arcs, next, r, 1) != 0))
                return -1;
        }
    return 0;
}
