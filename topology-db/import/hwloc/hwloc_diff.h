/* SPDX-License-Identifier: BSD-3-Clause */
/* hwloc differences (hwloc-diff's output, <topologydiff>): what is other in a node than in the
 * node whose whole topology they refer to. */
#ifndef TOPOMAP_DB_HWLOC_DIFF_H
#define TOPOMAP_DB_HWLOC_DIFF_H

#include "topomap/topomap.h"

int db_hwloc_is_diff(const char *xml, size_t size);

/** Applies a difference to the whole topology in \p base_path, in a process of its own, as libhwloc
 *  trusts its input.
 *  \param path   of the difference, for messages
 *  \param xml    the difference, replaced by the whole topology that comes of it; ends with free()
 *  \param base_path  NULL: an error that asks for it */
int db_hwloc_patch(const char *path, const char *base_path, char **xml, size_t *size,
                   topomap_error *err);

#endif
