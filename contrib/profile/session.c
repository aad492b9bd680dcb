/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. TOPOMAP_PROFILE names the file to write, or a launch has lent
 * memory (memory.c) or made a folder (part_folder.c); without these, nothing is recorded and the
 * wrappers cost one branch.
 *
 * A program may end in any way, and its ranks each in another one. So nothing here talks to another
 * rank, or waits for one: a rank that comes to the end of MPI leaves its part, and one that does
 * not leaves none. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/formats/parts.h"
#include "profile.h"
#ifndef PROFILE_MPI_ABI
#include "fortran.h"
#endif
#include "rules.h"
#include "timing.h"

_Static_assert((int)PROFILE_PHASES == (int)TOPOMAP_PART_PHASES, "of the same phases");

static struct {
    char *path;    /* of the file to write, or NULL */
    char *folder;  /* of parts, or NULL */
    int in_memory; /* there is memory to leave it in */
    uint32_t mpi;  /* the number of its soname */
    int taken;     /* this process is one of those that are profiled, or was forked by one */
    int left;      /* and has left its part beside the file */
    int rank, ranks;
    void *reserve; /* of the heap, for MPI_Finalize */
} session;

/* A program may have used up its memory when it ends, so that MPI_Finalize takes the few pieces of
 * the heap that are free; the profiler may have some of these. MPI_Finalize is given this block
 * instead. It is above tcache's sizes, so that malloc() cuts smaller ones from it, and free() gives
 * it back to the system only next to 48 KiB more that are free (glibc, malloc/malloc.c). */
enum { RESERVE = 16 << 10 };

