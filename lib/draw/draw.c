/* SPDX-License-Identifier: BSD-3-Clause */
#include "draw/draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

void topomap_draw_clear(topomap_drawing *drawing)
{
    for (size_t i = 0; i < drawing->items; i++) {
        free(drawing->item[i].text);
        free(drawing->item[i].shade);
    }
    free(drawing->item);
    *drawing = (topomap_drawing){0};
}

int topomap_draw_check(const topomap_drawing *drawing, topomap_error *err)
{
    return drawing->is_short
               ? topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a picture of %zu things",
                                   drawing->items)
               : 0;
}

/* NULL where memory is short. */
static topomap_draw_item *add(topomap_drawing *drawing, topomap_draw_item item, const char *text)
{
    topomap_error why;

    if (topomap_grow(&drawing->item, &drawing->room, drawing->items + 1, sizeof item, &why) != 0) {
        drawing->is_short = 1;
        return NULL;
    }
    item.text = text ? strdup(text) : NULL;
    drawing->is_short |= text && !item.text;
    drawing->item[drawing->items] = item;
    return &drawing->item[drawing->items++];
}

void topomap_draw_line(topomap_drawing *drawing, int style, double x1, double y1, double x2,
                       double y2, const char *tip)
{
    add(drawing,
        (topomap_draw_item){
            .kind = TOPOMAP_DRAW_LINE, .style = style, .x = x1, .y = y1, .w = x2, .h = y2},
        tip);
}

void topomap_draw_curve(topomap_drawing *drawing, int style, double x1, double y1, double x2,
                        double y2, double cx, double cy, const char *tip)
{
    add(drawing,
        (topomap_draw_item){.kind = TOPOMAP_DRAW_CURVE,
                            .style = style,
                            .x = x1,
                            .y = y1,
                            .w = x2,
                            .h = y2,
                            .cx = cx,
                            .cy = cy},
        tip);
}

void topomap_draw_rect(topomap_drawing *drawing, int style, double x, double y, double w, double h,
                       const char *tip)
{
    add(drawing,
        (topomap_draw_item){
            .kind = TOPOMAP_DRAW_RECT, .style = style, .x = x, .y = y, .w = w, .h = h},
        tip);
}

void topomap_draw_box(topomap_drawing *drawing, uint32_t colour, double x, double y, double w,
                      double h)
{
    add(drawing,
        (topomap_draw_item){.kind = TOPOMAP_DRAW_RECT,
                            .style = TOPOMAP_DRAW_OWN,
                            .colour = colour,
                            .x = x,
                            .y = y,
                            .w = w,
                            .h = h},
        NULL);
}

void topomap_draw_circle(topomap_drawing *drawing, int style, double x, double y, double radius,
                         const char *tip)
{
    add(drawing,
        (topomap_draw_item){
            .kind = TOPOMAP_DRAW_CIRCLE, .style = style, .x = x, .y = y, .w = radius},
        tip);
}

void topomap_draw_text(topomap_drawing *drawing, int style, double x, double y, double size,
                       double before, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(drawing,
        (topomap_draw_item){
            .kind = TOPOMAP_DRAW_TEXT, .style = style, .x = x, .y = y, .w = size, .h = before},
        text);
}

void topomap_draw_cells(topomap_drawing *drawing, double x, double y, double side, uint32_t cells,
                        const uint8_t *shade, const uint32_t *ramp)
{
    topomap_draw_item *item = add(drawing,
                                  (topomap_draw_item){.kind = TOPOMAP_DRAW_CELLS,
                                                      .style = TOPOMAP_DRAW_OWN,
                                                      .x = x,
                                                      .y = y,
                                                      .w = side,
                                                      .cells = cells,
                                                      .ramp = ramp},
                                  NULL);

    if (!item)
        return;
    item->shade = malloc((size_t)cells * cells + 1);
    if (item->shade)
        memcpy(item->shade, shade, (size_t)cells * cells);
    else
        drawing->is_short = 1, item->cells = 0;
}

/* ---- Where vertices stand -------------------------------------------------------------------- */

topomap_spot topomap_draw_in_grid(const uint32_t *at, const uint32_t *size, uint32_t dimensions,
                                  double cell, double edge)
{
    double step[2] = {cell, cell}, spot[2] = {0, 0};

    for (uint32_t d = 0; d < dimensions; d++) {
        spot[d % 2] += at[d] * step[d % 2];
        step[d % 2] = step[d % 2] * size[d] + cell;
    }
    return (topomap_spot){edge + spot[0], edge + spot[1]};
}

topomap_spot topomap_draw_in_ring(double middle, double radius, double angle)
{
    return (topomap_spot){middle + radius * sin(angle), middle - radius * cos(angle)};
}

static int by_key(const void *a, const void *b)
{
    const topomap_draw_place *x = a, *y = b;

    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void topomap_draw_row(topomap_draw_place *place, size_t count, double edge, double width)
{
    if (count)
        qsort(place, count, sizeof *place, by_key);
    for (size_t i = 0; i < count; i++)
        place[i].x = edge + width * ((double)i + 0.5) / (double)count;
}
