/* SPDX-License-Identifier: BSD-3-Clause */
/* What the name of a graph stands for: a file, a folder with the parts of a profile, a pattern, or
 * a mesh that is divided (FILE,parts=N). A file of that whole name comes first. */
#pragma once

#include "topomap/topomap.h"
#include "watch/watch.h"

enum { TOPOMAP_GRAPH_PATH = 4096 };

/** The file of a graph that is named FILE,parts=N, if there is no file of that whole name.
 *  \param file  [TOPOMAP_GRAPH_PATH]
 *  Returns 1 with \p file and \p parts, or 0 if the name is not that of a divided file. */
int topomap_graph_divided(const char *name, char *file, uint32_t *parts);

/** topomap_graph_read_options() for our own programs.
 *  \param most   a pattern of more ranks is refused (EUSAGE) before anything is made of it; files
 *                and compositions may still have more; 0: any number
 *  \param watch  counts how much of a file has been read; may be NULL */
int topomap_graph_open(const char *name, uint32_t most, const char *format,
                       const char *const *option, topomap_watch *watch, topomap_graph **graph,
                       topomap_error *err);
