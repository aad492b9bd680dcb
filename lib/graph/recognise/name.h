/* SPDX-License-Identifier: BSD-3-Clause */
/* The words for what a graph is, in those of `graph generate`. Each returns 1 where it has them and
 * *found is filled, 0 where not, -1 on failure. `ranks` 0, or a number of ranks to name the same
 * pattern for: EUSAGE where it has no such shape. */
#pragma once

#include <string.h>

#include "graph/graph.h"
#include "graph/recognise/lattice.h"
#include "topomap/topomap.h"

/* ---- name ---------------------------------------------------------------------- */

/** A lattice whose dimensions differ by what goes along them and which way: the training of
 *  transformers, a wavefront. *found has the lattice's fit already. */
int topomap_name_directed(const topomap_graph *graph, const topomap_lattice *lattice,
                          uint64_t ranks, topomap_recognition *found, topomap_error *err);
/** All-to-all groups of which one is smaller than the others. */
int topomap_name_groups(const topomap_weights *weights, uint32_t ranks, uint64_t scaled,
                        topomap_recognition *found, topomap_error *err);
/** Patterns that are no lattices: trees, masters, butterflies, the NAS benchmarks, training with
 *  context or expert parallel ranks. They are made for as many ranks and compared, rank by rank and
 *  with the ranks renamed. Replaces *found where that fits worse. */
int topomap_name_known(const topomap_graph *graph, const topomap_weights *weights, uint64_t ranks,
                       topomap_recognition *found, topomap_error *err);

/** A graph whose edges are of different kinds: label [arcs], or NULL. */
typedef struct topomap_labelled {
    topomap_rows rows;
    uint32_t *label;
} topomap_labelled;
/** Whether two graphs are the same but for the vertices' names: 1, 0 (also where that would take
 *  long to see), -1 on failure. \p map [vertices]: b's vertex for each of a's; of trees
 *  TOPOMAP_LATTICE_NONE throughout, which are compared without. */
int topomap_labelled_same(const topomap_labelled *a, const topomap_labelled *b, uint32_t *map,
                          topomap_error *err);

/** Whether the words say what a program does: no mere products, nor grids two wide throughout. */
static inline int topomap_name_is_plain(const topomap_recognition *found)
{
    uint32_t two = 0;

    for (uint32_t k = 0; k < found->dims; k++)
        two += found->size[k] == 2;
    return strncmp(found->text, "product:", 8) != 0 && two < found->dims;
}

/* ---- heavy edges --------------------------------------------------------------- */
/* What a program mainly does, without the light messages beside it. */

/** The graph without the pairs that exchange next to nothing, such as a profile's barriers and
 *  reductions: less than 1/32 of what the pair has that the median byte goes between, where all
 *  these together have a twentieth of the bytes at most; else every pair stays. Deterministic,
 *  O(arcs log arcs). \p heavy ends with topomap_graph_free(); it has ranks, bytes and messages
 * only. */
int topomap_graph_heavy(const topomap_graph *graph, topomap_graph **heavy, topomap_error *err);
/** The same of weights. \p heavy ends with topomap_weights_clear(); it has as many vertices.
 *  \return 1 if some pairs were light, 0 if none was and nothing is made, -1 on failure */
int topomap_weights_heavy(const topomap_weights *weights, topomap_weights *heavy,
                          topomap_error *err);
