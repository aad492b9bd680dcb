/* SPDX-License-Identifier: BSD-3-Clause */
/* What a library says of itself without being loaded: symbols, a number, a text. Nothing in the
 * file is taken on trust. */
#include "config.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cli/doctor/doctor.h"
#include "util/full_io.h"

typedef struct image {
    const unsigned char *bytes;
    size_t size;
    const ElfW(Ehdr) * header;
    const ElfW(Sym) * symbol;
    size_t symbols;
    const char *names;
    size_t names_size;
} image;

static const void *piece(const image *in, uint64_t at, uint64_t size)
{
    return at <= in->size && size <= in->size - at && at % 4 == 0 ? in->bytes + at : NULL;
}

static const ElfW(Shdr) * section(const image *in, size_t i)
{
    return i < in->header->e_shnum
               ? piece(in, in->header->e_shoff + i * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr)))
               : NULL;
}

static void find_symbols(image *in)
{
    for (size_t i = 0; i < in->header->e_shnum; i++) {
        const ElfW(Shdr) *row = section(in, i), *names;

        if (!row || row->sh_type != SHT_DYNSYM)
            continue;
        names = section(in, row->sh_link);
        if (!names || names->sh_offset > in->size || names->sh_size > in->size - names->sh_offset ||
            !names->sh_size || in->bytes[names->sh_offset + names->sh_size - 1])
            return;
        in->symbol = piece(in, row->sh_offset, row->sh_size);
        in->symbols = in->symbol ? row->sh_size / sizeof *in->symbol : 0;
        in->names = (const char *)in->bytes + names->sh_offset;
        in->names_size = names->sh_size;
        return;
    }
}

static const char *read_image(image *in)
{
    in->header = piece(in, 0, sizeof *in->header);
    if (!in->header || memcmp(in->header->e_ident, ELFMAG, SELFMAG) != 0 ||
        in->header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        in->header->e_shentsize != sizeof(ElfW(Shdr)))
        return "it is no library of this kind of machine";
    find_symbols(in);
    return in->symbols ? NULL : "it has no table of symbols";
}

/* Returns NULL, or what is wrong; the caller calls close_image() in either case. */
static const char *open_image(const char *path, image *in)
{
    struct stat found;
    TOPOMAP_CLOSED int fd = topomap_untrusted_open(AT_FDCWD, path, O_RDONLY, &found);
    void *bytes = MAP_FAILED;

    if (fd >= 0 && found.st_size > 0)
        bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return "it cannot be read";
    in->bytes = bytes;
    in->size = (size_t)found.st_size;
    return read_image(in);
}

static void close_image(const image *in)
{
    if (in->bytes)
        munmap((void *)(uintptr_t)in->bytes, in->size);
}

static const char *name_of(const image *in, const ElfW(Sym) * symbol)
{
    return symbol->st_name < in->names_size ? in->names + symbol->st_name : "";
}

const char *doctor_elf_symbols(const char *path, int defined,
                               int (*each)(const char *name, void *data), void *data)
{
    TOPOMAP_CLEANUP(close_image) image in = {0};
    const char *why = open_image(path, &in);

    if (why)
        return why;
    for (size_t i = 1; i < in.symbols; i++) {
        const ElfW(Sym) *symbol = &in.symbol[i];
        int weak = symbol->st_info >> 4 == STB_WEAK;

        if ((symbol->st_shndx != SHN_UNDEF) == defined && (defined || !weak) &&
            each(name_of(&in, symbol), data))
            break;
    }
    return NULL;
}

static uint64_t offset_of(const image *in, uint64_t address)
{
    for (size_t i = 0; i < in->header->e_phnum; i++) {
        const ElfW(Phdr) *row =
            piece(in, in->header->e_phoff + i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));

        if (row && row->p_type == PT_LOAD && address >= row->p_vaddr &&
            address - row->p_vaddr < row->p_filesz)
            return row->p_offset + (address - row->p_vaddr);
    }
    return UINT64_MAX;
}

int doctor_elf_number(const char *path, const char *name, uint32_t *number)
{
    TOPOMAP_CLEANUP(close_image) image in = {0};
    const void *at = NULL;

    if (open_image(path, &in))
        return -1;
    for (size_t i = 1; i < in.symbols && !at; i++)
        if (in.symbol[i].st_shndx != SHN_UNDEF && !strcmp(name_of(&in, &in.symbol[i]), name))
            at = piece(&in, offset_of(&in, in.symbol[i].st_value), sizeof *number);
    if (at)
        memcpy(number, at, sizeof *number);
    return at ? 0 : -1;
}

int doctor_elf_text(const char *path, const char *text_piece, int is_head, char *text, size_t size)
{
    size_t length = strlen(text_piece) + !is_head; /* a tail has its NUL */
    const unsigned char *at, *begin, *end;
    TOPOMAP_CLEANUP(close_image) image in = {0};
    int found = 0;

    if (open_image(path, &in))
        return -1;
    for (at = in.bytes, end = in.bytes + in.size;
         !found && (at = memmem(at, (size_t)(end - at), text_piece, length)) != NULL; at++) {
        for (begin = at; !is_head && begin > in.bytes && begin[-1]; begin--)
            ;
        found = memchr(begin, 0, (size_t)(end - begin)) != NULL && (is_head || *begin == '/') &&
                strlen((const char *)begin) < size;
        if (found)
            strcpy(text, (const char *)begin);
    }
    return found ? 0 : -1;
}
