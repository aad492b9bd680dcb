/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of a graph's matrix: in a terminal, and as a file. */
#ifndef TOPOMAP_CLI_PICTURE_PICTURE_H
#define TOPOMAP_CLI_PICTURE_PICTURE_H

#include <stdio.h>

#include "draw/draw.h"
#include "graph/matrix.h"

/** How a terminal can show it. */
enum picture_colour {
    PICTURE_PLAIN, /**< characters, the heavier the more */
    PICTURE_256,   /**< xterm's 256 colours */
    PICTURE_TRUE,  /**< 24 bits */
};

typedef struct picture_screen {
    enum picture_colour colour;
    int halves; /**< two cells above each other in a character (U+2580), of UTF-8 terminals */
    unsigned columns;
} picture_screen;

typedef struct picture_rgb {
    unsigned char r, g, b;
} picture_rgb;

/** The colour of a strength from 0 to 1: dark blue to yellow, ever lighter, so that it can be read
 *  without red and green, and in grey. */
picture_rgb picture_colour_of(double strength);

/** How many cells a side fit on the screen. */
uint32_t picture_matrix_room(const picture_screen *screen, uint32_t ranks);
/** Lines of cells, with ranks at the edges, and a line with the scale. \p out is no safe stream. */
void picture_matrix_text(FILE *out, const picture_screen *screen, const topomap_matrix *matrix);
/** The same for a file. \param title  any bytes
 *  \param out  ends with topomap_draw_clear(), after a failure too */
int picture_matrix_draw(topomap_drawing *out, const topomap_matrix *matrix, const char *title,
                        topomap_error *err);

/** Shades of cells, and the colours of all; \p strength as topomap_matrix_strength() has it. */
uint8_t picture_shade(double strength);
const uint32_t *picture_ramp(void);

#endif
