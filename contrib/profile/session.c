/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. TOPOMAP_PROFILE names the file to write; without it, nothing is
 * recorded and the wrappers cost one branch. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#ifndef PROFILE_MPI_ABI
#include "fortran.h"
#endif
#include "rules.h"

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

/* ---- Which MPI the program has ----------------------------------------------------------- */

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

/* The soname of a library that is loaded; most systems have added the address to what it names. */
static const char *soname_of(const struct link_map *map)
{
    ElfW(Addr) names = 0, own = 0;

    for (const ElfW(Dyn) *row = map->l_ld; row->d_tag != DT_NULL; row++) {
        if (row->d_tag == DT_STRTAB)
            names = row->d_un.d_ptr < map->l_addr ? map->l_addr + row->d_un.d_ptr : row->d_un.d_ptr;
        if (row->d_tag == DT_SONAME)
            own = row->d_un.d_val;
    }
    return names && own ? (const char *)(names + own) : "";
}

/* Handles and constants are those of the MPI that this library is built for; the end of its soname
 * tells: 40 of Open MPI, 12 of MPICH and its kin, 1 of the standard's ABI. */
static int is_mine(const char **name)
{
    void *real = dlsym(RTLD_DEFAULT, "PMPI_Init");
    struct link_map *map = NULL;
    const char *end;
    Dl_info info;

    *name = "";
    if (!real || !dladdr1(real, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return 0;
    *name = soname_of(map);
    end = strstr(*name, ".so.");
    return end && !strcmp(end + strlen(".so."), PROFILE_SONAME);
}

/* The standard's ABI is any MPI's. Open MPI's library of it uses these objects. */
static void choose_rules(void)
{
#ifdef PROFILE_MPI_ABI
    profile_take_rules(dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL);
#endif
}

/* One of the ranks says it, as far as that can be known without MPI. */
static void refuse(const char *name)
{
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        const char *rank = getenv(ranks[i]);

        if (rank && strcmp(rank, "0"))
            return;
    }
    if (!profile_must_agree())
        fprintf(stderr, "topomap: no profile: the program's MPI is %s, this profiler's is .so.%s\n",
                *name ? name : "linked statically", PROFILE_SONAME);
}

/* ---- Begin and end ----------------------------------------------------------------------- */

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
    int rank = 0, ranks = 0;
    const char *name;
    MPI_Comm parent;

    if (!path)
        return;
    if (!is_mine(&name)) {
        leave_environment();
        refuse(name);
        free(path); /* MPICH's Fortran calls MPI_Init: once is enough */
        path = NULL;
        return;
    }
    if (name_constants() != 0)
        return;
    choose_rules();
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

PROFILE_REAL(Abort, (PROFILE_HANDLE(MPI_Comm) comm, int code))
PROFILE_WRAPPER(Abort, (PROFILE_HANDLE(MPI_Comm) comm, int code))
{
    give_up();
    return profile_real_Abort(comm, code);
}

#ifndef PROFILE_MPI_ABI /* a Fortran layer over it calls the C names */
FORTRAN_DECLARE(init, INIT, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(init)(MPI_Fint *ierr)
{
    announce();
    FORTRAN_CALL(init)(ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(0);
}

FORTRAN_DECLARE(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
    announce();
    FORTRAN_CALL(init_thread)(required, provided, ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(*provided == MPI_THREAD_MULTIPLE);
}

FORTRAN_DECLARE(finalize, FINALIZE, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(finalize)(MPI_Fint *ierr)
{
    finish();
    FORTRAN_CALL(finalize)(ierr);
}

FORTRAN_DECLARE(abort, ABORT, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(abort)(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    give_up();
    FORTRAN_CALL(abort)(comm, code, ierr);
}
#endif
