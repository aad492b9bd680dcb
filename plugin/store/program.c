/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "util/hash64.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bounds on what a file may make us read. */
enum {
    SEGMENTS = 128,
    DYNAMIC = 4096,
    NOTES = 64 << 10,
    NAME = 256,
    LIBRARIES = 1024,
    CHUNK = 64 << 10,
};
#define CONTENTS ((uint64_t)256 << 20)

const char *store_mpi_name(enum store_mpi mpi)
{
    static const char *const names[STORE_MPIS] = {"none", "openmpi", "mpich"};

    return names[mpi];
}

struct file {
    int fd;
    uint64_t size;
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[SEGMENTS];
};

/* \return 0, or -1: not all of it is in the file */
static int get(const struct file *file, uint64_t at, void *to, size_t size)
{
    char *bytes = to;

    if (at > file->size || size > file->size - at)
        return -1;
    while (size) {
        ssize_t done = pread(file->fd, bytes, size, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return 0;
}

static int leave(store_program *program, const char *why)
{
    snprintf(program->why, sizeof program->why, "%s", why);
    return -1;
}

/* ---- Which build it is ------------------------------------------------------------------- */

/* XXH64 of the contents, of the first 256 MiB where there are more, then of size and time too. */
static uint64_t hash_contents(const struct file *file, const struct stat *status)
{
    uint64_t most = file->size < CONTENTS ? file->size : CONTENTS, at = 0;
    uint64_t tail[3] = {file->size, 0, 0};
    unsigned char *chunk = malloc(CHUNK);
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    for (; chunk && most - at >= CHUNK && !get(file, at, chunk, CHUNK); at += CHUNK)
        topomap_hash64_blocks(&hash, chunk, CHUNK);
    if (chunk && most - at < CHUNK && !get(file, at, chunk, (size_t)(most - at)))
        tail[1] = topomap_hash64_all(chunk, (size_t)(most - at));
    if (file->size > CONTENTS)
        tail[2] = (uint64_t)status->st_mtime;
    free(chunk);
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

static int read_build_id(const struct file *file, uint64_t *id)
{
    int found = 0;

    for (int i = 0; !found && i < file->header.e_phnum; i++) {
        const ElfW(Phdr) *segment = &file->segment[i];
        unsigned char *notes;

        if (segment->p_type != PT_NOTE || !segment->p_filesz || segment->p_filesz > NOTES)
            continue;
        notes = malloc(segment->p_filesz);
        if (notes && !get(file, segment->p_offset, notes, segment->p_filesz))
            found = find_build_id(notes, segment->p_filesz, segment->p_align == 8 ? 8 : 4, id);
        free(notes);
    }
    return found;
}

/* ---- Which MPI it needs ------------------------------------------------------------------ */

/* By sonames: Open MPI 4 and 5 are .40; MPICH and what keeps its ABI are .12 (libmpich as Debian
 * names it, libmpi as the ABI initiative does). Fortran's parts may stand alone, where the linker
 * left out what the program itself does not call. */
static const struct {
    const char *begin, *end;
    enum store_mpi mpi;
} libraries[] = {
    {"libmpi.so", ".40", STORE_MPI_OPENMPI},     {"libmpi_mpifh.so", ".40", STORE_MPI_OPENMPI},
    {"libmpi_usempi", ".40", STORE_MPI_OPENMPI}, {"libmpi_cxx.so", ".40", STORE_MPI_OPENMPI},
    {"libmpich.so", ".12", STORE_MPI_MPICH},     {"libmpi.so", ".12", STORE_MPI_MPICH},
    {"libmpichfort.so", ".12", STORE_MPI_MPICH}, {"libmpifort.so", ".12", STORE_MPI_MPICH},
    {"libmpichcxx.so", ".12", STORE_MPI_MPICH},  {"libmpicxx.so", ".12", STORE_MPI_MPICH},
};

/* Tools that stand between program and MPI themselves; ours would take their place. */
static const char *const tools[] = {"libscorep", "libmpiP",     "libdarshan",
                                    "libipm",    "libTAU",      "libVT",
                                    "libextrae", "libmpitrace", "libmpicollect"};

static enum store_mpi mpi_of(const char *name)
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

static int is_tool(const char *name)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (!strncmp(name, tools[i], strlen(tools[i])))
            return 1;
    return 0;
}

/* Where in the file an address of the running program is; 0: nowhere. */
static uint64_t offset_of(const struct file *file, uint64_t address)
{
    for (int i = 0; i < file->header.e_phnum; i++) {
        const ElfW(Phdr) *segment = &file->segment[i];

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    }
    return 0;
}

static int read_name(const struct file *file, uint64_t at, uint64_t left, char name[NAME])
{
    size_t size = left < NAME - 1 ? (size_t)left : NAME - 1;

    if (at > file->size)
        return -1;
    if (size > file->size - at)
        size = (size_t)(file->size - at);
    memset(name, 0, NAME);
    return get(file, at, name, size);
}

static int read_needed(const struct file *file, const ElfW(Dyn) * dynamic, size_t count,
                       store_program *program)
{
    uint64_t names = 0, size = 0;
    int seen = 0;

    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
        if (dynamic[i].d_tag == DT_STRTAB)
            names = offset_of(file, dynamic[i].d_un.d_ptr);
        if (dynamic[i].d_tag == DT_STRSZ)
            size = dynamic[i].d_un.d_val;
    }
    if (!names || !size)
        return leave(program, "its table of names is broken");
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL && seen < LIBRARIES; i++) {
        uint64_t at = dynamic[i].d_un.d_val;
        enum store_mpi mpi;
        char name[NAME];

        if (dynamic[i].d_tag != DT_NEEDED)
            continue;
        seen++;
        if (at >= size || read_name(file, names + at, size - at, name))
            return leave(program, "its table of names is broken");
        if (is_tool(name)) {
            snprintf(program->why, sizeof program->why, "%.64s watches its MPI already", name);
            return -1;
        }
        mpi = mpi_of(name);
        if (mpi && program->mpi && mpi != program->mpi)
            return leave(program, "it needs two MPIs");
        program->mpi = mpi ? mpi : program->mpi;
    }
    return program->mpi ? 0 : leave(program, "it needs no MPI library that is known");
}

