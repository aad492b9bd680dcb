/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry of the store as text. */
#ifndef TOPOMAP_STORE_ENTRY_H
#define TOPOMAP_STORE_ENTRY_H

#include "plugin/store/store.h"

#include <stddef.h>

/* The longest has 5 KiB: 40 times of 100 bytes, and 1 KiB of texts. */
enum { STORE_ENTRY_TEXT = 8192 };

/** Lines "name value". \return how long they are */
size_t store_entry_print(const store_entry *entry, char text[STORE_ENTRY_TEXT]);
/** Takes them from \p text, which it changes; lines that make no sense are passed over. */
void store_entry_parse(char *text, store_entry *entry);
/** Leaves whose it is, and nothing of what became of it. */
void store_entry_forget(store_entry *entry);
/** Reads such a file beside \p at into \p entry, with the key that its names have.
 *  \return 1, or 0: there is none */
int store_entry_read_from(int at, const char *name, store_entry *entry);

/** store_entry_read() and store_remove() in the opened folder of profiles. */
int store_entry_read_at(int profiles, store_entry *entry);
int store_remove_at(int profiles, const char *key);

/** The other entries of its family that have a graph of as many ranks, those used last first.
 *  \param list  [most] */
unsigned store_kin_others(int profiles, const store_entry *wanted, store_entry *list,
                          unsigned most);

/** Those not used for longest go until the rest fits, a few at a time where there are many; never
 *  \p keep. */
void store_evict(const store *store, const char *keep);

#endif
