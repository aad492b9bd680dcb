/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_CHILD_H
#define TOPOMAP_DB_HWLOC_CHILD_H

#include "topomap/topomap.h"

/** Loads an hwloc XML in a child process.
 *  \param text  the shape as text (machine/shape.h), which the caller frees, after a failure, too
 *  \param host  the node's name, likewise, or NULL where the XML has none
 *  \param nics  its adapters (hwloc_nics.h), likewise, or NULL
 *  \param xml   may be changed in the child only */
int db_hwloc_load(const char *path, char *xml, size_t size, char **text, char **host, char **nics,
                  topomap_error *err);

#endif
