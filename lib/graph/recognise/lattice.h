/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern of a communication graph, found from its edges alone: a Cartesian product of paths
 * (grid), rings (torus) and complete graphs (all-to-all in groups), or the strong product of paths
 * and rings (stencils with diagonals), also several copies of one, also with other edges in it. */
#ifndef TOPOMAP_GRAPH_RECOGNISE_LATTICE_H
#define TOPOMAP_GRAPH_RECOGNISE_LATTICE_H

#include "graph/graph.h"

enum { TOPOMAP_LATTICE_DIMS = 24 };

/** Weights along a dimension that differ by rounding only. */
#define TOPOMAP_LATTICE_ALIKE 0.99

enum topomap_lattice_kind {
    TOPOMAP_LATTICE_PATH,
    TOPOMAP_LATTICE_RING,
    TOPOMAP_LATTICE_CLIQUE,
    TOPOMAP_LATTICE_COPIES, /* no edges along this dimension */
};

typedef struct topomap_lattice {
    uint32_t ranks; /* of the graph */
    uint32_t cells; /* product of size[]; as many ranks have a place in the pattern */
    uint32_t dims;
    uint32_t size[TOPOMAP_LATTICE_DIMS];
    uint8_t kind[TOPOMAP_LATTICE_DIMS]; /* topomap_lattice_kind */
    uint32_t reach;                     /* neighbours differ in so many dimensions at most */
    uint32_t *cell;   /* [ranks] the first dimension varies fastest; UINT32_MAX: no place */
    double explained; /* share of the graph's edges that the pattern has */
    double present;   /* share of the pattern's edges that the graph has */
    double even;      /* share of the graph's weight that is left on the pattern's edges where all
                         of them along a dimension (or diagonal) have the same */
} topomap_lattice;

/** Finds the pattern of the first \p ranks vertices. Deterministic; the same pattern for shuffled
 *  ids, up to its symmetries. Near-linear in edges (times the degree where there are triangles).
 *  \return 0, with lattice->dims 0 where there is no pattern; -1 where memory is short */
int topomap_lattice_find(const topomap_weights *weights, uint32_t ranks, topomap_lattice *lattice,
                         topomap_error *err);
void topomap_lattice_clear(topomap_lattice *lattice);

static inline int topomap_lattice_exact(const topomap_lattice *lattice)
{
    return lattice->dims && lattice->explained == 1.0 && lattice->present == 1.0 &&
           lattice->even > TOPOMAP_LATTICE_ALIKE;
}

/** The pattern in the words of `graph generate`, for \p ranks ranks where these are not 0: its
 *  dimensions are then scaled alike, as evenly as the number divides.
 *  EUSAGE where no such shape exists. */
int topomap_lattice_words(const topomap_lattice *lattice, uint64_t ranks, char *text, size_t room,
                          topomap_error *err);

#endif
