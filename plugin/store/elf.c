/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DYNAMIC = 4096, NAMES = 64 << 10, SECTIONS = 4096, SYMBOLS = 4 << 20 };

int store_elf_open(const char *path, store_elf *file)
{
    *file = (store_elf){.fd = -1};
    file->fd = topomap_untrusted_open(AT_FDCWD, path, O_RDONLY, &file->status);
    if (file->fd < 0)
        return errno;
    file->size = (uint64_t)file->status.st_size;
    return 0;
}

void store_elf_close(store_elf *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

int store_elf_get(const store_elf *file, uint64_t at, void *to, size_t size)
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

/* ---- Headers ----------------------------------------------------------------------------- */

/* The header of this very library: what it was built for is what can be preloaded. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

int store_elf_is_script(const store_elf *file)
{
    char first[2];

    return !store_elf_get(file, 0, first, 2) && first[0] == '#' && first[1] == '!';
}

static const char *read_headers(store_elf *file)
{
    ElfW(Ehdr) *header = &file->header;

    if (store_elf_is_script(file))
        return "it is a script";
    if (store_elf_get(file, 0, header, sizeof *header) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is no ELF file";
    if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
        header->e_machine != __ehdr_start.e_machine)
        return "it is for another kind of machine";
    if ((header->e_type != ET_EXEC && header->e_type != ET_DYN) ||
        header->e_phentsize != sizeof *file->segment || !header->e_phnum ||
        header->e_phnum > STORE_ELF_SEGMENTS ||
        store_elf_get(file, header->e_phoff, file->segment,
                      header->e_phnum * sizeof *file->segment))
        return "its program headers are broken";
    return NULL;
}

const char *store_elf_read(store_elf *file)
{
    const char *why = read_headers(file);

    if (why)
        file->header.e_phnum = 0; /* and none of the segments counts */
    return why;
}

static const ElfW(Phdr) * find_segment(const store_elf *file, uint32_t type)
{
    for (int i = 0; i < file->header.e_phnum; i++)
        if (file->segment[i].p_type == type)
            return &file->segment[i];
    return NULL;
}

int store_elf_has_interpreter(const store_elf *file)
{
    return find_segment(file, PT_INTERP) != NULL;
}

/* ---- Symbols ----------------------------------------------------------------------------- */

/* With its NUL: the linker keeps a name that is the end of another one inside that. */
static int has_name(const store_elf *file, const ElfW(Shdr) * table, const char *name)
{
    uint64_t size = table->sh_size < SYMBOLS ? table->sh_size : SYMBOLS;
    uint64_t at = table->sh_offset + (table->sh_size - size);
    TOPOMAP_FREED char *names = size ? malloc(size) : NULL;

    return names && at >= table->sh_offset && !store_elf_get(file, at, names, size) &&
           memmem(names, size, name, strlen(name) + 1) != NULL;
}

int store_elf_has_symbol(const store_elf *file, const char *name)
{
    const ElfW(Ehdr) *header = &file->header;
    TOPOMAP_FREED ElfW(Shdr) *section = NULL;

    if (!header->e_phnum || header->e_shentsize != sizeof *section || !header->e_shnum ||
        header->e_shnum > SECTIONS)
        return 0;
    section = malloc(header->e_shnum * sizeof *section);
    if (!section ||
        store_elf_get(file, header->e_shoff, section, header->e_shnum * sizeof *section))
        return 0;
    for (int i = 0; i < header->e_shnum; i++)
        if ((section[i].sh_type == SHT_SYMTAB || section[i].sh_type == SHT_DYNSYM) &&
            section[i].sh_link < header->e_shnum &&
            has_name(file, &section[section[i].sh_link], name))
            return 1;
    return 0;
}

/* ---- Names ------------------------------------------------------------------------------- */

/* Where in the file an address of the running program is; 0: nowhere. */
static uint64_t offset_of(const store_elf *file, uint64_t address)
{
    for (int i = 0; i < file->header.e_phnum; i++) {
        const ElfW(Phdr) *segment = &file->segment[i];

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    }
    return 0;
}

static uint64_t value_of(const store_elf_dynamic *dynamic, int tag)
{
    for (size_t i = 0; i < dynamic->rows; i++)
        if (dynamic->row[i].d_tag == tag)
            return dynamic->row[i].d_un.d_val;
    return 0;
}

