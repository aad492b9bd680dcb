/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawings as files. */
#ifndef TOPOMAP_CLI_PICTURE_PAPER_H
#define TOPOMAP_CLI_PICTURE_PAPER_H

#include "draw/draw.h"

/** Nonzero: the name ends in that of a format that there is, whether this build writes it or not.
 */
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

#endif
