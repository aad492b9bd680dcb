/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern of a communication graph, found from its edges alone: a Cartesian product of paths
 * (grid), rings (torus) and complete graphs (all-to-all in groups), or the strong product of paths
 * and rings (stencils with diagonals), also several copies of one, also with other edges in it. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* ---- lattice ------------------------------------------------------------------- */

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
typedef int topomap_lattice_finder(const topomap_weights *weights, uint32_t ranks,
                                   topomap_lattice *lattice, topomap_error *err);
topomap_lattice_finder topomap_lattice_find;

static inline void topomap_lattice_clear(topomap_lattice *lattice)
{
    free(lattice->cell);
    memset(lattice, 0, sizeof *lattice);
}

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

/* ---- lattice grow -------------------------------------------------------------- */
/* Frames: at each vertex, which neighbour lies in which direction. A frame found at one vertex
 * spreads over the graph, since two steps in different dimensions close exactly one square. */

#define TOPOMAP_LATTICE_NONE UINT32_MAX

/** A graph without weights, rows ascending, each pair in both rows. */
typedef struct topomap_rows {
    uint32_t vertices;
    uint64_t *offset;
    uint32_t *target;
} topomap_rows;

/** The directions at a vertex. A line has two (back, forth), a clique one a member, the vertex's
 *  own place among them. */
typedef struct topomap_frame {
    uint32_t dims, slots;
    uint8_t kind[TOPOMAP_LATTICE_DIMS];       /* PATH (or ring, not known yet) or CLIQUE */
    uint32_t first[TOPOMAP_LATTICE_DIMS + 1]; /* slot */
    uint32_t *seed;                           /* [slots] the neighbours of the first vertex */
} topomap_frame;

/** The frame at a vertex, from how its neighbours are joined: neighbours that differ in dimension
 *  have one more common neighbour, members of a clique are adjacent, opposite ones are neither.
 *  Neighbours that fit in nowhere are left out as noise.
 *  \return 1 if the vertex has a frame, 0 if not, -1 on failure */
int topomap_frame_at(const topomap_rows *rows, uint32_t vertex, topomap_frame *frame,
                     topomap_error *err);
/** Rows of so many times the vertex's neighbours are not walked but searched. */
enum { TOPOMAP_FRAME_HUB = 16 };
void topomap_frame_clear(topomap_frame *frame);

/** One connected piece of a product. Starts as all zeros. */
typedef struct topomap_piece {
    uint32_t dims, count;
    uint32_t size[TOPOMAP_LATTICE_DIMS];
    uint8_t kind[TOPOMAP_LATTICE_DIMS];
    uint32_t *vertex; /* [count] */
    uint32_t *at;     /* [count * dims] coordinates from 0, below size */
} topomap_piece;

/** Spreads the frame from \p vertex. \p taken [vertices]: those of other pieces, left alone.
 *  \return 1 if a piece grew, 0 if the graph is no product there, -1 on failure */
int topomap_piece_grow(const topomap_rows *rows, uint32_t vertex, const topomap_frame *frame,
                       const uint8_t *taken, topomap_piece *piece, topomap_error *err);
void topomap_piece_clear(topomap_piece *piece);

/** How many of the first \p most common neighbours of a and b other than \p skip there are; they
 *  are put to \p common. */
uint32_t topomap_rows_common(const topomap_rows *rows, uint32_t a, uint32_t b, uint32_t skip,
                             uint32_t *common, uint32_t most);

/* ---- Shared by the lattice_*.c files ---------------------------------------- */

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
 *  likewise. \p find finds the pattern of the graph of these sets: topomap_lattice_find(). */
int topomap_lattice_twins(const topomap_weights *weights, uint32_t ranks,
                          topomap_lattice_finder *find, topomap_lattice *lattice,
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
