/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_GRAPH_FORMATS_TMG_IO_H
#define TOPOMAP_GRAPH_FORMATS_TMG_IO_H

#include "graph/formats/io.h"

/** 0 where this machine's numbers are little-endian, as the file's. */
int topomap_tmg_order(topomap_error *err);
int topomap_tmg_write(const topomap_graph *graph, FILE *file, topomap_error *err);

#endif
