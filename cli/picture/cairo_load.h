/* SPDX-License-Identifier: BSD-3-Clause */
/* cairo, which is loaded when a picture is wanted: it brings twenty libraries with it, an X11
 * client's among them, that no other command should wait for. */
#ifndef TOPOMAP_CLI_PICTURE_CAIRO_LOAD_H
#define TOPOMAP_CLI_PICTURE_CAIRO_LOAD_H

#include <cairo-pdf.h>
#include <cairo.h>

#include "topomap/topomap.h"

#define PICTURE_CAIRO(ROW)                                                                         \
    ROW(cairo_arc)                                                                                 \
    ROW(cairo_create)                                                                              \
    ROW(cairo_curve_to)                                                                            \
    ROW(cairo_destroy)                                                                             \
    ROW(cairo_fill)                                                                                \
    ROW(cairo_get_antialias)                                                                       \
    ROW(cairo_image_surface_create)                                                                \
    ROW(cairo_line_to)                                                                             \
    ROW(cairo_move_to)                                                                             \
    ROW(cairo_new_sub_path)                                                                        \
    ROW(cairo_paint)                                                                               \
    ROW(cairo_pdf_surface_create_for_stream)                                                       \
    ROW(cairo_pdf_surface_restrict_to_version)                                                     \
    ROW(cairo_pdf_surface_set_metadata)                                                            \
    ROW(cairo_rectangle)                                                                           \
    ROW(cairo_scale)                                                                               \
    ROW(cairo_select_font_face)                                                                    \
    ROW(cairo_set_antialias)                                                                       \
    ROW(cairo_set_dash)                                                                            \
    ROW(cairo_set_font_size)                                                                       \
    ROW(cairo_set_line_width)                                                                      \
    ROW(cairo_set_source_rgb)                                                                      \
    ROW(cairo_set_source_rgba)                                                                     \
    ROW(cairo_show_page)                                                                           \
    ROW(cairo_show_text)                                                                           \
    ROW(cairo_status)                                                                              \
    ROW(cairo_status_to_string)                                                                    \
    ROW(cairo_stroke)                                                                              \
    ROW(cairo_surface_destroy)                                                                     \
    ROW(cairo_surface_finish)                                                                      \
    ROW(cairo_surface_status)                                                                      \
    ROW(cairo_surface_write_to_png_stream)                                                         \
    ROW(cairo_text_extents)

struct picture_cairo {
#define PICTURE_ROW(name) __typeof__(&name) name;
    PICTURE_CAIRO(PICTURE_ROW)
#undef PICTURE_ROW
};

/** \return 0, or -1: TOPOMAP_EUSAGE, it is not installed */
int picture_cairo_load(struct picture_cairo *cairo, topomap_error *err);

#endif