static int read_dynamic(const struct file *file, store_program *program)
{
    int interpreter = 0, status;
    const ElfW(Phdr) *found = NULL;
    ElfW(Dyn) * dynamic;
    size_t count;

    for (int i = 0; i < file->header.e_phnum; i++) {
        interpreter |= file->segment[i].p_type == PT_INTERP;
        if (file->segment[i].p_type == PT_DYNAMIC)
            found = &file->segment[i];
    }
    if (!found || !interpreter)
        return leave(program, "it is linked statically");
    count = found->p_filesz / sizeof *dynamic;
    if (count > DYNAMIC)
        count = DYNAMIC;
    dynamic = malloc((count + 1) * sizeof *dynamic);
    if (!dynamic || get(file, found->p_offset, dynamic, count * sizeof *dynamic))
        status = leave(program, "its dynamic section is broken");
    else
        status = read_needed(file, dynamic, count, program);
    free(dynamic);
    return status;
}

/* The header of this very library: what it was built for is what can be preloaded. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int read_header(struct file *file, store_program *program)
{
    ElfW(Ehdr) *header = &file->header;
    char first[2];

    if (!get(file, 0, first, 2) && first[0] == '#' && first[1] == '!')
        return leave(program, "it is a script");
    if (get(file, 0, header, sizeof *header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return leave(program, "it is no ELF file");
    if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
        header->e_machine != __ehdr_start.e_machine)
        return leave(program, "it is for another kind of machine");
    if ((header->e_type != ET_EXEC && header->e_type != ET_DYN) ||
        header->e_phentsize != sizeof *file->segment || !header->e_phnum ||
        header->e_phnum > SEGMENTS ||
        get(file, header->e_phoff, file->segment, header->e_phnum * sizeof *file->segment))
        return leave(program, "its program headers are broken");
    return 0;
}

static void look(struct file *file, const struct stat *status, store_program *program)
{
    if (read_header(file, program)) {
        file->header.e_phnum = 0; /* and none of the segments counts */
        program->mpi = STORE_MPI_NONE;
    } else if (read_dynamic(file, program)) {
        program->mpi = STORE_MPI_NONE;
    }
    program->has_build_id = file->header.e_phnum && read_build_id(file, &program->id);
    if (!program->has_build_id)
        program->id = hash_contents(file, status);
}

int store_program_read(const char *path, store_program *program, topomap_error *err)
{
    struct file *file = calloc(1, sizeof *file);
    struct stat status;
    int failed = 0;

    if (!file)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &status))
        failed = topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        failed = topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: not a plain file", path);
    if (!failed) {
        *program = (store_program){0};
        file->size = (uint64_t)status.st_size;
        look(file, &status, program);
    }
    if (file->fd >= 0)
        close(file->fd);
    free(file);
    return failed;
}

/* ---- Finding it -------------------------------------------------------------------------- */

static int is_program(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, R_OK | X_OK);
}

static char *joined(const char *folder, size_t length, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%.*s%s%s", (int)length, folder, length ? "/" : "", name) < 0)
        return NULL;
    if (is_program(path))
        return path;
    free(path);
    return NULL;
}

char *store_program_find(const char *command, const char *folder, const char *search)
{
    if (strlen(command) > 4096 || !*command)
        return NULL;
    if (*command == '/')
        return joined("", 0, command);
    if (strchr(command, '/'))
        return joined(folder ? folder : "", folder ? strlen(folder) : 0, command);
    for (const char *at = search; at && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char *path = length && length < 4096 ? joined(at, length, command) : NULL;

        if (path)
            return path;
        at += length;
    }
    return NULL;
}
