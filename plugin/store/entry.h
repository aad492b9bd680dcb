/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry of the store as text. */
#ifndef TOPOMAP_STORE_ENTRY_H
#define TOPOMAP_STORE_ENTRY_H

#include "plugin/store/store.h"

#include <stddef.h>

enum { STORE_ENTRY_TEXT = 4096 };

/** Lines "name value". \return how long they are */
size_t store_entry_print(const store_entry *entry, char text[STORE_ENTRY_TEXT]);
/** Reads such a file beside \p at into \p entry, with the key that its names have.
 *  \return 1, or 0: there is none */
int store_entry_read_from(int at, const char *name, store_entry *entry);

/** store_entry_read() and store_remove() in the opened folder of profiles. */
int store_entry_read_at(int profiles, store_entry *entry);
int store_remove_at(int profiles, const char *key);

/** Those not used for longest go until the rest fits, a few at a time where there are many; never
 *  \p keep. */
void store_evict(const store *store, const char *keep);

#endif
