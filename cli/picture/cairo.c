/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawings by cairo, on light ground. */
#include "config.h"
#include "cli/picture/paper.h"

#ifdef HAVE_CAIRO
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picture/cairo_load.h"
#include "util/safe_text.h"

static struct picture_cairo cairo;

#define cairo_arc (cairo.cairo_arc)
#define cairo_create (cairo.cairo_create)
#define cairo_curve_to (cairo.cairo_curve_to)
#define cairo_destroy (cairo.cairo_destroy)
#define cairo_fill (cairo.cairo_fill)
#define cairo_get_antialias (cairo.cairo_get_antialias)
#define cairo_image_surface_create (cairo.cairo_image_surface_create)
#define cairo_line_to (cairo.cairo_line_to)
#define cairo_move_to (cairo.cairo_move_to)
#define cairo_new_sub_path (cairo.cairo_new_sub_path)
#define cairo_paint (cairo.cairo_paint)
#define cairo_pdf_surface_create_for_stream (cairo.cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_restrict_to_version (cairo.cairo_pdf_surface_restrict_to_version)
#define cairo_pdf_surface_set_metadata (cairo.cairo_pdf_surface_set_metadata)
#define cairo_rectangle (cairo.cairo_rectangle)
#define cairo_scale (cairo.cairo_scale)
#define cairo_select_font_face (cairo.cairo_select_font_face)
#define cairo_set_antialias (cairo.cairo_set_antialias)
#define cairo_set_dash (cairo.cairo_set_dash)
#define cairo_set_font_size (cairo.cairo_set_font_size)
#define cairo_set_line_width (cairo.cairo_set_line_width)
#define cairo_set_source_rgb (cairo.cairo_set_source_rgb)
#define cairo_set_source_rgba (cairo.cairo_set_source_rgba)
#define cairo_show_page (cairo.cairo_show_page)
#define cairo_show_text (cairo.cairo_show_text)
#define cairo_status (cairo.cairo_status)
#define cairo_status_to_string (cairo.cairo_status_to_string)
#define cairo_stroke (cairo.cairo_stroke)
#define cairo_surface_destroy (cairo.cairo_surface_destroy)
#define cairo_surface_finish (cairo.cairo_surface_finish)
#define cairo_surface_status (cairo.cairo_surface_status)
#define cairo_surface_write_to_png_stream (cairo.cairo_surface_write_to_png_stream)
#define cairo_text_extents (cairo.cairo_text_extents)

/* Pixels a side: cairo's image surfaces end at 32,767, and memory goes with the square. */
enum { SIDE_MOST = 16384, SCALE = 2, TEXT = 2048 };

static void set_colour(cairo_t *to, uint32_t colour, double alpha)
{
    cairo_set_source_rgba(to, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha > 0 ? alpha : 1);
}

/* "3 2" */
static void set_dash(cairo_t *to, const char *text)
{
    double dash[8];
    int count = 0;

    for (char *end; text && *text && count < 8; text = end) {
        dash[count] = strtod(text, &end);
        if (end == text)
            break;
        count++;
    }
    cairo_set_dash(to, dash, count, 0);
}

static void set_look(cairo_t *to, const topomap_drawing *d, const topomap_draw_item *item)
{
    const topomap_draw_style *style;

    if (item->style == TOPOMAP_DRAW_OWN) {
        set_colour(to, item->colour, 1);
        return;
    }
    style = &d->style[item->style];
    set_colour(to, style->colour, style->alpha);
    cairo_set_line_width(to, style->width);
    set_dash(to, style->dash);
}

static void finish(cairo_t *to, const topomap_drawing *d, const topomap_draw_item *item)
{
    if (item->style != TOPOMAP_DRAW_OWN && d->style[item->style].width > 0)
        cairo_stroke(to);
    else
        cairo_fill(to);
}

/* What a font has no character for, and what is no text at all, is shown. */
static void put_text(cairo_t *to, const topomap_draw_item *item)
{
    cairo_text_extents_t extents;
    char text[TEXT];

    snprintf(text, sizeof text, "%s", item->text ? item->text : "");
    topomap_safe_line(text, sizeof text);
    cairo_set_font_size(to, item->w);
    cairo_text_extents(to, text, &extents);
    cairo_move_to(to, item->x - item->h * extents.x_advance, item->y);
    cairo_show_text(to, text);
}

