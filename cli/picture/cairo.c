/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawings by cairo, on light ground. */
#include "config.h"
#include "cli/picture/picture.h"

#ifdef HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "util/safe_text.h"

/* cairo is loaded when a picture is wanted: it brings twenty libraries with it, an X11 client's
 * among them, that no other command should wait for. */
#define FUNCTIONS(ROW)                                                                             \
    ROW(arc)                                                                                       \
    ROW(create)                                                                                    \
    ROW(curve_to)                                                                                  \
    ROW(destroy)                                                                                   \
    ROW(fill)                                                                                      \
    ROW(get_antialias)                                                                             \
    ROW(image_surface_create)                                                                      \
    ROW(line_to)                                                                                   \
    ROW(move_to)                                                                                   \
    ROW(new_sub_path)                                                                              \
    ROW(paint)                                                                                     \
    ROW(pdf_surface_create_for_stream)                                                             \
    ROW(pdf_surface_restrict_to_version)                                                           \
    ROW(pdf_surface_set_metadata)                                                                  \
    ROW(rectangle)                                                                                 \
    ROW(scale)                                                                                     \
    ROW(select_font_face)                                                                          \
    ROW(set_antialias)                                                                             \
    ROW(set_dash)                                                                                  \
    ROW(set_font_size)                                                                             \
    ROW(set_line_width)                                                                            \
    ROW(set_source_rgb)                                                                            \
    ROW(set_source_rgba)                                                                           \
    ROW(show_page)                                                                                 \
    ROW(show_text)                                                                                 \
    ROW(status)                                                                                    \
    ROW(status_to_string)                                                                          \
    ROW(stroke)                                                                                    \
    ROW(surface_destroy)                                                                           \
    ROW(surface_finish)                                                                            \
    ROW(surface_status)                                                                            \
    ROW(surface_write_to_png_stream)                                                               \
    ROW(text_extents)

static struct {
#define ROW(name) __typeof__(&cairo_##name) name;
    FUNCTIONS(ROW)
#undef ROW
} cairo;

static int load_cairo(topomap_error *err)
{
    void *library =
        dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL); /* kept until the process ends */

    if (!library)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE,
            "cairo, which draws PNG and PDF, is not here (%.200s): write FILE.svg, "
            "or install libcairo2",
            dlerror());
