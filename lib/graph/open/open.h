/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a graph by name: a file, a folder of a profile's parts, a pattern, or FILE,parts=N (a mesh
 * file to partition). An existing file of the full name takes precedence. */
#pragma once

#include "topomap/topomap.h"
#include "watch/watch.h"

enum { TOPOMAP_GRAPH_PATH = 4096 };

/** Splits a name FILE,parts=N if FILE exists and no file has the full name.
 *  \param file  [TOPOMAP_GRAPH_PATH]
 *  Returns 1 with \p file and \p parts, or 0 if the name is any other. */
int topomap_graph_divided(const char *name, char *file, uint32_t *parts);

/** topomap_graph_read_options() for our own programs.
 *  \param most   limit on a pattern's ranks, checked before it is generated (EUSAGE); 0: no limit.
 *                Files and compositions are not limited
 *  \param watch  counts how much of a file has been read; may be NULL */
int topomap_graph_open(const char *name, uint32_t most, const char *format,
                       const char *const *option, topomap_watch *watch, topomap_graph **graph,
                       topomap_error *err);
