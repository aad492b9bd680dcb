/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: a graph's matrix in a terminal and drawn, and drawings as files. */
#pragma once

#include <stdio.h>

#include "draw/draw.h"
#include "graph/graph.h"

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

/** Nonzero: the name ends in that of a format, whether this build writes it or not. */
int picture_is_format(const char *path);
/** "FILE.svg, FILE.png or FILE.pdf" */
extern const char picture_formats[];

/** Writes a drawing in the format that the name ends in, whole or not at all. A PNG is as large as
 *  the drawing is in points, or an integral number of times that, so that it is read; one that
 * would be too large is made smaller. A PDF is one page of the drawing's size. TOPOMAP_EUSAGE:
 * topomap was built without cairo, which draws PNG and PDF. */
int picture_write(const topomap_drawing *drawing, const char *path, topomap_error *err);

/** The same onto a stream. \return 0, or -1 with the error. Both take names for what they are: they
 *  are shown, and nothing in them is run. */
int picture_png(const topomap_drawing *drawing, FILE *out, topomap_error *err);
int picture_pdf(const topomap_drawing *drawing, FILE *out, topomap_error *err);