/* Cuts this library's path out of LD_PRELOAD, in place: what the program starts is no rank. */
static void leave_environment(void)
{
    char *list = getenv("LD_PRELOAD"), *at;
    size_t length;
    Dl_info self;

    unsetenv("TOPOMAP_PROFILE");
    unsetenv(PROFILE_MEMORY);
    unsetenv(PROFILE_FOLDER);
    profile_memory_keep();
    if (!list || !dladdr(&session, &self) || !self.dli_fname)
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

/* ---- Which MPI the program has ----------------------------------------------------------- */

#ifdef OPEN_MPI
struct profile_constants profile_constants;

static int name_constants(void)
{
    static const struct {
        const char *name;
        void **at;
    } rows[] = {{"ompi_mpi_comm_world", (void **)&profile_constants.world},
                {"ompi_mpi_comm_self", (void **)&profile_constants.self},
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

/* The standard's ABI is any MPI's. Open MPI's library of it uses these objects. */
static void choose_rules(void)
{
#ifdef PROFILE_MPI_ABI
    profile_take_rules(dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL);
#endif
}

/* One of the ranks says it, as far as that can be known without MPI; a launch's own profiling is
 * silent. */
static void refuse(const profile_library *mpi)
{
    if (!session.path || profile_early_rank() > 0)
        return;
    if (mpi->is_mine)
        fprintf(stderr, "topomap: no profile: the program loads its MPI itself, and LD_BIND_NOW "
                        "is set\n");
    else if (*mpi->soname && !mpi->number)
        fprintf(stderr, "topomap: no profile: %s watches the program's MPI already\n", mpi->soname);
    else
        fprintf(stderr, "topomap: no profile: the program's MPI is %s, this profiler's is .so.%s\n",
                *mpi->soname ? mpi->soname : "linked statically", PROFILE_SONAME);
}

/* One of the ranks leaves it, as far as that can be known without MPI, for the next run. How many
 * there are it cannot be asked. */
static void note(uint32_t number)
{
    const profile_part part = {.ranks = 1, .mpi = number, .mpi_alone = 1};

    if (session.folder && number && profile_early_rank() <= 0)
        profile_folder_leave(session.folder, &part);
}

/* Handles and constants are those of the MPI that this library is built for; the end of its soname
 * tells: 40 of Open MPI, 12 of MPICH and its kin, 1 of the standard's ABI. \return 0, or -1: this
 * one is left alone */
static int take_mpi(const void *init)
{
    profile_library mpi =
        profile_library_of(init ? init : (const void *)dlsym(RTLD_DEFAULT, "PMPI_Init"));

    if (session.in_memory && mpi.number)
        profile_memory_note(mpi.number);
    session.mpi = mpi.number;
    if (mpi.is_mine && profile_library_share(&mpi) == 0)
        return 0;
    leave_environment();
    refuse(&mpi);
    note(mpi.number);
    return -1;
}

/* ---- Begin and end ----------------------------------------------------------------------- */

static int is_wanted(void)
{
    return session.path || session.folder || session.in_memory;
}

/* Before the real MPI_Init. */
static void announce(void)
{
    const char *file = getenv("TOPOMAP_PROFILE"), *folder = getenv(PROFILE_FOLDER);

    if (is_wanted())
        return;
    session.in_memory = profile_memory_find();
    if (folder && *folder == '/' && !session.in_memory)
        session.folder = strdup(folder);
    if (!file || !*file)
        return;
    session.path = profile_file_path(file);
    if (session.path)
        profile_file_clear(session.path);
}

static void forget(void)
{
    free(session.path); /* MPICH's Fortran calls MPI_Init: once is enough */
    free(session.folder);
    session.path = session.folder = NULL;
    session.in_memory = 0;
    profile_lookup_end();
}

/* Where somebody asked for a file, or for a run that mpirun starts. */
static void leave_file(profile_part *part, int ended)
{
    size_t room = profile_rows();
    profile_record *row = malloc((room + 1) * sizeof *row);

    if (profile_records(row, row ? room : 0, part) == 0) {
        part->whole = part->whole && ended;
        if (session.folder && ended)
            profile_folder_leave(session.folder, part);
        if (session.path && !profile_file_leave(session.path, part) && ended)
            session.left = 1;
    }
    free(row);
}

/* Stops recording; this rank leaves its part. In memory, that takes no call of the system, of MPI
 * or of an allocator: a program may be left with nothing that its own end does not need. */
static void leave(int ended)
{
    profile_part part = {.rank = session.rank, .ranks = session.ranks, .mpi = session.mpi};
    profile_record *row;
    size_t room;

    if (!session.taken || !profile_process_is())
        return;
    session.taken = 0;
    free(session.reserve);
    profile_timing_end(&part.wall_ns, &part.mpi_ns);
    if (session.path || (session.folder && ended))
        leave_file(&part, ended);
    if (!session.in_memory || !ended)
        return;
    row = profile_memory_rows(&room);
    if (profile_records(row, room, &part) == 0)
        profile_memory_leave(&part);
}

/* After the real MPI_Finalize, which has brought all ranks together, as a rule; else at exit. */
__attribute__((destructor)) static void finished(void)
{
    if (!session.left || !profile_process_is())
        return;
    session.left = 0;
    profile_file_fold(session.path, session.rank, session.ranks);
}

static int copy_nothing(MPI_Comm comm, int key, void *state, void *from, void *to, int *is_copied)
{
    (void)comm, (void)key, (void)state, (void)from, (void)to;
    *is_copied = 0;
    return MPI_SUCCESS;
}

static int at_finalize(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    leave(1);
    return MPI_SUCCESS;
}

/* A program may know MPI's end by another name only, PMPI_Finalize. MPI tells of its end, whatever
 * the name, by deleting the attributes of MPI_COMM_SELF first (MPI 4.1, 11.2.4). */
static void watch_finalize(void)
{
    int key;

    if (PMPI_Comm_create_keyval(copy_nothing, at_finalize, &key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key); /* when the attribute is deleted */
}

/* After the real MPI_Init, which is \p init; NULL: that of who has it for all. */
static void begin(int threads, const void *init)
{
    MPI_Comm parent;

    if (!is_wanted())
        return;
    if (take_mpi(init) != 0) {
        forget();
        return;
    }
    if (name_constants() != 0)
        return;
    choose_rules();
    parent = MPI_COMM_NULL;
    if (PMPI_Comm_get_parent(&parent) != MPI_SUCCESS ||
        parent != MPI_COMM_NULL) /* spawned: not a rank of the job */
        return;
    leave_environment();
    PMPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &session.ranks);
    session.in_memory = session.in_memory && profile_memory_begin(session.rank, session.ranks);
    if (!is_wanted() || profile_process_take() != 0)
        return;
    if (session.path)
        profile_file_begin(session.path, session.rank);
    if (profile_begin(threads) != 0)
        return;
    session.taken = 1;
    session.reserve = malloc(RESERVE);
    watch_finalize();
    profile_timing_begin(threads);
}

PROFILE_API int MPI_Init(int *argc, char ***argv)
{
    int status;
    PROFILE_FIND(PMPI_Init, "MPI_Init");

    announce();
    status = real ? real(argc, argv) : PMPI_Init(argc, argv);
    if (status == MPI_SUCCESS && !profile_on)
        begin(0, (const void *)real);
    return status;
}

PROFILE_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status;
    PROFILE_FIND(PMPI_Init_thread, "MPI_Init_thread");

    announce();
    status = real ? real(argc, argv, required, provided)
                  : PMPI_Init_thread(argc, argv, required, provided);
    if (status == MPI_SUCCESS && !profile_on)
        begin(*provided == MPI_THREAD_MULTIPLE, (const void *)real);
    return status;
}

PROFILE_API int MPI_Finalize(void)
{
    int status;
    PROFILE_FIND(PMPI_Finalize, "MPI_Finalize");

    if (mine)
        leave(1);
    status = real ? real() : PMPI_Finalize();
    if (mine)
        finished();
    return status;
}

PROFILE_REAL(Abort, (PROFILE_HANDLE(MPI_Comm) comm, int code))
PROFILE_WRAPPER(Abort, (PROFILE_HANDLE(MPI_Comm) comm, int code))
{
    PROFILE_FIND(profile_real_Abort, "MPI_Abort");

    if (mine)
        leave(0);
    return real ? real(comm, code) : profile_real_Abort(comm, code);
}

#ifndef PROFILE_MPI_ABI /* a Fortran layer over it calls the C names */
FORTRAN_DECLARE(init, INIT, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(init)(MPI_Fint *ierr)
{
    FORTRAN_FIND(init);

    announce();
    FORTRAN_CALL(init)(ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(0, (const void *)real);
}

FORTRAN_DECLARE(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
    FORTRAN_FIND(init_thread);

    announce();
    FORTRAN_CALL(init_thread)(required, provided, ierr);
    if (FORTRAN_DONE(ierr) && !profile_on)
        begin(*provided == MPI_THREAD_MULTIPLE, (const void *)real);
}

FORTRAN_DECLARE(finalize, FINALIZE, (MPI_Fint * ierr))
PROFILE_API void FORTRAN_NAME(finalize)(MPI_Fint *ierr)
{
    FORTRAN_FIND(finalize);

    if (mine)
        leave(1);
    FORTRAN_CALL(finalize)(ierr);
    if (mine)
        finished();
}

FORTRAN_DECLARE(abort, ABORT, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *ierr))
PROFILE_API void FORTRAN_NAME(abort)(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    FORTRAN_FIND(abort);

    if (mine)
        leave(0);
    FORTRAN_CALL(abort)(comm, code, ierr);
}
#endif
