/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_ASK_H
#define TOPOMAP_DB_HWLOC_ASK_H

#include "topomap/topomap.h"

/** Runs \p child in a process of its own, without a core file, output or signal handlers, that ends
 *  after two minutes, and takes what it writes to \p reply. A child that crashes has written less.
 *  \param path   of what it looks at, for errors
 *  \param most   bytes that are taken of it, at least
 *  \param reply  with a NUL behind; ends with free(), on failure, too */
int db_hwloc_ask(const char *path, void (*child)(FILE *reply, void *data), void *data, size_t most,
                 char **reply, size_t *size, topomap_error *err);

#endif
