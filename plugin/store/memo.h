/* SPDX-License-Identifier: BSD-3-Clause */
/* What was costly to find out about a program: ROOT/programs/KEY, a few lines each. A key has in it
 * all that the answer depends on, so that another file, or the same one changed, has another. */
#ifndef TOPOMAP_STORE_MEMO_H
#define TOPOMAP_STORE_MEMO_H

#include "plugin/store/store.h"

#include <sys/stat.h>

enum { STORE_MEMO = 16384, STORE_MEMOS = 512 };

/** What changes when a file does: its number, size and times. Not its device, which for a file
 *  server's differs from node to node. */
uint64_t store_memo_stamp(const struct stat *status);
/** \p before and more of a key. */
uint64_t store_memo_key(uint64_t before, const char *text);

/** \return 1, and the text; 0: there is none. \p store NULL: there is none */
int store_memo_read(const store *store, uint64_t key, char text[STORE_MEMO]);
/** Those that were not written for longest go, where there are more than STORE_MEMOS.
 *  \return -1: it is not remembered */
int store_memo_write(const store *store, uint64_t key, const char *text);

#endif
