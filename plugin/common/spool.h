/* SPDX-License-Identifier: BSD-3-Clause */
/* Bindings that are too long for the environment travel in a file, in a folder that srun's node and
 * the compute nodes share. The folder may be one like /tmp, where anybody makes files: a file is
 * made new, and read only if it is this user's, and nobody else could have written it. */
#pragma once

#include <stdint.h>

#include "topomap/topomap.h"

enum {
    PLUGIN_SPOOL_CRC = 8, /* hexadecimal digits of a note, then a blank and the path */
    PLUGIN_SPOOL_PATH = 4096,
    PLUGIN_SPOOL_MOST = 64 << 20, /* bytes of a file: longer than any text of bindings */
};

/** Writes \p text to a new file of \p folder.
 *  \param note  on success "CRC-32 PATH" for plugin_spool_read(); ends with free() */
int plugin_spool_write(const char *folder, uint32_t job, uint32_t step, const char *text,
                       char **note, topomap_error *err);

/* Where a note may point. */
typedef struct plugin_spool_place {
    const char *folder;
    uint32_t job, step;
} plugin_spool_place;

/** Reads the file of a note, as the user whose file it must be, or root's (spool_read.c). What is
 *  not exactly what was written is TOPOMAP_EINPUT.
 *  \param place  the only one it may have; NULL: any
 *  \param most   bytes that the file may have
 *  \param text   \p *size bytes and a NUL; ends with free() */
int plugin_spool_read(const char *note, const plugin_spool_place *place, size_t most, char **text,
                      size_t *size, topomap_error *err);

/** Removes the file of a note. */
void plugin_spool_remove(const char *note);

/** Removes files of this user's earlier steps that nobody has removed, a few in each call
 *  (store/store.h): of a planner that was killed at its deadline, of an srun that was. What is a
 * week old has been read, or never will be. (spool_tidy.c) \param note  of a file that was written
 * just now, in the folder that is looked through */
void plugin_spool_tidy(const char *note);