#define ROW(name)                                                                                  \
    *(void **)&cairo.name = dlsym(library, "cairo_" #name);                                        \
    if (!cairo.name)                                                                               \
        return topomap_error_set(err, TOPOMAP_EUSAGE,                                              \
                                 "this cairo is too old: it has no cairo_" #name);
    FUNCTIONS(ROW)
#undef ROW
    return 0;
}

/* Pixels a side: cairo's image surfaces end at 32,767, and memory goes with the square. */
enum { SIDE_MOST = 16384, SCALE = 2, TEXT = 2048 };

static void set_colour(cairo_t *to, uint32_t colour, double alpha)
{
    cairo.set_source_rgba(to, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
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
    cairo.set_dash(to, dash, count, 0);
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
    cairo.set_line_width(to, style->width);
    set_dash(to, style->dash);
}

static void finish(cairo_t *to, const topomap_drawing *d, const topomap_draw_item *item)
{
    if (item->style != TOPOMAP_DRAW_OWN && d->style[item->style].width > 0)
        cairo.stroke(to);
    else
        cairo.fill(to);
}

/* What a font has no character for, and what is no text at all, is shown. */
static void put_text(cairo_t *to, const topomap_draw_item *item)
{
    cairo_text_extents_t extents;
    char text[TEXT];

    snprintf(text, sizeof text, "%s", item->text ? item->text : "");
    topomap_safe_line(text, sizeof text);
    cairo.set_font_size(to, item->w);
    cairo.text_extents(to, text, &extents);
    cairo.move_to(to, item->x - item->h * extents.x_advance, item->y);
    cairo.show_text(to, text);
}

/* Neighbours of a row are one box; without blurred edges between two. */
static void put_cells(cairo_t *to, const topomap_draw_item *item)
{
    double side = item->cells ? item->w / item->cells : 0;
    cairo_antialias_t before = cairo.get_antialias(to);

    cairo.set_antialias(to, CAIRO_ANTIALIAS_NONE);
    for (uint32_t row = 0; row < item->cells; row++) {
        const uint8_t *cell = item->shade + (size_t)row * item->cells;

        for (uint32_t column = 0, end; column < item->cells; column = end) {
            for (end = column + 1; end < item->cells && cell[end] == cell[column];)
                end++;
            if (cell[column] == TOPOMAP_DRAW_EMPTY)
                continue;
            set_colour(to, item->ramp[cell[column]], 1);
            cairo.rectangle(to, item->x + column * side, item->y + row * side,
                            (end - column) * side, side);
            cairo.fill(to);
        }
    }
    cairo.set_antialias(to, before);
}

static void put_item(cairo_t *to, const topomap_drawing *d, const topomap_draw_item *item)
{
    set_look(to, d, item);
    switch (item->kind) {
    case TOPOMAP_DRAW_LINE:
        cairo.move_to(to, item->x, item->y);
        cairo.line_to(to, item->w, item->h);
        cairo.stroke(to);
        break;
    case TOPOMAP_DRAW_CURVE: /* a quadratic one as a cubic one */
        cairo.move_to(to, item->x, item->y);
        cairo.curve_to(to, item->x + 2.0 / 3 * (item->cx - item->x),
                       item->y + 2.0 / 3 * (item->cy - item->y),
                       item->w + 2.0 / 3 * (item->cx - item->w),
                       item->h + 2.0 / 3 * (item->cy - item->h), item->w, item->h);
        cairo.stroke(to);
        break;
    case TOPOMAP_DRAW_RECT:
        cairo.rectangle(to, item->x, item->y, item->w, item->h);
        finish(to, d, item);
        break;
    case TOPOMAP_DRAW_CIRCLE:
        cairo.new_sub_path(to);
        cairo.arc(to, item->x, item->y, item->w, 0, 2 * acos(-1));
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
    cairo_t *to = cairo.create(surface);
    cairo_status_t status;

    cairo.scale(to, scale, scale);
    cairo.set_source_rgb(to, 1, 1, 1);
    cairo.paint(to);
    cairo.select_font_face(to, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    for (size_t i = 0; i < d->items; i++)
        put_item(to, d, &d->item[i]);
    cairo.show_page(to);
    status = cairo.status(to);
    cairo.destroy(to);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM,
                                   "cairo cannot draw a picture of %.0f x %.0f: %s", d->width,
                                   d->height, cairo.status_to_string(status));
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
                                   cairo.status_to_string(status));
}

int picture_png(const topomap_drawing *d, FILE *out, topomap_error *err)
{
    double side = fmax(1, fmax(d->width, d->height)), scale = fmin(SCALE, SIDE_MOST / side);
    cairo_surface_t *surface;
    int result;

    if (load_cairo(err))
        return -1;
    surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)fmax(1, ceil(d->width * scale)),
                                         (int)fmax(1, ceil(d->height * scale)));
    result = draw(surface, d, scale, err);
    if (result == 0)
        result = conclude(cairo.surface_write_to_png_stream(surface, put_bytes, out), err);
    cairo.surface_destroy(surface);
    return result;
}

int picture_pdf(const topomap_drawing *d, FILE *out, topomap_error *err)
{
    cairo_surface_t *surface;
    char title[TEXT];
    int result;

    if (load_cairo(err))
        return -1;
    surface = cairo.pdf_surface_create_for_stream(put_bytes, out, d->width, d->height);
    cairo.pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
    snprintf(title, sizeof title, "%s", d->title);
    topomap_safe_line(title, sizeof title);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    result = draw(surface, d, 1, err);
    cairo.surface_finish(surface);
    if (result == 0)
        result = conclude(cairo.surface_status(surface), err);
    cairo.surface_destroy(surface);
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
