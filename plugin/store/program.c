/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "util/alloc.h"
#include "util/hash64.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES = 64 << 10, CHUNK = 64 << 10, STARTED_WORDS = 32 }; /* bounds on what is read */
#define CONTENTS ((uint64_t)256 << 20)
#define SHORT ((uint64_t)4 << 20) /* what is read at each launch */

const char *store_mpi_name(enum store_mpi mpi)
{
    static const char *const names[STORE_MPIS] = {"none", "openmpi", "mpich", "mpi-abi", "nccl"};

    return names[mpi];
}

/* ---- Which build it is ------------------------------------------------------------------- */

/* XXH64 of the contents, of the first 256 MiB where there are more, then of size and time too. */
static uint64_t hash_contents(const store_elf *file)
{
    uint64_t most = file->size < CONTENTS ? file->size : CONTENTS, at = 0;
    uint64_t tail[3] = {file->size, 0, 0};
    TOPOMAP_FREED unsigned char *chunk = malloc(CHUNK);
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    for (; chunk && most - at >= CHUNK && !store_elf_get(file, at, chunk, CHUNK); at += CHUNK)
        topomap_hash64_add(&hash, chunk, CHUNK);
    if (chunk && most - at < CHUNK && !store_elf_get(file, at, chunk, (size_t)(most - at)))
        tail[1] = topomap_hash64_all(chunk, (size_t)(most - at));
    if (file->size > CONTENTS)
        tail[2] = (uint64_t)file->status.st_mtime;
    return topomap_hash64_end(&hash, tail, sizeof tail);
}

/* Looks for the GNU build id among notes. */
static int find_build_id(const unsigned char *notes, size_t size, size_t align, uint64_t *id)
{
    size_t at = 0;

    while (size - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        size_t name, description;

        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        name = ((size_t)note.n_namesz + align - 1) & ~(align - 1);
        description = ((size_t)note.n_descsz + align - 1) & ~(align - 1);
        if (note.n_namesz > size || note.n_descsz > size || name > size - at ||
            note.n_descsz > size - at - name)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz >= 8 &&
            !memcmp(notes + at, "GNU", 4)) {
            *id = topomap_hash64_all(notes + at + name, note.n_descsz);
            return 1;
        }
        if (description > size - at - name)
            return 0;
        at += name + description;
    }
    return 0;
}

static int read_build_id(const store_elf *file, uint64_t *id)
{
    for (int i = 0; i < file->header.e_phnum; i++) {
        const ElfW(Phdr) *segment = &file->segment[i];
        TOPOMAP_FREED unsigned char *notes = NULL;

        if (segment->p_type != PT_NOTE || !segment->p_filesz || segment->p_filesz > NOTES)
            continue;
        notes = malloc(segment->p_filesz);
        if (notes && !store_elf_get(file, segment->p_offset, notes, segment->p_filesz) &&
            find_build_id(notes, segment->p_filesz, segment->p_align == 8 ? 8 : 4, id))
            return 1;
    }
    return 0;
}

/* An MPI has its other names, too; libraries that stand in for one, in programs for one process, do
 * not. */
static const char of_an_mpi[] = "PMPI_Init";

static void find_mpi(const store *store, store_elf *file, const char *path, store_program *program,
                     int *calls)
{
    const char *why = store_elf_read(file);

    if (!why && !store_elf_has_interpreter(file))
        why = "it is linked statically";
    if (why)
        snprintf(program->why, sizeof program->why, "%s", why);
    else
        program->mpi =
            store_needed_mpi(store, file, path, program->why, sizeof program->why, calls);
    if (!program->mpi && store_script_is(path))
        program->loads = STORE_LOADS_AS_INTERPRETER;
    else if (!program->mpi && store_elf_is_script(file))
        program->loads = STORE_LOADS_AS_SCRIPT;
}

static void find_own_mpi(const store_elf *file, store_program *program)
{
    program->has_own_mpi =
        !program->mpi && !program->loads && store_elf_has_symbol(file, of_an_mpi);
    if (program->has_own_mpi)
        snprintf(program->why, sizeof program->why,
                 "its MPI is linked statically: nobody sees what it sends");
}

/* Reading a long file may take longer than a launch waits. What it was is remembered with its size,
 * times and inode; and that it is being read is remembered first, so that where nobody came to the
 * end of it, these alone say which build it is. */
