/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_CHILD_H
#define TOPOMAP_DB_HWLOC_CHILD_H

#include "topomap/topomap.h"

/** What a node's XML says, as text; all but \p text may be NULL. */
typedef struct db_hwloc_inside {
    char *text;    /* the shape (machine/shape.h) */
    char *host;    /* the node's name */
    char *nics;    /* its adapters (hwloc_nics.h) */
    char *devices; /* its GPUs and NICs (machine/devices.h) */
    char *owned;   /* what of these is this node's alone (hwloc_devices.h) */
} db_hwloc_inside;

/** Loads an hwloc XML in a child process.
 *  \param inside  all 0; db_hwloc_inside_clear() ends it, after a failure, too
 *  \param xml     may be changed in the child only */
int db_hwloc_load(const char *path, char *xml, size_t size, db_hwloc_inside *inside,
                  topomap_error *err);
void db_hwloc_inside_clear(db_hwloc_inside *inside);

#endif
