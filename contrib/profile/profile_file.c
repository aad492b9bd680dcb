/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile that a user asks for, TOPOMAP_PROFILE=FILE: each rank writes its part into the folder
 * FILE.parts when it ends, and whoever finds all parts there makes FILE of them. Nobody waits for
 * anybody; where a rank never comes to its end, the parts stay. */
#define _GNU_SOURCE /* program_invocation_short_name, sigtimedwait */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "graph/formats/parts.h"
#include "graph/formats/tmg.h"
#include "part.h"
#include "util/clock.h"
#include "util/hash64.h"
#include "util/full_io.h"

enum { PATH = 4096, NAME = 64 };

static const char no_file[] = "is there, and is no regular file";

char *profile_file_path(const char *file)
{
    char *folder = *file == '/' ? NULL : getcwd(NULL, 0), *made = NULL;

    if (!folder)
        return strdup(file);
    if (asprintf(&made, "%s/%s", folder, file) < 0)
        made = NULL;
    free(folder);
    return made;
}

/* One of the ranks says it. */
static void complain(const char *path, int rank, const char *what)
{
    if (rank == 0)
        fprintf(stderr, "topomap: no profile in %s: %s\n", path, what);
}

/* ---- A signal that writing may raise ----------------------------------------------------- */

/* Over the user's limit of file sizes, a write is SIGXFSZ, which would end the program. */
struct quiet {
    sigset_t signal, before;
    int was_pending;
};

static void begin_quiet(struct quiet *quiet)
{
    sigset_t pending;

    sigemptyset(&pending);
    sigpending(&pending);
    quiet->was_pending = sigismember(&pending, SIGXFSZ);
    sigemptyset(&quiet->signal);
    sigaddset(&quiet->signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &quiet->signal, &quiet->before);
}

static void end_quiet(struct quiet *quiet)
{
    const struct timespec none = {0, 0};

    while (!quiet->was_pending && sigtimedwait(&quiet->signal, NULL, &none) == SIGXFSZ)
        continue;
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
}

/* ---- Names ------------------------------------------------------------------------------- */

/* Creates a file whose descriptor is 3 or above, since the program may have closed its standard
 * streams. Returns the descriptor, or -1 with errno set. */
static int create(int folder, const char *name)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

    return topomap_whole_raise(openat(folder, name, flags, 0666), 3);
}

/* Files are read and removed there: in a folder for all, the name may be another's already, and who
 * else can write to it has put there what he likes. \return the folder, or -1 */
