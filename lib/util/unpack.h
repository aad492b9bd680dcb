/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a file or of memory, unpacked where they are packed; what util/input.h stands on. */
#pragma once

#include "topomap/topomap.h"

typedef struct topomap_unpack topomap_unpack;

/** Takes bytes from \p fd, or, where it is negative, from \p bytes. \p path is for messages; both
 *  must outlive the object, which does not close \p fd. Nothing is read yet. */
int topomap_unpack_new(const char *path, int fd, const void *bytes, size_t size,
                       topomap_unpack **unpack, topomap_error *err);
void topomap_unpack_free(topomap_unpack *unpack);

/** Fills \p room bytes at \p out as far as there are any; fewer than \p room means the end. */
int topomap_unpack_read(topomap_unpack *unpack, char *out, size_t room, size_t *got,
                        topomap_error *err);

/** How many bytes may come out of packed ones; more is a failure. 0: what real files never reach,
 * 2000 times what went in (a thousand fit into one at most in the routing tables of large fabrics,
 * whose rows repeat) but not below 256 MiB, nor above 8 GiB. A few hundred KiB can unpack to
 * gigabytes. */
void topomap_unpack_limit(topomap_unpack *unpack, uint64_t most);

/** Nonzero if the bytes come packed. Known after the first read. */
int topomap_unpack_packed(const topomap_unpack *unpack);
