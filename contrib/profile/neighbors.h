/* SPDX-License-Identifier: BSD-3-Clause */
/* Whom a process sends to by its communicator's topology, in the order of their blocks in a
 * neighbourhood collective (MPI 4.0, 8.6). */
#pragma once

#include <mpi.h>
#include <stdlib.h>

typedef struct mpi_neighbors {
    int count;
    int *rank;         /* [count], MPI_PROC_NULL among them; ends with free() */
    const int *weight; /* [count] in rank's memory, or NULL: they have none */
} mpi_neighbors;

static inline int *mpi_neighbors_room(mpi_neighbors *n, int count, size_t all)
{
    n->count = count;
    n->rank = malloc((all + 1) * sizeof *n->rank);
    return n->rank;
}

static inline int mpi_neighbors_cart(MPI_Comm comm, mpi_neighbors *n)
{
    int dims = 0, failed;

    failed = PMPI_Cartdim_get(comm, &dims) != MPI_SUCCESS ||
             !mpi_neighbors_room(n, 2 * dims, 2 * (size_t)dims);
    for (int d = 0; !failed && d < dims; d++)
        failed = PMPI_Cart_shift(comm, d, 1, &n->rank[2 * d], &n->rank[2 * d + 1]) != MPI_SUCCESS;
    return failed ? -1 : 0;
}

static inline int mpi_neighbors_graph(MPI_Comm comm, mpi_neighbors *n)
{
    int rank, count = 0;

    return PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
                   PMPI_Graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS ||
                   !mpi_neighbors_room(n, count, (size_t)count) ||
                   PMPI_Graph_neighbors(comm, rank, count, n->rank) != MPI_SUCCESS
               ? -1
               : 0;
}

/* Behind the ranks their weights, then both of the sources. */
static inline int mpi_neighbors_dist_graph(MPI_Comm comm, mpi_neighbors *n)
{
    int in = 0, out = 0, weighted = 0, *weight, *source;

    if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS ||
        !mpi_neighbors_room(n, out, 2 * ((size_t)in + (size_t)out)))
        return -1;
    weight = n->rank + out;
    source = weight + out;
    n->weight = weighted ? weight : NULL;
    /* Not MPI_UNWEIGHTED: that is an object of some MPIs, and programs without MPI start with the
     * profiler, too. */
    return PMPI_Dist_graph_neighbors(comm, in, source, source + in, out, n->rank, weight) ==
                   MPI_SUCCESS
               ? 0
               : -1;
}

/** \p topology as of MPI_Topo_test(). \return 0, or -1: MPI fails, or there is no memory; free()
 * ends n->rank in either case */
static inline int mpi_neighbors_get(MPI_Comm comm, int topology, mpi_neighbors *n)
{
    *n = (mpi_neighbors){0};
    if (topology == MPI_CART)
        return mpi_neighbors_cart(comm, n);
    return topology == MPI_GRAPH ? mpi_neighbors_graph(comm, n) : mpi_neighbors_dist_graph(comm, n);
}
