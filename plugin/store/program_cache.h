/* SPDX-License-Identifier: BSD-3-Clause */
/* What was costly to find out about a program: ROOT/programs/KEY, a few lines each. A key has in it
 * all that the answer depends on, so that another file, or the same one changed, has another. */
#ifndef TOPOMAP_PLUGIN_STORE_PROGRAM_CACHE_H
#define TOPOMAP_PLUGIN_STORE_PROGRAM_CACHE_H

#include "plugin/store/store.h"

#include <sys/stat.h>

enum { STORE_PROGRAM_CACHE = 16384, STORE_PROGRAMS_CACHED = 512 };

/** What changes when a file does: its number, size and times. Not its device, which for a file
 *  server's differs from node to node. */
uint64_t store_program_cache_stamp(const struct stat *status);
/** \p before and more of a key. */
uint64_t store_program_cache_key(uint64_t before, const char *text);

/** \return 1, and the text; 0: there is none. \p store NULL: there is none */
int store_program_cache_read(const store *store, uint64_t key, char text[STORE_PROGRAM_CACHE]);
/** Those that were not written for longest go, where there are more than STORE_PROGRAMS_CACHED.
 *  \return -1: it is not remembered */
int store_program_cache_write(const store *store, uint64_t key, const char *text);

#endif
