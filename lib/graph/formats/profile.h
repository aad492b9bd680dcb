/* SPDX-License-Identifier: BSD-3-Clause */
/* What measured traffic has in common, whoever measured it. */
#ifndef TOPOMAP_GRAPH_FORMATS_PROFILE_H
#define TOPOMAP_GRAPH_FORMATS_PROFILE_H

#include "graph/formats/io.h"

/** The row of `min-bytes`, for tables of options. */
#define TOPOMAP_PROFILE_MIN_BYTES                                                                  \
    {                                                                                              \
        "min-bytes", "N", "leaves out what sends less than N bytes to a rank in all (default 0)"   \
    }

/** Makes the graph of a profile: takes the arcs, leaves out what `min-bytes` says, refuses (EINPUT)
 *  what has no pair of ranks left, and notes where no pair stands out from the background. */
int topomap_profile_finish(const topomap_input *input, const topomap_graph_options *options,
                           topomap_arcs *arcs, uint64_t ranks, topomap_graph **graph,
                           topomap_error *err);
/** The first part alone: leaves out directed pairs of fewer bytes than `min-bytes`. */
int topomap_profile_filter(const topomap_graph_options *options, topomap_graph *graph,
                           topomap_error *err);

#endif
