/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication graph's own memory, for lib/ only. */
#ifndef TOPOMAP_GRAPH_H
#define TOPOMAP_GRAPH_H

#include "topomap/topomap.h"
#include "util/input.h"

/** Directed arcs in compressed rows. Rows ascend by target; no self-loops; no duplicates.
 *  An arc of 0 bytes is kept where the file lists it (it is still a neighbour). */
struct topomap_graph {
    uint32_t ranks;
    uint64_t arcs;
    uint64_t *offset;   /* [ranks + 1] */
    uint32_t *target;   /* [arcs] */
    uint64_t *bytes;    /* [arcs] */
    uint64_t *messages; /* [arcs] or NULL */
    uint64_t *load;     /* [ranks] computation of each rank (METIS vertex weight), or NULL */
    char *pattern;      /* or NULL */
};

/** A graph under construction: arcs in any order. Sums that pass 2^63 are an input error. */
typedef struct topomap_arcs {
    size_t count, capacity_from, capacity_to, capacity_bytes, capacity_messages;
    uint32_t *from, *to;
    uint64_t *bytes, *messages; /* messages stays NULL until one is given */
    int has_messages;
} topomap_arcs;

int topomap_arcs_add(topomap_arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes,
                     uint64_t messages, topomap_error *err);
void topomap_arcs_clear(topomap_arcs *arcs);
/** Takes the arcs (they are cleared, on failure too). \p ranks 0: largest id + 1. */
int topomap_arcs_take(topomap_arcs *arcs, uint32_t ranks, topomap_graph **graph,
                      topomap_error *err);

/** The undirected view that mapping works on: w(u,v) = bytes u->v + bytes v->u, rows ascending,
 *  each pair in both rows. Pairs of weight 0 are left out. Fixed number of vertices \p vertices
 *  >= ranks: the extra ones have no edges (empty slots of the machine). */
typedef struct topomap_weights {
    uint32_t vertices;
    uint64_t *offset;  /* [vertices + 1] */
    uint32_t *target;  /* [offset[vertices]] */
    uint64_t *weight;  /* [offset[vertices]] */
    uint64_t total;    /* sum over undirected pairs */
} topomap_weights;

int topomap_weights_new(const topomap_graph *graph, uint32_t vertices, topomap_weights *weights,
                        topomap_error *err);
void topomap_weights_clear(topomap_weights *weights);

/** One row of the table behind topomap_graph_formats(). */
struct topomap_graph_io {
    topomap_graph_format row;
    /** Nonzero if the first bytes look like this format; NULL: never by content. */
    int (*recognise)(const char *bytes, size_t size);
    int (*read)(topomap_input *input, topomap_graph **graph, topomap_error *err);
    int (*write)(const topomap_graph *graph, FILE *out, topomap_error *err);
};

#endif
