/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of a test's own, and files in it. */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/** Makes the folder; call once, before the others. cmocka setup and teardown functions. */
int scratch_setup(void **state);
/** Removes the folder and all that is in it. */
int scratch_teardown(void **state);

/** "FOLDER/NAME", lent until the program ends. */
const char *scratch_path(const char *name);
/** The same of a folder, made where it is not there, with this mode. */
const char *scratch_folder(const char *name, mode_t mode);
/** How many names are in a folder, apart from . and .. */
int scratch_entries(const char *folder);
/** Writes a file and returns its path, lent likewise. */
const char *scratch_write(const char *name, const void *bytes, size_t size);
const char *scratch_text(const char *name, const char *text);
/** The same, packed. */
const char *scratch_xz(const char *name, const void *bytes, size_t size);
const char *scratch_zstd(const char *name, const void *bytes, size_t size);
/** The whole of a file with a NUL after it; ends with free(). NULL if it cannot be read. */
char *scratch_slurp(const char *path, size_t *size);

#endif
