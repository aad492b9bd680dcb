/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of a sparse matrix-vector product exchange: each has some rows of the matrix and
 * the entries of the vector that go with them, and needs the entries that its rows' columns name.
 */
#ifndef TOPOMAP_GRAPH_FORMATS_HALO_H
#define TOPOMAP_GRAPH_FORMATS_HALO_H

#include "graph/formats/io.h"

/** The rows of these, for tables of options. */
#define TOPOMAP_HALO_OPTIONS                                                                       \
    {"rows-per-rank", "K", "the halo exchange of the matrix: rank r has K rows from r * K on"},    \
        {"partition", "FILE", "the same, line i being the rank that has row i, from 0"},           \
        {"parts", "P", "the same, P ranks with as many rows each, divided by METIS"},              \
    {                                                                                              \
        "value-bytes", "N", "bytes of an entry of the vector (default 8)"                          \
    }

/** Nonzero where the options ask for a halo exchange. */
int topomap_halo_asked(const topomap_graph_options *options);
/** The graph of the exchange.
 *  \param matrix  an arc from row to column for each entry off the diagonal, of 1 byte or more */
int topomap_halo_make(const topomap_graph *matrix, const topomap_graph_options *options,
                      topomap_graph **graph, topomap_error *err);

#endif