static uint64_t long_contents(const store *store, const store_elf *file)
{
    uint64_t stamp = store_program_cache_stamp(&file->status),
             key = store_program_cache_key(stamp, "contents");
    char text[STORE_PROGRAM_CACHE];
    unsigned long long id;

    if (store_program_cache_read(store, key, text))
        return sscanf(text, "contents %llx\n", &id) == 1 ? (uint64_t)id : stamp;
    if (store_program_cache_write(store, key, "reading\n"))
        return stamp;
    id = hash_contents(file);
    snprintf(text, sizeof text, "contents %016llx\n", id);
    store_program_cache_write(store, key, text);
    return (uint64_t)id;
}

enum interest { ANY, OF_AN_MPI };

static void find_id(const store *store, const store_elf *file, store_program *program)
{
    program->has_build_id = read_build_id(file, &program->id);
    if (!program->has_build_id)
        program->id =
            store && file->size > SHORT ? long_contents(store, file) : hash_contents(file);
}

/* Of one of `which` alone it is of interest which build it is. */
static int read_program(const store *store, const char *path, enum interest which,
                        store_program *program, int *calls, topomap_error *err)
{
    TOPOMAP_CLEANUP(store_elf_close) store_elf file;
    int failed = store_elf_open(path, &file);

    if (failed)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", path,
                                 failed == EINVAL ? "not a plain file" : strerror(failed));
    *program = (store_program){0};
    find_mpi(store, &file, path, program, calls);
    if (which == ANY)
        find_own_mpi(&file, program);
    if (which == ANY || program->mpi || program->loads)
        find_id(store, &file, program);
    return 0;
}

int store_program_read(const store *store, const char *path, store_program *program,
                       topomap_error *err)
{
    int calls = 0;

    return read_program(store, path, ANY, program, &calls, err);
}

/* ---- Finding it -------------------------------------------------------------------------- */

static int is_program(const char *path, int *calls)
{
    struct stat status;

    if (*calls >= STORE_CALLS)
        return 0;
    ++*calls;
    if (stat(path, &status) || !S_ISREG(status.st_mode))
        return 0;
    ++*calls;
    return !access(path, R_OK | X_OK);
}

static char *joined(const char *folder, size_t length, const char *name, int *calls)
{
    char *path = NULL;

    if (asprintf(&path, "%.*s%s%s", (int)length, folder, length ? "/" : "", name) < 0)
        return NULL;
    if (is_program(path, calls))
        return path;
    free(path);
    return NULL;
}

static char *find(const char *command, const char *folder, const char *search, int *calls)
{
    if (strlen(command) > 4096 || !*command)
        return NULL;
    if (*command == '/')
        return joined("", 0, command, calls);
    if (strchr(command, '/'))
        return joined(folder ? folder : "", folder ? strlen(folder) : 0, command, calls);
    for (const char *at = search; at && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char *path = length && length < 4096 ? joined(at, length, command, calls) : NULL;

        if (path)
            return path;
        at += length;
    }
    return NULL;
}

char *store_program_find(const char *command, const char *folder, const char *search)
{
    int calls = 0;

    return find(command, folder, search, &calls);
}

/* ---- What it starts ---------------------------------------------------------------------- */

/* What a word starts, of an MPI or perhaps of one. */
static char *read_word(const store *store, const char *word, const char *folder, const char *search,
                       store_program *inner, int *calls)
{
    char *path = *word == '-' || strchr(word, '=') ? NULL : find(word, folder, search, calls);

    *calls += path ? STORE_READING : 0;
    if (path && !read_program(store, path, OF_AN_MPI, inner, calls, NULL) &&
        (inner->mpi || inner->loads))
        return path;
    free(path);
    return NULL;
}

static char *take(store_program *program, const store_program *inner, char *path)
{
    uint64_t both[2] = {program->id, inner->id};

    *program = *inner;
    program->id = topomap_hash64_all(both, sizeof both);
    return path;
}

char *store_program_started(const store *store, char *const *words, const char *folder,
                            const char *search, store_program *program)
{
    int starts_any = program->loads != STORE_LOADS_AS_INTERPRETER;
    store_program inner, first = {0};
    char *loads = NULL;
    int calls = 0;

    for (int i = 0; i < STARTED_WORDS && words[i] && calls < STORE_CALLS; i++) {
        char *path = read_word(store, words[i], folder, search, &inner, &calls);

        if (path && inner.mpi) {
            free(loads);
            return take(program, &inner, path);
        }
        if (path && !loads && starts_any) {
            loads = path;
            first = inner;
        } else {
            free(path);
        }
    }
    if (loads)
        return take(program, &first, loads);
    if (calls >= STORE_CALLS)
        snprintf(program->why, sizeof program->why,
                 "not known: its words would be looked for in too many places");
    return NULL;
}
