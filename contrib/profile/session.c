/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. TOPOMAP_PROFILE names the file to write; without it, nothing is
 * recorded and the wrappers cost one branch. */
#include <stdlib.h>

#include "fortran.h"

static const char *path;

static void begin(int threads)
{
    MPI_Comm parent = MPI_COMM_NULL;

    path = getenv("TOPOMAP_PROFILE");
    if (!path || !*path || PMPI_Comm_get_parent(&parent) != MPI_SUCCESS ||
        parent != MPI_COMM_NULL) /* spawned: not a rank of the job */
        return;
    if (profile_begin(threads) != 0)
        profile_end();
}

static void finish(void)
{
    if (!profile_on)
        return;
    profile_write(path);
    profile_end();
}

static void give_up(void)
{
    if (profile_on)
        profile_write_alone(path);
}

PROFILE_API int MPI_Init(int *argc, char ***argv)
{
    int status = PMPI_Init(argc, argv);

    if (status == MPI_SUCCESS && !profile_on)
        begin(0);
    return status;
}

PROFILE_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = PMPI_Init_thread(argc, argv, required, provided);

    if (status == MPI_SUCCESS && !profile_on)
        begin(*provided == MPI_THREAD_MULTIPLE);
    return status;
}

PROFILE_API int MPI_Finalize(void)
{
    finish();
    return PMPI_Finalize();
}

PROFILE_API int MPI_Abort(MPI_Comm comm, int code)
{
    give_up();
    return PMPI_Abort(comm, code);
}

FORTRAN_DECLARE(init, INIT, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(init)(MPI_Fint *ierr)
{
    FORTRAN_REAL(init)(ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(0);
}

FORTRAN_DECLARE(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
    FORTRAN_REAL(init_thread)(required, provided, ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(*provided == MPI_THREAD_MULTIPLE);
}

FORTRAN_DECLARE(finalize, FINALIZE, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(finalize)(MPI_Fint *ierr)
{
    finish();
    FORTRAN_REAL(finalize)(ierr);
}

FORTRAN_DECLARE(abort, ABORT, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(abort)(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    give_up();
    FORTRAN_REAL(abort)(comm, code, ierr);
}
