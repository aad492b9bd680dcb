/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds: libraries of one program, one path. From so many calls on the answer is remembered, with
 * so many files that must be as they were. */
enum { LIBRARIES = 512, PATH = 4096, MANY = 64, WATCHED = 8 };

static const char linker_cache[] = "/etc/ld.so.cache";

/* ---- Names ------------------------------------------------------------------------------- */

/* By sonames: Open MPI 4, 5 and 6 are .40 (6 has its objects in a library of their own, which its
 * wrapper names too); MPICH 3 to 5 and what keeps its ABI are .12 (libmpich as Debian names it,
 * libmpi as the ABI initiative does, libmpi_gnu_91, libmpi_cray and so on as HPE Cray names one for
 * each compiler); the standard's ABI is libmpi_abi.so.1, of whichever MPI (.0 is what
 * MPICH's development versions call theirs). Fortran's parts may stand alone, where the linker left
 * out what the program itself does not call. */
static const struct {
    const char *begin, *end;
    enum store_mpi mpi;
} libraries[] = {
    {"libmpi.so", ".40", STORE_MPI_OPENMPI},      {"libmpi_mpifh.so", ".40", STORE_MPI_OPENMPI},
    {"libmpi_usempi", ".40", STORE_MPI_OPENMPI},  {"libmpi_cxx.so", ".40", STORE_MPI_OPENMPI},
    {"libopen_mpi.so", ".40", STORE_MPI_OPENMPI}, {"libmpi_abi.so", ".1", STORE_MPI_ABI},
    {"libmpich.so", ".12", STORE_MPI_MPICH},      {"libmpi.so", ".12", STORE_MPI_MPICH},
    {"libmpichfort.so", ".12", STORE_MPI_MPICH},  {"libmpifort.so", ".12", STORE_MPI_MPICH},
    {"libmpi_", ".12", STORE_MPI_MPICH},          {"libmpifort_", ".12", STORE_MPI_MPICH},
    {"libmpichcxx.so", ".12", STORE_MPI_MPICH},   {"libmpicxx.so", ".12", STORE_MPI_MPICH},
    {"libnccl.so", ".2", STORE_MPI_NCCL},
};

/* Tools that stand between program and MPI themselves; ours would take their place. */
static const char *const tools[] = {"libscorep", "libmpiP",     "libdarshan",
                                    "libipm",    "libTAU",      "libVT",
                                    "libextrae", "libmpitrace", "libmpicollect"};

/* Which need nothing but each other. */
static const char *const runtimes[] = {"libc.so.",       "libm.so.",       "libpthread.so.",
                                       "libdl.so.",      "librt.so.",      "ld-linux",
                                       "libgcc_s.so.",   "libstdc++.so.",  "libgomp.so",
                                       "libgfortran.so", "libquadmath.so."};

enum store_mpi store_needed_row(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        size_t end = strlen(libraries[i].end);

        if (!strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) && length > end &&
            !strcmp(name + length - end, libraries[i].end))
            return libraries[i].mpi;
    }
    return STORE_MPI_NONE;
}

static int begins_with_one(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(name, list[i], strlen(list[i])))
            return 1;
    return 0;
}
#define BEGINS_WITH_ONE(name, list) begins_with_one(name, list, sizeof(list) / sizeof *(list))

/* ---- What was seen ----------------------------------------------------------------------- */

/* The program, or one of the libraries. */
typedef struct object {
    char name[STORE_ELF_NAME];
    int by;                       /* which object named it */
    char *rpath, *runpath, *path; /* once it was read; path: of the file */
    char *place;                  /* its real folder, once it is asked for */
    uint64_t stamp;
    int names_mpi;
} object;

typedef struct search {
    object *object[LIBRARIES + 1];
    int count, calls;
    enum store_mpi mpi;
    char problem[160];
    store_cache cache;
    int has_cache;
} search;

static int is_seen(const search *s, const char *name)
{
    for (int i = 1; i < s->count; i++)
        if (!strcmp(s->object[i]->name, name))
            return 1;
    return 0;
}

/* An MPI's own libraries are not looked into. */
static void see(search *s, const char *name, int by)
{
    enum store_mpi mpi = store_needed_row(name);
    object *made;

    if (BEGINS_WITH_ONE(name, tools)) {
        snprintf(s->problem, sizeof s->problem, "%.64s watches its MPI already", name);
        return;
    }
    if (mpi == STORE_MPI_NCCL && s->mpi) /* its MPI tells the rest */
        return;
    if (mpi && s->mpi && s->mpi != STORE_MPI_NCCL && mpi != s->mpi) {
        snprintf(s->problem, sizeof s->problem, "it needs two MPIs");
        return;
    }
    s->mpi = mpi ? mpi : s->mpi;
    s->object[by]->names_mpi |= mpi != STORE_MPI_NONE;
    if (mpi || BEGINS_WITH_ONE(name, runtimes) || is_seen(s, name) || s->count > LIBRARIES)
        return;
    made = calloc(1, sizeof *made);
    if (!made)
        return;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->by = by;
    s->object[s->count++] = made;
}

