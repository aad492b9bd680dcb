/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of lattice recognition share. */
#ifndef TOPOMAP_GRAPH_LATTICE_INSIDE_H
#define TOPOMAP_GRAPH_LATTICE_INSIDE_H

#include "graph/lattice_grow.h"

void topomap_rows_clear(topomap_rows *rows);
/** The edges of at least this weight. */
int topomap_rows_heavy(const topomap_weights *weights, uint32_t ranks, uint64_t least,
                       topomap_rows *rows, topomap_error *err);
/** The Cartesian skeleton: of a strong product, the edges along one dimension (Hammack, Imrich,
 *  Klavzar, "Handbook of product graphs", ch. 8), by numbers of common neighbours instead of their
 *  sets. rows->vertices stays 0 where the graph has too few triangles to be one. */
int topomap_rows_skeleton(const topomap_rows *all, topomap_rows *rows, topomap_error *err);

/** A claim needs this share of the graph's edges in the pattern and of the pattern's in the
 *  graph. */
#define TOPOMAP_LATTICE_LEAST 0.8

/** Groups that have all their traffic inside, noise apart; 1 if that is what the graph is, 0 if
 *  not, -1 on failure. */
int topomap_lattice_groups(const topomap_weights *weights, uint32_t ranks, topomap_lattice *lattice,
                           topomap_error *err);
/** Fills explained, present and diagonals. */
void topomap_lattice_fit(topomap_lattice *lattice, const topomap_weights *weights);
/** Coordinates of a cell. */
void topomap_lattice_at(const topomap_lattice *lattice, uint32_t cell, uint32_t *at);
/** The dimension along which two cells are next to each other; dims where they are so only across
 *  a diagonal; UINT32_MAX where they are not. */
uint32_t topomap_lattice_along(const topomap_lattice *lattice, const uint32_t *a,
                               const uint32_t *b);

/** Gives a lattice that fits its usual form: rings of four instead of two pairs, the ranks' own
 *  numbering where there is one, else long dimensions first. */
void topomap_lattice_tidy(topomap_lattice *lattice, const topomap_weights *weights);

#endif
