/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture as a list of what is drawn, in the order of drawing: one description for all that
 * writes pictures (SVG here; what draws by cairo is the command's). Units are points, y goes down.
 * Functions that add return nothing: topomap_draw_check() says at the end whether memory was short.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "topomap/topomap.h"

/* ---- draw ---------------------------------------------------------------------- */

/** How things of a kind look. Lines have a width, what is filled has none. */
typedef struct topomap_draw_style {
    const char *name;         /**< a class of the SVG: letters and digits */
    uint32_t colour, on_dark; /**< 0xRRGGBB, on light and on dark ground */
    double width;
    double alpha;     /**< 0 is 1 */
    const char *dash; /**< "3 2", or NULL */
} topomap_draw_style;

enum topomap_draw_kind {
    TOPOMAP_DRAW_LINE,   /**< from (x, y) to (w, h) */
    TOPOMAP_DRAW_CURVE,  /**< the same, bent towards (cx, cy): quadratic */
    TOPOMAP_DRAW_RECT,   /**< of w and h */
    TOPOMAP_DRAW_CIRCLE, /**< of radius w around (x, y) */
    TOPOMAP_DRAW_TEXT,   /**< on (x, y) in a font of size w, h times its length left of x: 0 to 1 */
    TOPOMAP_DRAW_CELLS,  /**< a square of w: `cells` rows and columns, each a shade */
};

enum { TOPOMAP_DRAW_OWN = -1, TOPOMAP_DRAW_EMPTY = 255 };

typedef struct topomap_draw_item {
    enum topomap_draw_kind kind;
    int style;       /* of the drawing's; TOPOMAP_DRAW_OWN: it is filled with `colour` */
    uint32_t colour; /* 0xRRGGBB */
    double x, y, w, h, cx, cy;
    char *text; /* of texts; of others what is told where one points at it, or NULL; owned */
    uint32_t cells;
    uint8_t *shade;       /* [cells * cells] of cells; TOPOMAP_DRAW_EMPTY: none; owned */
    const uint32_t *ramp; /* [256] the colour of each shade; lent */
} topomap_draw_item;

typedef struct topomap_drawing {
    double width, height;            /* the caller's */
    char title[1024];                /* any bytes */
    const topomap_draw_style *style; /* lent; of texts, too: the first one whose name is "text" */
    size_t styles;
    topomap_draw_item *item;
    size_t items, room;
    int is_short; /* of memory */
} topomap_drawing;

void topomap_draw_clear(topomap_drawing *drawing);
/** -1: something is missing, for want of memory. */
int topomap_draw_check(const topomap_drawing *drawing, topomap_error *err);

/* \param tip  what it is, any bytes; or NULL */
void topomap_draw_line(topomap_drawing *drawing, int style, double x1, double y1, double x2,
                       double y2, const char *tip);
void topomap_draw_curve(topomap_drawing *drawing, int style, double x1, double y1, double x2,
                        double y2, double cx, double cy, const char *tip);
void topomap_draw_rect(topomap_drawing *drawing, int style, double x, double y, double w, double h,
                       const char *tip);
/** A filled one of a colour of its own. */
void topomap_draw_box(topomap_drawing *drawing, uint32_t colour, double x, double y, double w,
                      double h);
void topomap_draw_circle(topomap_drawing *drawing, int style, double x, double y, double radius,
                         const char *tip);
/** \param before  0: begins at x; 0.5: around it; 1: ends there */
void topomap_draw_text(topomap_drawing *drawing, int style, double x, double y, double size,
                       double before, const char *format, ...) TOPOMAP_PRINTF(7, 8);
/** \param shade  [cells * cells] is copied
 *  \param ramp   [256] lent */
void topomap_draw_cells(topomap_drawing *drawing, double x, double y, double side, uint32_t cells,
                        const uint8_t *shade, const uint32_t *ramp);

/** One SVG document, of which a page may have several.
 *  \param id  of its title: letters and digits */
void topomap_draw_svg(const topomap_drawing *drawing, const char *id, FILE *out);

/* ---- layout -------------------------------------------------------------------- */
/* Where the vertices of a network stand: in a grid by coordinates, in rows by levels, in a ring. */

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
