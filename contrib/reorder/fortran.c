/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fortran names that go past the C ones: all of Open MPI's, and those of MPICH's mpi_f08. */
#include "contrib/profile/fortran.h"

#include <stdlib.h>

/* Open MPI's mpi_f08 has functions of its own for these calls, which go past all others. */
#ifdef OPEN_MPI
#define DECLARE(low, up, parameters)                                                               \
    FORTRAN_DECLARE(low, up, parameters)                                                           \
    FORTRAN_ALIAS(mpi_##low##_f08_, low, parameters)
#else
#define DECLARE FORTRAN_DECLARE
#endif
/* What is declared, and what it does behind it. */
#define DEFINE(low, up, parameters)                                                                \
    DECLARE(low, up, parameters)                                                                   \
    FORTRAN_API void FORTRAN_NAME(low) parameters

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran's integers are C's");

/* Where Fortran has its MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY (gfortran's names). */
#ifdef OPEN_MPI
extern int mpi_fortran_unweighted_ __attribute__((weak));
extern int mpi_fortran_weights_empty_ __attribute__((weak));
#define UNWEIGHTED mpi_fortran_unweighted_
#define WEIGHTS_EMPTY mpi_fortran_weights_empty_
#else
extern int __mpi_f08_link_constants_MOD_mpi_unweighted __attribute__((weak));
extern int __mpi_f08_link_constants_MOD_mpi_weights_empty __attribute__((weak));
#define UNWEIGHTED __mpi_f08_link_constants_MOD_mpi_unweighted
#define WEIGHTS_EMPTY __mpi_f08_link_constants_MOD_mpi_weights_empty
#endif

static const int *weights(const int *list)
{
    if (list && list == &UNWEIGHTED)
        return MPI_UNWEIGHTED;
    return list && list == &WEIGHTS_EMPTY ? MPI_WEIGHTS_EMPTY : list;
}

static void finish(int status, MPI_Comm made, MPI_Fint *result, MPI_Fint *ierr)
{
    if (status == MPI_SUCCESS)
        *result = PMPI_Comm_c2f(made);
    if (ierr)
        *ierr = status;
}

DEFINE(cart_create, CART_CREATE,
       (MPI_Fint * comm, MPI_Fint *ndims, MPI_Fint *dims, MPI_Fint *periods, MPI_Fint *reorder,
        MPI_Fint *result, MPI_Fint *ierr))
{
    size_t count = *ndims > 0 ? (size_t)*ndims : 0;
    int *wraps = malloc((count + 1) * sizeof *wraps), status = MPI_ERR_OTHER;
    MPI_Comm made = MPI_COMM_NULL;

    for (size_t d = 0; wraps && d < count; d++)
        wraps[d] = periods[d] != 0; /* .TRUE. is 1 or -1 */
    if (wraps)
        status = MPI_Cart_create(PMPI_Comm_f2c(*comm), *ndims, dims, wraps, *reorder != 0, &made);
    free(wraps);
    finish(status, made, result, ierr);
}

DEFINE(graph_create, GRAPH_CREATE,
       (MPI_Fint * comm, MPI_Fint *nnodes, MPI_Fint *index, MPI_Fint *edges, MPI_Fint *reorder,
        MPI_Fint *result, MPI_Fint *ierr))
{
    MPI_Comm made = MPI_COMM_NULL;
    int status =
        MPI_Graph_create(PMPI_Comm_f2c(*comm), *nnodes, index, edges, *reorder != 0, &made);

    finish(status, made, result, ierr);
}

DEFINE(dist_graph_create, DIST_GRAPH_CREATE,
       (MPI_Fint * comm, MPI_Fint *n, MPI_Fint *sources, MPI_Fint *degrees, MPI_Fint *destinations,
        MPI_Fint *weight, MPI_Fint *info, MPI_Fint *reorder, MPI_Fint *result, MPI_Fint *ierr))
{
    MPI_Comm made = MPI_COMM_NULL;
    int status = MPI_Dist_graph_create(PMPI_Comm_f2c(*comm), *n, sources, degrees, destinations,
                                       weights(weight), PMPI_Info_f2c(*info), *reorder != 0, &made);

    finish(status, made, result, ierr);
}

DEFINE(dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT,
       (MPI_Fint * comm, MPI_Fint *indegree, MPI_Fint *sources, MPI_Fint *sourceweights,
        MPI_Fint *outdegree, MPI_Fint *destinations, MPI_Fint *destweights, MPI_Fint *info,
        MPI_Fint *reorder, MPI_Fint *result, MPI_Fint *ierr))
{
    MPI_Comm made = MPI_COMM_NULL;
    int status = MPI_Dist_graph_create_adjacent(
        PMPI_Comm_f2c(*comm), *indegree, sources, weights(sourceweights), *outdegree, destinations,
        weights(destweights), PMPI_Info_f2c(*info), *reorder != 0, &made);

    finish(status, made, result, ierr);
}