/* Neighbours of a row are one box; without blurred edges between two. */
static void put_cells(cairo_t *to, const topomap_draw_item *item)
{
    double side = item->cells ? item->w / item->cells : 0;
    cairo_antialias_t before = cairo_get_antialias(to);

    cairo_set_antialias(to, CAIRO_ANTIALIAS_NONE);
    for (uint32_t row = 0; row < item->cells; row++) {
        const uint8_t *cell = item->shade + (size_t)row * item->cells;

        for (uint32_t column = 0, end; column < item->cells; column = end) {
            for (end = column + 1; end < item->cells && cell[end] == cell[column];)
                end++;
            if (cell[column] == TOPOMAP_DRAW_EMPTY)
                continue;
            set_colour(to, item->ramp[cell[column]], 1);
            cairo_rectangle(to, item->x + column * side, item->y + row * side,
                            (end - column) * side, side);
            cairo_fill(to);
        }
    }
    cairo_set_antialias(to, before);
}

static void put_item(cairo_t *to, const topomap_drawing *d, const topomap_draw_item *item)
{
    set_look(to, d, item);
    switch (item->kind) {
    case TOPOMAP_DRAW_LINE:
        cairo_move_to(to, item->x, item->y);
        cairo_line_to(to, item->w, item->h);
        cairo_stroke(to);
        break;
    case TOPOMAP_DRAW_CURVE: /* a quadratic one as a cubic one */
        cairo_move_to(to, item->x, item->y);
        cairo_curve_to(to, item->x + 2.0 / 3 * (item->cx - item->x),
                       item->y + 2.0 / 3 * (item->cy - item->y),
                       item->w + 2.0 / 3 * (item->cx - item->w),
                       item->h + 2.0 / 3 * (item->cy - item->h), item->w, item->h);
        cairo_stroke(to);
        break;
    case TOPOMAP_DRAW_RECT:
        cairo_rectangle(to, item->x, item->y, item->w, item->h);
        finish(to, d, item);
        break;
    case TOPOMAP_DRAW_CIRCLE:
        cairo_new_sub_path(to);
        cairo_arc(to, item->x, item->y, item->w, 0, 2 * acos(-1));
        finish(to, d, item);
        break;
    case TOPOMAP_DRAW_TEXT:
        put_text(to, item);
        break;
    case TOPOMAP_DRAW_CELLS:
        put_cells(to, item);
        break;
    }
}

/* Ends the surface. */
static int draw(cairo_surface_t *surface, const topomap_drawing *d, double scale,
                topomap_error *err)
{
    cairo_t *to = cairo_create(surface);
    cairo_status_t status;

    cairo_scale(to, scale, scale);
    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    cairo_select_font_face(to, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    for (size_t i = 0; i < d->items; i++)
        put_item(to, d, &d->item[i]);
    cairo_show_page(to);
    status = cairo_status(to);
    cairo_destroy(to);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM,
                                   "cairo cannot draw a picture of %.0f x %.0f: %s", d->width,
                                   d->height, cairo_status_to_string(status));
}

static cairo_status_t put_bytes(void *out, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, out) == length ? CAIRO_STATUS_SUCCESS
                                                   : CAIRO_STATUS_WRITE_ERROR;
}

/* What the stream did not take is told by who ends it. */
static int conclude(cairo_status_t status, topomap_error *err)
{
    return status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "cairo cannot write a picture: %s",
                                   cairo_status_to_string(status));
}

int picture_png(const topomap_drawing *d, FILE *out, topomap_error *err)
{
    double side = fmax(1, fmax(d->width, d->height)), scale = fmin(SCALE, SIDE_MOST / side);
    cairo_surface_t *surface;
    int result;

    if (picture_cairo_load(&cairo, err))
        return -1;
    surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)fmax(1, ceil(d->width * scale)),
                                         (int)fmax(1, ceil(d->height * scale)));
    result = draw(surface, d, scale, err);
    if (result == 0)
        result = conclude(cairo_surface_write_to_png_stream(surface, put_bytes, out), err);
    cairo_surface_destroy(surface);
    return result;
}

int picture_pdf(const topomap_drawing *d, FILE *out, topomap_error *err)
{
    cairo_surface_t *surface;
    char title[TEXT];
    int result;

    if (picture_cairo_load(&cairo, err))
        return -1;
    surface = cairo_pdf_surface_create_for_stream(put_bytes, out, d->width, d->height);
    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
    snprintf(title, sizeof title, "%s", d->title);
    topomap_safe_line(title, sizeof title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    result = draw(surface, d, 1, err);
    cairo_surface_finish(surface);
    if (result == 0)
        result = conclude(cairo_surface_status(surface), err);
    cairo_surface_destroy(surface);
    return result;
}

#else

static int refuse(topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "this topomap was built without cairo, which draws PNG and PDF: write "
                             "FILE.svg, or build it where libcairo2-dev is installed");
}

int picture_png(const topomap_drawing *drawing, FILE *out, topomap_error *err)
{
    (void)drawing, (void)out;
    return refuse(err);
}

int picture_pdf(const topomap_drawing *drawing, FILE *out, topomap_error *err)
{
    (void)drawing, (void)out;
    return refuse(err);
}

#endif
