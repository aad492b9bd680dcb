/* SPDX-License-Identifier: BSD-3-Clause */
/* What formats of undirected graphs share: each edge stands at both of its ends. */
#ifndef TOPOMAP_GRAPH_FORMATS_UNDIRECTED_H
#define TOPOMAP_GRAPH_FORMATS_UNDIRECTED_H

#include "graph/graph.h"
#include "util/input.h"

/** A graph that is read vertex by vertex. Starts with input and base, all else zeros. */
typedef struct topomap_undirected {
    topomap_input *input;
    uint64_t base; /* the first vertex as the file has it */
    topomap_graph *graph;
    uint64_t ranks, entries; /* promised by the header; entries is twice the edges */
    int loads;               /* vertices have weights */
    size_t *line;            /* [ranks] where each vertex stands, for messages */
    size_t vertex_room;      /* of the arrays of vertices that are here */
    size_t entry_room;       /* of those of arcs */
    uint64_t *cursor;        /* [ranks] the next arc of each row that has no way back yet */
} topomap_undirected;

/** Begins: what the file can hold (topomap_input_most) is known then. */
int topomap_undirected_open(topomap_undirected *in, topomap_error *err);
/** Memory for what the header promises, where the size of the file vouches for it; packed files
 *  vouch for nothing, and their arrays grow as lines come. */
int topomap_undirected_reserve(topomap_undirected *in, topomap_error *err);

/** Makes room for vertex \p u: its line, its weight and offset[u + 1]. */
int topomap_undirected_vertex(topomap_undirected *in, uint64_t u, topomap_error *err);
/** Makes room for one arc more. */
int topomap_undirected_entry(topomap_undirected *in, topomap_error *err);
/** Adds to a sum over all vertices of \p what, "weights" or "sizes". EINPUT from 2^63 on. */
int topomap_undirected_sum(const topomap_undirected *in, const char *what, uint64_t value,
                           uint64_t *total, topomap_error *err);
/** Sorts the row of vertex \p u, which ends at \p end, by target. EINPUT where a target is there
 *  twice. */
int topomap_undirected_sort(topomap_undirected *in, uint64_t u, uint64_t end, topomap_error *err);

/** Ends with the graph, unless \p status says that something was wrong before. Finds for each arc
 *  its way back and splits the weight of the edge between the two: the half rounded up goes from
 *  the smaller id. Rows ascend. */
int topomap_undirected_close(topomap_undirected *in, int status, topomap_graph **graph,
                             topomap_error *err);

#endif
