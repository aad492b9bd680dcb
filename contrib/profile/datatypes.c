/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of messages, from counts and datatypes. */
#include "profile.h"

/* MPI 4.1 deprecates MPI_Type_size_x(), which MPI 3 has. */
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define PMPI_Type_size_count PMPI_Type_size_c
#else
#define PMPI_Type_size_count PMPI_Type_size_x
#endif

#ifdef PROFILE_MPI_ABI
#define PMPI_Type_f2c PMPI_Type_fromint
#endif

uint64_t profile_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (count <= 0 || PMPI_Type_size_count(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

uint64_t profile_count_at(profile_array counts, int i)
{
    int64_t count = counts.width == sizeof(int64_t) ? ((const int64_t *)counts.at)[i]
                                                    : ((const int32_t *)counts.at)[i];

    return count > 0 ? (uint64_t)count : 0;
}

MPI_Datatype profile_type_at(profile_array types, int i)
{
    return types.fortran ? PMPI_Type_f2c(((const MPI_Fint *)types.at)[i])
                         : ((const MPI_Datatype *)types.at)[i];
}