static int open_folder(const char *path, int make)
{
    struct stat status;
    char name[PATH];
    int folder;

    if (snprintf(name, sizeof name, "%s.parts", path) >= PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (make && mkdir(name, 0755) && errno != EEXIST)
        return -1;
    folder = topomap_whole_raise(open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 3);
    if (folder < 0 || (!fstat(folder, &status) && status.st_uid == geteuid() &&
                       !(status.st_mode & (S_IWGRP | S_IWOTH))))
        return folder;
    close(folder);
    errno = EPERM;
    return -1;
}

/* The profile takes the place of what is there, and a FIFO's or a device's (/dev/null, for root) is
 * none to take. */
static int is_no_file(const char *path)
{
    struct stat status;

    return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int is_part(const char *name)
{
    return !strncmp(name, TOPOMAP_PART_NAME, sizeof TOPOMAP_PART_NAME - 1);
}

static DIR *list(int folder)
{
    int own = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    DIR *opened = own < 0 ? NULL : fdopendir(own);

    if (opened)
        rewinddir(opened);
    else if (own >= 0)
        close(own);
    return opened;
}

/* Parts, and what became of them under other names: all that begins like one. */
static void empty(int folder)
{
    TOPOMAP_CLOSED_DIR DIR *opened = list(folder);
    const struct dirent *row;

    while (opened && (row = readdir(opened)) != NULL)
        if (is_part(row->d_name))
            unlinkat(folder, row->d_name, 0);
}

static void drop_folder(const char *path)
{
    char name[PATH];

    if (snprintf(name, sizeof name, "%s.parts", path) < PATH)
        rmdir(name); /* where nothing else is in it */
}

static void remove_folder(const char *path, int folder)
{
    empty(folder);
    drop_folder(path);
}

/* ---- What an earlier run has left -------------------------------------------------------- */

/* Slurm's number last: below mpirun it is the one of what has started mpirun. */
long profile_early_rank(void)
{
    static const char *const names[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);

        if (text && *text)
            return strtol(text, NULL, 10);
    }
    return -1;
}

/* Nobody has left MPI_Init before all are in it, so that no part of this run is there yet. */
void profile_file_clear(const char *path)
{
    TOPOMAP_CLOSED int folder = profile_early_rank() == 0 ? open_folder(path, 0) : -1;

    if (folder >= 0)
        remove_folder(path, folder);
}

void profile_file_trim(const char *path, int ranks)
{
    TOPOMAP_CLOSED int folder = open_folder(path, 0);
    TOPOMAP_CLOSED_DIR DIR *opened = folder < 0 ? NULL : list(folder);
    const struct dirent *row;

    while (opened && (row = readdir(opened)) != NULL)
        if (is_part(row->d_name) && atol(row->d_name + sizeof TOPOMAP_PART_NAME - 1) >= ranks)
            unlinkat(folder, row->d_name, 0);
}

/* Where the rank was not known so early: at least the own part is not an earlier run's. */
void profile_file_begin(const char *path, int rank)
{
    TOPOMAP_CLOSED int folder = open_folder(path, 0);
    char name[NAME];

    snprintf(name, sizeof name, TOPOMAP_PART_NAME "%d", rank);
    if (folder >= 0)
        unlinkat(folder, name, 0);
}

/* ---- A part ------------------------------------------------------------------------------ */

uint64_t profile_file_run(void)
{
    const char *name = getenv("PMIX_NAMESPACE");

    if (!name)
        name = getenv("PMI_JOBID");
    return name ? topomap_hash64_all(name, strlen(name)) : 0;
}

static int write_part(int fd, const profile_part *part)
{
    struct topomap_part_header header = {
        .ranks = (uint32_t)part->ranks, .run = part->run, .count = 1, .mpi = part->mpi};
    struct topomap_part_rank rank = {
        .rank = (uint32_t)part->rank,
        .flags = part->whole ? TOPOMAP_PART_WHOLE : 0,
        .rows = part->count,
        .passed = part->passed,
        .wall_ns = part->wall_ns,
        .mpi_ns = part->mpi_ns,
        .checksum = topomap_part_checksum((const void *)part->record, part->count),
    };

    _Static_assert(sizeof *part->record == sizeof(topomap_part_row), "a record is a row");
    snprintf(header.program, sizeof header.program, "%s", program_invocation_short_name);
    header.count = !part->mpi_alone;
    topomap_part_seal(&header, &rank);
    if (part->mpi_alone)
        return topomap_whole_write(fd, &header, sizeof header);
    return topomap_whole_write(fd, &header, sizeof header) ||
                   topomap_whole_write(fd, &rank, sizeof rank) ||
                   topomap_whole_write(fd, part->record, part->count * sizeof *part->record)
               ? -1
               : 0;
}

/* Beside it first, then in its place, so that nobody ever reads half of it. */
int profile_file_part(int folder, const profile_part *part)
{
    char name[NAME], beside[NAME];
    int fd, failed, why;

    snprintf(name, sizeof name, TOPOMAP_PART_NAME "%d", part->rank);
    snprintf(beside, sizeof beside, TOPOMAP_PART_NAME "%d.%ld", part->rank, (long)getpid());
    fd = create(folder, beside);
    if (fd < 0)
        return -1;
    failed = write_part(fd, part);
    why = errno;
    if (close(fd) && !failed) {
        failed = -1;
        why = errno;
    }
    if (!failed && !renameat(folder, beside, folder, name))
        return 0;
    if (!failed)
        why = errno;
    unlinkat(folder, beside, 0);
    errno = why;
    return -1;
}

int profile_file_leave(const char *path, const profile_part *part)
{
    profile_part whole = *part;
    char what[200];
    struct quiet quiet;
    int folder, failed;

    if (is_no_file(path)) {
        complain(path, part->rank, no_file);
        return -1;
    }
    whole.run = profile_file_run();
    begin_quiet(&quiet);
    folder = open_folder(path, 1);
    failed = folder < 0 || profile_file_part(folder, &whole);
    if (failed) {
        snprintf(what, sizeof what, "cannot be written: %s", strerror(errno));
        complain(path, part->rank, what);
    }
    if (failed && folder >= 0)
        drop_folder(path);
    if (folder >= 0)
        close(folder);
    end_quiet(&quiet);
    return failed ? -1 : 0;
}

/* ---- All parts --------------------------------------------------------------------------- */

/* Their names alone: of thousands of ranks, most that look see that it is too early. */
static int all_are_there(int folder, int ranks)
{
    TOPOMAP_CLOSED_DIR DIR *opened = list(folder);
    const struct dirent *row;
    long count = 0;

    while (opened && (row = readdir(opened)) != NULL) {
        const char *digits = row->d_name + sizeof TOPOMAP_PART_NAME - 1;

        count += is_part(row->d_name) && *digits && !digits[strspn(digits, "0123456789")];
    }
    return count >= ranks;
}

static int write_graph(const topomap_graph *graph, const char *path, int rank, topomap_error *err)
{
    char beside[PATH];
    FILE *out = NULL;
    int failed, fd;

    if (snprintf(beside, sizeof beside, "%s.%d.%ld", path, rank, (long)getpid()) >= PATH)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "the name is too long");
    if (is_no_file(path))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s", no_file);
    fd = create(AT_FDCWD, beside);
    if (fd >= 0 && !(out = fdopen(fd, "w")))
        close(fd);
    failed = !out || topomap_tmg_write(graph, out, err) != 0;
    if ((out && fclose(out) != 0) || !out || (!failed && rename(beside, path)))
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot be written: %s", strerror(errno));
    if (failed && fd >= 0)
        unlink(beside);
    return failed ? -1 : 0;
}

