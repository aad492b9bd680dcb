/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh or matrix larger than the job, named as FILE,parts=N: the graph of its blocks. */
#ifndef TOPOMAP_MAP_SPLIT_MESH_FILE_H
#define TOPOMAP_MAP_SPLIT_MESH_FILE_H

#include "topomap/topomap.h"
#include "watch/watch.h"

/** Whether \p what is FILE,parts=N, and there is no file of that whole name.
 *  \param file  [size] FILE
 *  \return 1 if so; 0 otherwise, also where N is no number of parts */
int topomap_mesh_file(const char *what, char *file, size_t size, uint32_t *parts);

/** The same as topomap_graph_read_options() (topomap_graph_read_within(), where \p most is not 0:
 *  a pattern of more ranks is not made), and blocks of a file, by recursive bisection.
 *  \param watch  says how much of a file has been read; NULL: nobody looks */
int topomap_mesh_read(const char *what, uint32_t most, const char *format,
                      const char *const *option, topomap_watch *watch, topomap_graph **graph,
                      topomap_error *err);

#endif