/* The names that are asked for are near each other in most files: they are read at once, behind the
 * rows. Where they are not, each is read when it is asked for. */
static void read_names(const store_elf *file, store_elf_dynamic *dynamic)
{
    uint64_t from = UINT64_MAX, to = 0;
    size_t rows = dynamic->rows * sizeof *dynamic->row;
    void *wider;

    for (size_t i = 0; i < dynamic->rows; i++) {
        uint64_t at = dynamic->row[i].d_un.d_val;
        int64_t tag = dynamic->row[i].d_tag;

        if (tag != DT_NEEDED && tag != DT_RPATH && tag != DT_RUNPATH)
            continue;
        from = at < from ? at : from;
        to = at > to ? at : to;
    }
    if (from > to || to >= dynamic->size || to - from > NAMES)
        return;
    to = to + STORE_ELF_NAME < dynamic->size ? to + STORE_ELF_NAME : dynamic->size;
    wider = realloc(dynamic->row, rows + (size_t)(to - from));
    if (!wider)
        return;
    dynamic->row = wider;
    dynamic->read = (char *)wider + rows;
    if (store_elf_get(file, dynamic->names + from, dynamic->read, (size_t)(to - from)))
        return;
    dynamic->read_from = from;
    dynamic->read_to = to;
}

const char *store_elf_dynamic_read(const store_elf *file, store_elf_dynamic *dynamic)
{
    const ElfW(Phdr) *found = find_segment(file, PT_DYNAMIC);
    size_t count = found ? found->p_filesz / sizeof *dynamic->row : 0;
    TOPOMAP_FREED ElfW(Dyn) *row = NULL;

    if (!found)
        return "it has no dynamic section";
    if (count > DYNAMIC)
        count = DYNAMIC;
    row = malloc((count + 1) * sizeof *row);
    if (!row || store_elf_get(file, found->p_offset, row, count * sizeof *row))
        return "its dynamic section is broken";
    *dynamic = (store_elf_dynamic){.row = row};
    while (dynamic->rows < count && row[dynamic->rows].d_tag != DT_NULL)
        dynamic->rows++;
    dynamic->names = offset_of(file, value_of(dynamic, DT_STRTAB));
    dynamic->size = value_of(dynamic, DT_STRSZ);
    if (!dynamic->names || !dynamic->size)
        return "its table of names is broken";
    row = NULL;
    read_names(file, dynamic);
    return NULL;
}

/* Cut where it is longer than there is room. */
static int read_name(const store_elf *file, const store_elf_dynamic *dynamic, uint64_t at,
                     char *name, size_t room)
{
    uint64_t left = dynamic->size - at;
    size_t size = left < room - 1 ? (size_t)left : room - 1;

    if (at >= dynamic->size || dynamic->names + at > file->size)
        return -1;
    if (size > file->size - dynamic->names - at)
        size = (size_t)(file->size - dynamic->names - at);
    memset(name, 0, room);
    if (at >= dynamic->read_from && at < dynamic->read_to) {
        size_t here = (size_t)(dynamic->read_to - at);
        const char *found = dynamic->read + (at - dynamic->read_from);

        if (size <= here || memchr(found, 0, here)) {
            memcpy(name, found, size < here ? size : here);
            return 0;
        }
    }
    return store_elf_get(file, dynamic->names + at, name, size);
}

int store_elf_needed(const store_elf *file, store_elf_dynamic *dynamic, char name[STORE_ELF_NAME])
{
    while (dynamic->at < dynamic->rows) {
        const ElfW(Dyn) *row = &dynamic->row[dynamic->at++];

        if (row->d_tag == DT_NEEDED)
            return read_name(file, dynamic, row->d_un.d_val, name, STORE_ELF_NAME) ? -1 : 1;
    }
    return 0;
}

void store_elf_text(const store_elf *file, const store_elf_dynamic *dynamic, int tag,
                    char text[STORE_ELF_PATHS])
{
    uint64_t at = value_of(dynamic, tag);

    if (!at || read_name(file, dynamic, at, text, STORE_ELF_PATHS) ||
        strlen(text) == STORE_ELF_PATHS - 1)
        *text = 0;
}