/* So long may a rank be kept from its end by others' parts: of thousands, on a slow file system. */
static const double FOLD_SECONDS = 1;

/* Two that find all at once write the same, and the second finds no parts, or half of them. */
static void fold(const char *path, int folder, int rank)
{
    topomap_graph *graph;
    topomap_error err;
    double before = topomap_clock_wall();

    if (topomap_parts_read_open(folder, path, FOLD_SECONDS, &graph, &err) != 0) {
        if (topomap_clock_wall() - before > FOLD_SECONDS)
            fprintf(stderr,
                    "topomap: the profile is in %s.parts, whose files take long to read: "
                    "topomap graph convert %s.parts %s makes one of them\n",
                    path, path, path);
        return;
    }
    if (write_graph(graph, path, rank, &err) == 0)
        remove_folder(path, folder);
    else
        complain(path, 0, err.text);
    topomap_graph_free(graph);
}

/* Where MPI's end has brought all together, rank 0 finds all parts and the others have only to see
 * that it had no need of them. Where it has not, rank 0 says so (`open`) and looks again; whoever
 * then comes sees that and looks, too: the last one finds all, and nobody has waited. */
void profile_file_fold(const char *path, int rank, int ranks)
{
    int folder = open_folder(path, 0), found, mark;
    struct quiet quiet;

    if (folder < 0)
        return;
    begin_quiet(&quiet);
    found = (rank == 0 || !faccessat(folder, TOPOMAP_PART_NAME "open", F_OK, 0)) &&
            all_are_there(folder, ranks);
    if (rank == 0 && !found) {
        mark = create(folder, TOPOMAP_PART_NAME "open");
        if (mark >= 0)
            close(mark);
        found = all_are_there(folder, ranks);
    }
    if (found)
        fold(path, folder, rank);
    close(folder);
    end_quiet(&quiet);
}
