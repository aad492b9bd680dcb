/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdlib.h>

#include "neighbors.h"
#include "profile.h"

/* Open MPI's Fortran constants are common blocks (ompi/mpi/fortran/base/constants.h). */
const void *profile_fortran_buffer(const void *buffer)
{
    static const char *const names[] = {"mpi_fortran_in_place", "mpi_fortran_in_place_",
                                        "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"};

    static const void *found[sizeof names / sizeof names[0]];
    static int looked; /* threads may look twice, and find the same */

    for (size_t i = 0; !looked && i < sizeof names / sizeof names[0]; i++)
        found[i] = dlsym(RTLD_DEFAULT, names[i]);
    looked = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (buffer && buffer == found[i])
            return MPI_IN_PLACE;
    return buffer;
}

void profile_send(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm)
{
    profile_add(comm, dest, profile_bytes(count, type), 1);
}

void profile_send_partitions(int partitions, MPI_Count count, MPI_Datatype type, int dest,
                             MPI_Comm comm)
{
    if (partitions > 0)
        profile_add(comm, dest, (uint64_t)partitions * profile_bytes(count, type),
                    (uint64_t)partitions);
}

void profile_window(MPI_Count count, MPI_Datatype type, MPI_Count result_count,
                    MPI_Datatype result_type, int target, MPI_Win win)
{
    profile_add_window(win, target, profile_bytes(count, type),
                       profile_bytes(result_count, result_type));
}

/* To each neighbour so many times `each`, or elements of the type that is said for it; once where
 * `counts` is none. */
static void to_neighbors(profile_array counts, uint64_t each, profile_array types, MPI_Comm comm)
{
    int topology = MPI_UNDEFINED, failed;
    mpi_neighbors to;

    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || topology == MPI_UNDEFINED)
        return;
    failed = mpi_neighbors_get(comm, topology, &to);
    for (int i = 0; !failed && i < to.count; i++)
        profile_add(comm, to.rank[i],
                    (types.at ? profile_bytes(1, profile_type_at(types, i)) : each) *
                        (counts.at ? profile_count_at(counts, i) : 1),
                    1);
    free(to.rank);
}

void profile_neighbor(MPI_Count block, MPI_Datatype type, MPI_Comm comm)
{
    to_neighbors((profile_array){0}, profile_bytes(block, type), (profile_array){0}, comm);
}

void profile_neighborv(profile_array counts, MPI_Datatype type, MPI_Comm comm)
{
    to_neighbors(counts, profile_bytes(1, type), (profile_array){0}, comm);
}

void profile_neighborw(profile_array counts, profile_array types, MPI_Comm comm)
{
    to_neighbors(counts, 0, types, comm);
}