static char *text_of(const store_elf *file, const store_elf_dynamic *dynamic, int tag)
{
    char text[STORE_ELF_PATHS];

    store_elf_text(file, dynamic, tag, text);
    return strdup(text);
}

static char *folder_of(const char *path)
{
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;

    if (slash)
        *slash = 0;
    return real;
}

/* Reads what an object names. \return NULL, or what is wrong with it */
static const char *read_object(search *s, int i, const store_elf *file, const char *path)
{
    object *own = s->object[i];
    store_elf_dynamic dynamic;
    const char *why = store_elf_dynamic_read(file, &dynamic);
    char name[STORE_ELF_NAME];
    int status = 0;

    if (why)
        return why;
    own->rpath = text_of(file, &dynamic, DT_RPATH);
    own->runpath = text_of(file, &dynamic, DT_RUNPATH);
    own->path = strdup(path);
    own->stamp = store_program_cache_stamp(&file->status);
    while (!*s->problem && (status = store_elf_needed(file, &dynamic, name)) > 0)
        see(s, name, i);
    free(dynamic.row);
    return status < 0 ? "its table of names is broken" : NULL;
}

/* ---- Finding them, in the order of ld.so(8) ---------------------------------------------- */

/* One file that may be it: one of another kind of machine is passed over. */
static int try_file(search *s, const char *path, store_elf *file)
{
    if (s->calls >= STORE_CALLS)
        return 0;
    s->calls++;
    if (store_elf_open(path, file))
        return 0;
    s->calls += STORE_READING;
    if (!store_elf_read(file))
        return 1;
    store_elf_close(file);
    return 0;
}

static const char *place_of(search *s, object *of)
{
    if (!of->place && of->path) {
        of->place = folder_of(of->path);
        s->calls += STORE_READING; /* realpath(3) looks at each part */
    }
    return of->place;
}

/* A folder of a list, $ORIGIN at its beginning replaced. Other names of that kind, and folders that
 * are not said from the root on, are passed over. */
static int try_folder(search *s, const char *folder, size_t length, object *by, const char *name,
                      char path[PATH], store_elf *file)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    const char *before = "";

    for (size_t i = 0; by && i < 2; i++)
        if (!strncmp(folder, origins[i], strlen(origins[i])) && length >= strlen(origins[i]) &&
            place_of(s, by)) {
            before = place_of(s, by);
            folder += strlen(origins[i]);
            length -= strlen(origins[i]);
        }
    if ((!*before && (!length || *folder != '/')) || memchr(folder, '$', length) ||
        snprintf(path, PATH, "%s%.*s/%s", before, (int)length, folder, name) >= PATH)
        return 0;
    return try_file(s, path, file);
}

static int try_list(search *s, const char *list, object *by, const char *name, char path[PATH],
                    store_elf *file)
{
    for (const char *at = list; at && *at; at += *at != 0) {
        size_t length = strcspn(at, ":;");

        if (try_folder(s, at, length, by, name, path, file))
            return 1;
        at += length;
    }
    return 0;
}

/* DT_RPATH of who named it, of who named that, and so on; where one has a DT_RUNPATH its own
 * DT_RPATH does not count. */
static int try_rpaths(search *s, const object *own, char path[PATH], store_elf *file)
{
    const object *by = s->object[own->by];

    if (by->runpath && *by->runpath)
        return 0;
    for (int i = own->by;; i = s->object[i]->by) {
        object *o = s->object[i];

        if (!(o->runpath && *o->runpath) && try_list(s, o->rpath, o, own->name, path, file))
            return 1;
        if (i == 0)
            return 0;
    }
}

static int try_cache(search *s, const char *name, char path[PATH], store_elf *file)
{
    const char *found;
    size_t at = 0;

    if (!s->has_cache)
        store_cache_open(linker_cache, &s->cache);
    s->has_cache = 1;
    while ((found = store_cache_next(&s->cache, name, &at)) != NULL)
        if (snprintf(path, PATH, "%s", found) < PATH && try_file(s, path, file))
            return 1;
    return 0;
}

static int find_library(search *s, const object *own, char path[PATH], store_elf *file)
{
    object *by = s->object[own->by];

    if (strchr(own->name, '/'))
        return *own->name == '/' && snprintf(path, PATH, "%s", own->name) < PATH &&
               try_file(s, path, file);
    return try_rpaths(s, own, path, file) ||
           try_list(s, getenv("LD_LIBRARY_PATH"), NULL, own->name, path, file) ||
           try_list(s, by->runpath, by, own->name, path, file) ||
           try_cache(s, own->name, path, file) ||
           try_list(s, "/lib64:/usr/lib64:/lib:/usr/lib", NULL, own->name, path, file);
}

