/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files made here, in a folder of the test's own. */
#ifndef TESTS_UNIT_PLUGIN_IMAGES_H
#define TESTS_UNIT_PLUGIN_IMAGES_H

#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "plugin/store/program.h"

/** The folder, and the program in it that most tests write. */
extern char folder[], path[64];

/* A program file: header, four segments, then its dynamic section, names, note and interpreter. */
enum { NAMES = 1024, DYNAMIC = 16 };

struct image {
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[4];
    ElfW(Dyn) dynamic[DYNAMIC];
    char names[NAMES];
    ElfW(Nhdr) note;
    char note_name[4];
    unsigned char id[20];
    char interpreter[32];
};

/** The names of libraries, NULL after the last. */
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/** A program that needs the libraries of \p needed; \p tag (DT_RPATH, DT_RUNPATH, or 0) says the
 *  folders where they are. */
struct image image_with(const char *const *needed, int tag, const char *folders);
struct image image_of(const char *const *needed);

/** Writes a program file; write_bytes() and read_image() that of path, the latter reads it, too. */
void write_to(const char *file, const void *bytes, size_t size);
void write_bytes(const void *bytes, size_t size);
store_program read_image(const struct image *image);
/** Writes \p text to path and reads that. */
store_program read_text(const char *text);

/** cmocka setup and teardown functions: make the folder, remove it. */
int images_setup(void **state);
int images_teardown(void **state);

#endif
