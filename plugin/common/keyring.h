/* SPDX-License-Identifier: BSD-3-Clause */
/* A note in the user's keyring of the kernel (user-keyring(7)), on this machine: no file system can
 * hold it up, nobody else can make it first, and it goes by itself after a week. */
#ifndef TOPOMAP_PLUGIN_COMMON_KEYRING_H
#define TOPOMAP_PLUGIN_COMMON_KEYRING_H

#include <stddef.h>

/** \return the bytes of the note \p name, at most \p room of them into \p bytes; 0: there is none,
 * it is longer, or the kernel has no keyring for us */
size_t plugin_keyring_read(const char *name, void *bytes, size_t room);

/** Whoever writes last is read; without a keyring nothing happens. */
void plugin_keyring_write(const char *name, const void *bytes, size_t size);

#endif
