/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. TOPOMAP_PROFILE names the file to write; without it, nothing is
 * recorded and the wrappers cost one branch. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "fortran.h"

static char *path;
static int taken; /* this process is one of those that are profiled */

/* Cuts this library's path out of LD_PRELOAD, in place: what the program starts is no rank. */
static void leave_environment(void)
{
    char *list = getenv("LD_PRELOAD"), *at;
    size_t length;
    Dl_info self;

    unsetenv("TOPOMAP_PROFILE");
    unsetenv("TOPOMAP_PROFILE_AGREE");
    if (!list || !dladdr(&path, &self) || !self.dli_fname)
        return;
    length = strlen(self.dli_fname);
    for (at = list; *at; at += strcspn(at, ": "), at += *at != 0)
        if (strcspn(at, ": ") == length && !strncmp(at, self.dli_fname, length)) {
            size_t more = at[length] != 0;

            memmove(at, at + length + more, strlen(at + length + more) + 1);
            if (!*at && at > list)
                at[-1] = 0;
            break;
        }
    if (!*list)
        unsetenv("LD_PRELOAD");
}

/* The MPI that an interpreter loaded for itself: this library, loaded before, finds its functions
 * once they are there for all. */
static int share(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;

    (void)size, (void)context;
    if (!strncmp(name, "libmpi", 6))
        dlopen(info->dlpi_name, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
    return 0;
}

#ifdef OPEN_MPI
struct profile_constants profile_constants;

static int name_constants(void)
{
    static const struct {
        const char *name;
        void **at;
    } rows[] = {{"ompi_mpi_comm_world", (void **)&profile_constants.world},
                {"ompi_mpi_comm_null", (void **)&profile_constants.null},
                {"ompi_mpi_byte", (void **)&profile_constants.byte},
                {"ompi_mpi_uint64_t", (void **)&profile_constants.number}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!(*rows[i].at = dlsym(RTLD_DEFAULT, rows[i].name)))
            return -1;
    return 0;
}
#else
static int name_constants(void)
{
    return 0;
}
#endif

/* Before the real MPI_Init. */
static void announce(void)
{
    const char *file = getenv("TOPOMAP_PROFILE");

    if (!dlsym(RTLD_DEFAULT, "PMPI_Init"))
        dl_iterate_phdr(share, NULL);
    if (path || !file || !*file)
        return;
    profile_announce();
    path = strdup(file);
}

static void begin(int threads)
{
    MPI_Comm parent;
    int rank = 0, ranks = 0;

    if (!path || name_constants() != 0)
        return;
    parent = MPI_COMM_NULL;
    if (PMPI_Comm_get_parent(&parent) != MPI_SUCCESS ||
        parent != MPI_COMM_NULL) /* spawned: not a rank of the job */
        return;
    taken = 1;
    leave_environment();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        profile_decide(ranks);
    if (profile_begin(threads) != 0)
        profile_end();
}

static void finish(void)
{
    if (!taken)
        return;
    taken = 0;
    if (profile_agreed()) /* all go in, also one that had no memory for a single record */
        profile_write(path);
    profile_end();
}

static void give_up(void)
{
    if (profile_on && !profile_must_agree()) /* a part of a graph is of no use to a launch */
        profile_write_alone(path);
}

PROFILE_API int MPI_Init(int *argc, char ***argv)
{
    int status;

    announce();
    status = PMPI_Init(argc, argv);

    if (status == MPI_SUCCESS && !profile_on)
        begin(0);
    return status;
}

PROFILE_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status;

    announce();
    status = PMPI_Init_thread(argc, argv, required, provided);

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
    announce();
    FORTRAN_REAL(init)(ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(0);
}

FORTRAN_DECLARE(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
    announce();
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
