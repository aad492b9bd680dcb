/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: at each vertex, which neighbour lies in which direction. A frame found at one vertex
 * spreads over the graph, since two steps in different dimensions close exactly one square. */
#ifndef TOPOMAP_GRAPH_RECOGNISE_LATTICE_GROW_H
#define TOPOMAP_GRAPH_RECOGNISE_LATTICE_GROW_H

#include "graph/recognise/lattice.h"

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

#endif