/* ---- All of them ------------------------------------------------------------------------- */

/* Libraries that are not there, or broken, are the dynamic linker's business. */
static void follow(search *s)
{
    char path[PATH];

    for (int i = 1; i < s->count && !*s->problem; i++) {
        TOPOMAP_CLEANUP(store_elf_close) store_elf file = {.fd = -1};

        if (find_library(s, s->object[i], path, &file))
            read_object(s, i, &file, path);
    }
}

static void clear(search *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->object[i]->rpath);
        free(s->object[i]->runpath);
        free(s->object[i]->path);
        free(s->object[i]->place);
        free(s->object[i]);
    }
    store_cache_close(&s->cache);
}

/* ---- What was found before --------------------------------------------------------------- */

/* All that the answer depends on, but for the libraries. */
static uint64_t key_of(const store_elf *file, const char *path)
{
    const char *search = getenv("LD_LIBRARY_PATH");
    uint64_t key = store_program_cache_key(store_program_cache_stamp(&file->status), "mpi");
    struct stat status;

    key = store_program_cache_key(key, path);
    key = store_program_cache_key(key, search ? search : "");
    return store_program_cache_key(
        stat(linker_cache, &status) ? key : key ^ store_program_cache_stamp(&status), "");
}

static int is_as_it_was(const char *line)
{
    unsigned long long stamp;
    struct stat status;
    int path = 0;

    return sscanf(line, "file %llx %n", &stamp, &path) == 1 && path &&
           !stat(line + path, &status) && store_program_cache_stamp(&status) == stamp;
}

/* "mpi NUMBER WHY", then the files. \return 1: it still holds */
static int recall(const store *store, search *s, uint64_t key)
{
    char text[STORE_PROGRAM_CACHE], *rest = NULL, *line;
    int why = 0, mpi;

    if (!store_program_cache_read(store, key, text) || !(line = strtok_r(text, "\n", &rest)) ||
        sscanf(line, "mpi %d %n", &mpi, &why) != 1 || mpi < 0 || mpi >= STORE_MPIS)
        return 0;
    snprintf(s->problem, sizeof s->problem, "%s", line + why);
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL)
        if (!is_as_it_was(line)) {
            *s->problem = 0;
            return 0;
        }
    s->mpi = (enum store_mpi)mpi;
    return 1;
}

/* The libraries that named the MPI come first. */
static void remember(const store *store, const search *s, uint64_t key)
{
    char text[STORE_PROGRAM_CACHE];
    size_t used =
        (size_t)snprintf(text, sizeof text, "mpi %d %s\n", *s->problem ? 0 : s->mpi, s->problem);
    int watched = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 1; i < s->count && watched < WATCHED; i++) {
            const object *o = s->object[i];

            if (!o->path || strchr(o->path, '\n') || o->names_mpi != !pass ||
                used + strlen(o->path) + 32 > sizeof text)
                continue;
            used += (size_t)snprintf(text + used, sizeof text - used, "file %llx %s\n",
                                     (unsigned long long)o->stamp, o->path);
            watched++;
        }
    store_program_cache_write(store, key, text);
}

/* ---- The answer -------------------------------------------------------------------------- */

static void follow_or_recall(const store *store, search *s, const store_elf *file, const char *path)
{
    uint64_t key = key_of(file, path);
    int before = s->calls;

    if (s->count > 1 && recall(store, s, key))
        return;
    follow(s);
    if (!*s->problem && !s->mpi)
        snprintf(s->problem, sizeof s->problem, "%s",
                 s->calls < STORE_CALLS ? "neither it nor its libraries need an MPI that is known"
                                        : "not known: its libraries are in too many places");
    /* What others have left too few looks for is not its answer. */
    if (s->calls - before >= MANY && (s->calls < STORE_CALLS || !before))
        remember(store, s, key);
}

static void look(const store *store, search *s, const store_elf *file, const char *path)
{
    const char *why;

    s->object[0] = calloc(1, sizeof *s->object[0]);
    s->count = s->object[0] != NULL;
    why = s->count ? read_object(s, 0, file, path) : "out of memory";
    if (!why && !*s->problem && !s->mpi)
        follow_or_recall(store, s, file, path);
    if (why && !*s->problem)
        snprintf(s->problem, sizeof s->problem, "%s", why);
}

enum store_mpi store_needed_mpi(const store *store, const store_elf *file, const char *path,
                                char *why, size_t room, int *calls)
{
    TOPOMAP_CLEANUP(clear) search s = {.calls = *calls};

    look(store, &s, file, path);
    snprintf(why, room, "%s", s.problem);
    *calls = s.calls;
    return *s.problem ? STORE_MPI_NONE : s.mpi;
}
