/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of an ELF file that say what a program is and what it needs. Whatever is in the file,
 * no more than a few hundred KiB of tables are looked at. */
#ifndef TOPOMAP_STORE_ELF_H
#define TOPOMAP_STORE_ELF_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { STORE_ELF_SEGMENTS = 128, STORE_ELF_NAME = 256, STORE_ELF_PATHS = 4096 };

typedef struct store_elf {
    int fd;
    uint64_t size;
    struct stat status;
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[STORE_ELF_SEGMENTS];
} store_elf;

/** Where a program's libraries are named. */
typedef struct store_elf_dynamic {
    ElfW(Dyn) * row;
    size_t rows;
    uint64_t names, size; /* the table of names in the file */
    size_t at;            /* the row that comes next */
    char *read;           /* of these names the part from read_from to read_to; lent, by row */
    uint64_t read_from, read_to;
} store_elf_dynamic;

/** Opens a plain file. \return 0, or errno (EINVAL: not a plain file). store_elf_close() ends it.
 */
int store_elf_open(const char *path, store_elf *file);
void store_elf_close(store_elf *file);
/** Reads all of these bytes. \return 0, or -1: not all of them are in the file */
int store_elf_get(const store_elf *file, uint64_t at, void *to, size_t size);

/** Reads its headers. \return NULL; or why it is none that can run with this library */
const char *store_elf_read(store_elf *file);
/** Whether it asks for a dynamic linker. */
int store_elf_has_interpreter(const store_elf *file);
/** Whether it begins with "#!", whatever it is then. */
int store_elf_is_script(const store_elf *file);
/** Whether its tables of symbols have this name. Of a very long table the end is looked at, where
 *  the linker has those names that are for all; a program that was stripped has none. */
int store_elf_has_symbol(const store_elf *file, const char *name);

/** \return NULL, and free(dynamic->row) ends it; or what is wrong */
const char *store_elf_dynamic_read(const store_elf *file, store_elf_dynamic *dynamic);
/** The next library that it needs, each call one. \return 1; 0: there are no more; -1: broken */
int store_elf_needed(const store_elf *file, store_elf_dynamic *dynamic, char name[STORE_ELF_NAME]);
/** The text of an entry (DT_RPATH, DT_RUNPATH), or "" where there is none, or it is too long. */
void store_elf_text(const store_elf *file, const store_elf_dynamic *dynamic, int tag,
                    char text[STORE_ELF_PATHS]);

#endif
