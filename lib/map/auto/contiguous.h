/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which every node keeps consecutive ranks. */
#ifndef TOPOMAP_MAP_AUTO_CONTIGUOUS_H
#define TOPOMAP_MAP_AUTO_CONTIGUOUS_H

#include "map/problem.h"

/** Only blocks move: the ranks in order are cut into blocks as large as the nodes, and it is sought
 *  which node gets which block. options->algorithm maps the graph between blocks to the nodes; then
 *  nodes of equal size change their blocks, and ranks their slots inside their node. The baseline
 *  is a candidate where it is contiguous itself. Fills the mapping as topomap_portfolio_run(). */
int topomap_contiguous_run(topomap_problem *problem, const topomap_map_options *options,
                           topomap_mapping *mapping, topomap_error *err);

#endif
