/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_CHILD_H
#define TOPOMAP_DB_HWLOC_CHILD_H

#include "topomap/topomap.h"

/** Loads an hwloc XML in a child process.
 *  \param text  the shape as text (machine/shape.h), which the caller frees
 *  \param host  the node's name, likewise, or NULL where the XML has none */
int db_hwloc_load(const char *path, const char *xml, size_t size, char **text, char **host,
                  topomap_error *err);

#endif
