/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fortran names of both MPIs, where their Fortran layer goes past the C names MPI_...:
 * - Open MPI's calls PMPI_ everywhere. Programs call mpi_send_ of the mpif.h library; its mpi_f08
 *   module calls that library's ompi_send_f. The aliases are what other compilers call.
 * - MPICH's mpi_f08 module calls PMPI_ in what has no choice buffer, under names of its own; all
 *   else of its Fortran layer calls the C names. There ierror may be left out.
 * - Open MPI 6's mpi_f08 has functions of its own where there are buffers, mpi_send_f08ts_ and, of
 *   large counts, mpi_send_c_f08ts_, which end in the C names PMPI_...
 * C programs do not load these libraries: the real functions are weak. */
#pragma once

#include <mpi.h>

#include <dlfcn.h>

#define FORTRAN_API __attribute__((visibility("default")))
#define FORTRAN_DONE(ierr) (!(ierr) || *(ierr) == MPI_SUCCESS)
/* Under an MPI that has no such function (of which nothing is recorded) the next library's; with a
 * MPI that came later, the caller's (call_sites.c). */
#define FORTRAN_TEXT(name) FORTRAN_TEXT_OF(name)
#define FORTRAN_TEXT_OF(name) #name
#define FORTRAN_EITHER(real, name)                                                                 \
    (real ? real : (__typeof__(&real))dlsym(RTLD_NEXT, FORTRAN_TEXT(name)))
#define FORTRAN_FIND(low) PROFILE_FIND(FORTRAN_REAL(low), FORTRAN_TEXT(FORTRAN_NAME(low)))
#define FORTRAN_TS_FIND(low) PROFILE_FIND(FORTRAN_TS_REAL(low), FORTRAN_TEXT(FORTRAN_TS_NAME(low)))
#define FORTRAN_CALL(low) (real ? real : FORTRAN_EITHER(FORTRAN_REAL(low), FORTRAN_NAME(low)))
#define FORTRAN_TS_CALL(low)                                                                       \
    (real ? real : FORTRAN_EITHER(FORTRAN_TS_REAL(low), FORTRAN_TS_NAME(low)))

#ifdef OPEN_MPI
#define FORTRAN_NAME(low) mpi_##low##_
#define FORTRAN_REAL(low) pmpi_##low##_
#define FORTRAN_ALIAS(name, low, parameters)                                                       \
    FORTRAN_API void name parameters __attribute__((alias("mpi_" #low "_")));
#define FORTRAN_TS_NAME(low) mpi_##low##_f08ts_
#define FORTRAN_TS_REAL(low) pmpi_##low##_f08ts_
#define FORTRAN_TS_DECLARE(low, up, parameters)                                                    \
    void FORTRAN_TS_REAL(low) parameters __attribute__((weak));                                    \
    FORTRAN_API void FORTRAN_TS_NAME(low) parameters;
#define FORTRAN_DECLARE(low, up, parameters)                                                       \
    void FORTRAN_REAL(low) parameters __attribute__((weak));                                       \
    FORTRAN_API void FORTRAN_NAME(low) parameters;                                                 \
    FORTRAN_ALIAS(mpi_##low, low, parameters)                                                      \
    FORTRAN_ALIAS(mpi_##low##__, low, parameters)                                                  \
    FORTRAN_ALIAS(MPI_##up, low, parameters)                                                       \
    FORTRAN_ALIAS(ompi_##low##_f, low, parameters)
#else
#define FORTRAN_NAME(low) mpi_##low##_f08_
#define FORTRAN_REAL(low) pmpir_##low##_f08_
#define FORTRAN_DECLARE(low, up, parameters)                                                       \
    void FORTRAN_REAL(low) parameters __attribute__((weak));                                       \
    FORTRAN_API void FORTRAN_NAME(low) parameters;
#endif
