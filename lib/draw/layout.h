/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the vertices of a network stand: in a grid by coordinates, in rows by levels, in a ring. */
#ifndef TOPOMAP_DRAW_LAYOUT_H
#define TOPOMAP_DRAW_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct topomap_spot {
    double x, y;
} topomap_spot;

/** The first two dimensions are a slice; further ones go right and down by turns, slice beside
 *  slice, with a cell between two. \param at, size  [dimensions] */
topomap_spot topomap_draw_in_grid(const uint32_t *at, const uint32_t *size, uint32_t dimensions,
                                  double cell, double edge);

/** At an angle from the top, clockwise, on a circle around (middle, middle). */
topomap_spot topomap_draw_in_ring(double middle, double radius, double angle);

/** One of a row. */
typedef struct topomap_draw_place {
    double key; /* what they are in the order of; of equals the lower number comes first */
    uint32_t number;
    double x; /* out */
} topomap_draw_place;

/** Sorts them, and gives each the middle of its share of the width. */
void topomap_draw_row(topomap_draw_place *place, size_t count, double edge, double width);

#endif
