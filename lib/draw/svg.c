/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a drawing as SVG. cairo could write SVG, too, but is optional, turns text into outlines,
 * and cannot give colours for light and dark pages. */
#include "draw/draw.h"

#include <inttypes.h>

#include "xml/markup.h"

/* ---- Styles ------------------------------------------------------------------------------ */

static void put_colours(const topomap_drawing *d, int dark, FILE *out)
{
    for (size_t i = 0; i < d->styles; i++) {
        const topomap_draw_style *s = &d->style[i];

        fprintf(out, ".%s{%s:#%06" PRIx32, s->name, s->width > 0 ? "stroke" : "fill",
                dark ? s->on_dark : s->colour);
        if (!dark && s->width > 0)
            fprintf(out, ";stroke-width:%g;fill:none", s->width);
        if (!dark && s->alpha > 0)
            fprintf(out, ";%s:%g", s->width > 0 ? "stroke-opacity" : "fill-opacity", s->alpha);
        if (!dark && s->dash)
            fprintf(out, ";stroke-dasharray:%s", s->dash);
        fputc('}', out);
    }
}

static void put_styles(const topomap_drawing *d, FILE *out)
{
    fputs("<style>text{font-family:sans-serif}", out);
    put_colours(d, 0, out);
    fputs("@media(prefers-color-scheme:dark){", out);
    put_colours(d, 1, out);
    fputs("}</style>\n", out);
}

/* ---- Things ------------------------------------------------------------------------------ */

static void put_look(const topomap_drawing *d, const topomap_draw_item *item, FILE *out)
{
    if (item->style == TOPOMAP_DRAW_OWN)
        fprintf(out, " fill=\"#%06" PRIx32 "\"", item->colour);
    else
        fprintf(out, " class=\"%s\"", d->style[item->style].name);
}

static void put_end(const topomap_draw_item *item, const char *name, FILE *out)
{
    if (!item->text) {
        fputs("/>\n", out);
        return;
    }
    fputs("><title>", out);
    topomap_markup_put(out, item->text);
    fprintf(out, "</title></%s>\n", name);
}

/* All cells of a shade are one path, neighbours of a row one piece of it. */
static void put_shade(const topomap_draw_item *item, int shade, FILE *out)
{
    int begun = 0;

    for (uint32_t row = 0; row < item->cells; row++) {
        const uint8_t *cell = item->shade + (size_t)row * item->cells;

        for (uint32_t column = 0, end; column < item->cells; column = end) {
            for (end = column; end < item->cells && cell[end] == shade;)
                end++;
            if (end == column) {
                end++;
                continue;
            }
            if (!begun++)
                fprintf(out, "<path fill=\"#%06" PRIx32 "\" d=\"", item->ramp[shade]);
            fprintf(out, "M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v1h-%" PRIu32 "z", column, row,
                    end - column, end - column);
        }
    }
    if (begun)
        fputs("\"/>\n", out);
}

static void put_cells(const topomap_draw_item *item, FILE *out)
{
    if (!item->cells)
        return;
    fprintf(out, "<g transform=\"translate(%g %g) scale(%.6f)\" shape-rendering=\"crispEdges\">\n",
            item->x, item->y, item->w / item->cells);
    for (int shade = 0; shade < TOPOMAP_DRAW_EMPTY; shade++)
        put_shade(item, shade, out);
    fputs("</g>\n", out);
}

static void put_text(const topomap_drawing *d, const topomap_draw_item *item, FILE *out)
{
    fputs("<text", out);
    put_look(d, item, out);
    fprintf(out, " x=\"%.1f\" y=\"%.1f\" font-size=\"%g\"%s>", item->x, item->y, item->w,
            item->h > 0.75   ? " text-anchor=\"end\""
            : item->h > 0.25 ? " text-anchor=\"middle\""
                             : "");
    topomap_markup_put(out, item->text ? item->text : "");
    fputs("</text>\n", out);
}

static void put_item(const topomap_drawing *d, const topomap_draw_item *item, FILE *out)
{
    switch (item->kind) {
    case TOPOMAP_DRAW_LINE:
    case TOPOMAP_DRAW_CURVE:
        fputs("<path", out);
        put_look(d, item, out);
        fprintf(out, " d=\"M%.1f %.1f", item->x, item->y);
        if (item->kind == TOPOMAP_DRAW_CURVE)
            fprintf(out, "Q%.1f %.1f ", item->cx, item->cy);
        else
            fputc('L', out);
        fprintf(out, "%.1f %.1f\"", item->w, item->h);
        put_end(item, "path", out);
        break;
    case TOPOMAP_DRAW_RECT:
        fputs("<rect", out);
        put_look(d, item, out);
        fprintf(out, " x=\"%.1f\" y=\"%.1f\" width=\"%g\" height=\"%g\"", item->x, item->y, item->w,
                item->h);
        put_end(item, "rect", out);
        break;
    case TOPOMAP_DRAW_CIRCLE:
        fputs("<circle", out);
        put_look(d, item, out);
        fprintf(out, " cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", item->x, item->y, item->w);
        put_end(item, "circle", out);
        break;
    case TOPOMAP_DRAW_TEXT:
        put_text(d, item, out);
        break;
    case TOPOMAP_DRAW_CELLS:
        put_cells(item, out);
        break;
    }
}

void topomap_draw_svg(const topomap_drawing *d, const char *id, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
            "aria-labelledby=\"%s\">\n<title id=\"%s\">",
            d->width, d->height, id, id);
    topomap_markup_put(out, d->title);
    fputs("</title>\n", out);
    put_styles(d, out);
    for (size_t i = 0; i < d->items; i++)
        put_item(d, &d->item[i], out);
    fputs("</svg>\n", out);
}
