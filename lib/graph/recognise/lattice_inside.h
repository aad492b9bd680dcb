/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of lattice recognition share. */
#ifndef TOPOMAP_GRAPH_RECOGNISE_LATTICE_INSIDE_H
#define TOPOMAP_GRAPH_RECOGNISE_LATTICE_INSIDE_H

#include "graph/recognise/lattice_grow.h"

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

/** Sets of ranks that have most of their neighbours, and themselves, in common. Starts as zeros. */
typedef struct topomap_groups {
    uint32_t *group, *place; /* [ranks] which group, UINT32_MAX without neighbours; which of it */
    uint32_t count, size;    /* of one size; count 0 where they are not */
    uint32_t smaller;        /* size of the only one that is smaller, or 0 */
} topomap_groups;
/** \p alike: per cent of a rank's neighbours. */
int topomap_groups_open(const topomap_weights *weights, uint32_t ranks, uint32_t alike,
                        topomap_groups *groups, topomap_error *err);
void topomap_groups_clear(topomap_groups *groups);
#define TOPOMAP_GROUPS_ALIKE 70

/** Groups that have all their traffic inside, noise apart; 1 if that is what the graph is, 0 if
 *  not, -1 on failure. */
int topomap_lattice_groups(const topomap_weights *weights, uint32_t ranks, topomap_lattice *lattice,
                           topomap_error *err);
/** A graph whose ranks come in sets of one size with the same neighbours, the set itself included;
 *  likewise. */
int topomap_lattice_twins(const topomap_weights *weights, uint32_t ranks, topomap_lattice *lattice,
                          topomap_error *err);
/** Fills explained, present and reach. */
void topomap_lattice_fit(topomap_lattice *lattice, const topomap_weights *weights);
/** Fills even, by the shape and cells; explained to reach are filled. */
int topomap_lattice_weigh(topomap_lattice *lattice, const topomap_weights *weights,
                          topomap_error *err);
/** Whether it explains enough, by its edges and by their weights. */
int topomap_lattice_holds(const topomap_lattice *lattice);
/** Coordinates of a cell. */
void topomap_lattice_at(const topomap_lattice *lattice, uint32_t cell, uint32_t *at);
/** In how many dimensions two cells differ that are next to each other, diagonals included;
 *  UINT32_MAX where they are not. */
uint32_t topomap_lattice_differ(const topomap_lattice *lattice, const uint32_t *a,
                                const uint32_t *b);
/** The dimension along which two cells are next to each other; dims where they are so only across
 *  a diagonal; UINT32_MAX where they are not. */
uint32_t topomap_lattice_along(const topomap_lattice *lattice, const uint32_t *a,
                               const uint32_t *b);

/** The arcs of a graph both of whose ends have a place, one after the other. Starts with the first
 *  four, all else zeros. */
typedef struct topomap_walk {
    const topomap_lattice *lattice;
    const uint64_t *offset;
    const uint32_t *target;
    int upwards; /* those from u to v > u only */
    uint32_t u, v, a[TOPOMAP_LATTICE_DIMS], b[TOPOMAP_LATTICE_DIMS]; /* coordinates of u, v */
    uint64_t arc, next;
} topomap_walk;
/** \return 0 behind the last one */
int topomap_walk_next(topomap_walk *walk);

/** Makes rings of four of the pairs of dimensions of two that have no diagonal edges between them,
 *  where there are diagonal edges. */
void topomap_lattice_rings_of_four(topomap_lattice *lattice, const topomap_weights *weights);
/** Makes rings of lines whose ends are joined nearly everywhere. */
void topomap_lattice_close_rings(topomap_lattice *lattice, const topomap_weights *weights);
/** Gives a lattice that fits its usual form: rings of four instead of two pairs, the ranks' own
 *  numbering where there is one, else long dimensions first.
 *  \return whether more than the order of dimensions has changed, so that it is to be weighed */
int topomap_lattice_tidy(topomap_lattice *lattice, const topomap_weights *weights);

#endif
