/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page shows, in short, on one sheet: the headline and its figures, who talks to whom by
 * node before and after, how far bytes travel, the network with its loads, the busiest links. It is
 * drawn from the page's own JSON, so that the two say the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"
#include "cli/picture/picture.h"
#include "draw/draw.h"
#include "util/text.h"

/* A4, across (ISO 216), in points. */
enum { WIDTH = 842, HEIGHT = 595, LEFT = 30, MIDDLE = 340, RIGHT = 812, GAP = 24 };
enum { PANEL = (RIGHT - MIDDLE - GAP) / 2, FIGURES_MOST = 8, LEVELS_MOST = 7, BUSIEST = 5 };

enum { GROUND, FIELD, WORDS, FAINT, RULE, BEFORE, AFTER, NODE, ROUTER, LOAD };
enum { LOADS = 8 };

static const topomap_draw_style styles[] = {
    {"ground", 0xffffff, 0x181818, 0, 0, NULL},
    {"field", 0xf0f0f0, 0x2a2a2a, 0, 0, NULL},
    {"text", 0x222222, 0xdddddd, 0, 0, NULL},
    {"faint", 0x666666, 0x9a9a9a, 0, 0, NULL},
    {"rule", 0xbbbbbb, 0x555555, .5, 0, NULL},
    {"before", 0x9aa5b8, 0x8b93a8, 0, 0, NULL},
    {"after", 0x1b6fa8, 0x7fb0ff, 0, 0, NULL},
    {"node", 0x7f8aa3, 0x8b93a8, 0, 0, NULL},
    {"router", 0x3b4a6b, 0xb9c4e4, 0, 0, NULL},
    /* The more, the darker on light ground and the lighter on dark: picture_colour_of(). */
    {"l0", 0xd5e034, 0x421562, .4, 0, NULL},
    {"l1", 0x86d153, 0x3d3e7d, .6, 0, NULL},
    {"l2", 0x4fbb6d, 0x35628b, .8, 0, NULL},
    {"l3", 0x309f82, 0x28818c, 1, 0, NULL},
    {"l4", 0x28818c, 0x309f82, 1.3, 0, NULL},
    {"l5", 0x35628b, 0x4fbb6d, 1.6, 0, NULL},
    {"l6", 0x3d3e7d, 0x86d153, 1.9, 0, NULL},
    {"l7", 0x421562, 0xd5e034, 2.3, 0, NULL},
    {"idle", 0xdddddd, 0x333333, .3, 0, NULL},
    {"switches", 0xd03030, 0xff5a5a, .6, 0, NULL},
    {"dragonfly", 0xb06000, 0xffaa3c, 1, 0, NULL},
    {"domains", 0x0b6fb0, 0x5ae1ff, .7, 0, "3 3"},
};
enum { IDLE = LOAD + LOADS, SWITCHES, DRAGONFLY, DOMAINS };

/* Between what there are lines in matrices: the later ones over the earlier. */
static const struct {
    const char *key;
    int style;
    const char *says;
} line_kinds[] = {{"groups", SWITCHES, "red: between switches"},
                  {"dragonfly", DRAGONFLY, "orange: between a dragonfly's groups"},
                  {"domains", DOMAINS, "dashed: between NVLink domains"}};
enum { LINE_KINDS = sizeof line_kinds / sizeof *line_kinds };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* As much as fits, by what a letter takes on the average. */
static void put_words(topomap_drawing *out, int style, double x, double y, double size,
                      double width, const char *text)
{
    int most = (int)(width / (0.52 * size)), length = (int)strlen(text);

    if (length <= most)
        topomap_draw_text(out, style, x, y, size, 0, "%s", text);
    else
        topomap_draw_text(out, style, x, y, size, 0, "%.*s...", most > 3 ? most - 3 : 0, text);
}

static void put_heading(topomap_drawing *out, double x, double y, double width, const char *text)
{
    topomap_draw_text(out, WORDS, x, y, 11, 0, "%s", text);
    topomap_draw_line(out, RULE, x, y + 4, x + width, y + 4, NULL);
}

/* ---- Figures ----------------------------------------------------------------------------- */

static void put_number(topomap_drawing *out, double x, double y, const json_t *value)
{
    if (json_is_number(value))
        topomap_draw_text(out, WORDS, x, y, 9, 1, "%.6g", json_number_value(value));
    else
        topomap_draw_text(out, WORDS, x, y, 9, 1, "-");
}

static void put_figures(topomap_drawing *out, const json_t *data, double y)
{
    const json_t *figures = json_object_get(data, "figures"), *row;
    const double after = MIDDLE - GAP - 50, before = after - 70;
    size_t i;

    put_heading(out, LEFT, y, MIDDLE - GAP - LEFT, "Before and after");
    topomap_draw_text(out, FAINT, before, y + 18, 8, 1, "%s", text_of(data, "start"));
    topomap_draw_text(out, FAINT, after, y + 18, 8, 1, "after");
    json_array_foreach(figures, i, row)
    {
        double old = number_of(row, "before"), new = number_of(row, "after");
        double at = y + 33 + 15 * (double)i;
        char name[96];

        if (i == FIGURES_MOST)
            break;
        snprintf(name, sizeof name, strlen(text_of(row, "unit")) < 7 ? "%s (%s)" : "%s",
                 text_of(row, "name"), text_of(row, "unit"));
        put_words(out, WORDS, LEFT, at, 9, before - 50 - LEFT, name);
        put_number(out, before, at, json_object_get(row, "before"));
        put_number(out, after, at, json_object_get(row, "after"));
        if (old > 0 && json_is_number(json_object_get(row, "after")))
            topomap_draw_text(out, WORDS, MIDDLE - GAP, at, 9, 1, "%+.1f %%",
                              100 * (new - old) / old);
    }
}

/* ---- How far bytes travel ---------------------------------------------------------------- */

static void put_levels(topomap_drawing *out, const json_t *data, double y)
{
    const json_t *levels = json_object_get(data, "levels"), *row;
    const double from = LEFT + 80, width = MIDDLE - GAP - from - 40;
    double most = 0, sum = 0;
    size_t i, shown = 0;

    put_heading(out, LEFT, y, MIDDLE - GAP - LEFT, "Bytes by distance");
    json_array_foreach(levels, i, row)
    {
        most = fmax(most, fmax(number_of(row, "before"), number_of(row, "after")));
        sum += number_of(row, "after");
    }
    json_array_foreach(levels, i, row)
    {
        const char *const when[] = {"before", "after"};
        double at = y + 12 + 20 * (double)shown;

        if (shown == LEVELS_MOST || number_of(row, "before") + number_of(row, "after") <= 0)
            continue;
        shown++;
        put_words(out, WORDS, LEFT, at + 11, 9, from - LEFT - 4, text_of(row, "name"));
        for (int k = 0; k < 2; k++) {
            double bytes = number_of(row, when[k]);

            topomap_draw_rect(out, k ? AFTER : BEFORE, from, at + 1 + 8 * k, width * bytes / most,
                              7, NULL);
            topomap_draw_text(out, FAINT, from + width * bytes / most + 3, at + 7 + 8 * k, 7, 0,
                              "%.1f %%", sum > 0 ? 100 * bytes / sum : 0);
        }
    }
}

/* ---- Who talks to whom ------------------------------------------------------------------- */

static int has_lines(const json_t *bounds)
{
    enum { LINES_MOST = 20 };

    return json_array_size(bounds) > 0 && json_array_size(bounds) <= LINES_MOST;
}

static void put_lines(topomap_drawing *out, const json_t *matrix, const char *what, int style,
                      double x, double y)
{
    const json_t *bounds = json_object_get(matrix, what);
    double ranks = number_of(matrix, "cells") * number_of(matrix, "each");
    size_t i;

    for (i = 0; has_lines(bounds) && i < json_array_size(bounds); i++) {
        double at = PANEL * json_number_value(json_array_get(bounds, i)) / ranks;

        topomap_draw_line(out, style, x + at, y, x + at, y + PANEL, NULL);
        topomap_draw_line(out, style, x, y + at, x + PANEL, y + at, NULL);
    }
}

static void put_matrix(topomap_drawing *out, const json_t *matrix, double x, double y)
{
    const json_t *bytes = json_object_get(matrix, "bytes");
    uint32_t cells = (uint32_t)number_of(matrix, "cells");
    double least = number_of(matrix, "least"), most = number_of(matrix, "most");
    TOPOMAP_FREED uint8_t *shade = malloc((size_t)cells * cells + 1);

    topomap_draw_rect(out, FIELD, x, y, PANEL, PANEL, NULL);
    if (!shade) {
        out->is_short = 1;
        return;
    }
    memset(shade, TOPOMAP_DRAW_EMPTY, (size_t)cells * cells);
    for (size_t i = 0; i + 2 < json_array_size(bytes); i += 3) {
        size_t row = (size_t)json_integer_value(json_array_get(bytes, i));
        size_t column = (size_t)json_integer_value(json_array_get(bytes, i + 1));
        double value = json_number_value(json_array_get(bytes, i + 2));

        if (row < cells && column < cells && value > 0)
            shade[row * cells + column] =
                picture_shade(most > least ? log(value / least) / log(most / least) : 1);
    }
    topomap_draw_cells(out, x, y, PANEL, cells, shade, picture_ramp());
    for (size_t i = 0; i < LINE_KINDS; i++)
        put_lines(out, matrix, line_kinds[i].key, line_kinds[i].style, x, y);
}

/* What lines there are, at the heading's end. */
static void put_line_names(topomap_drawing *out, const json_t *matrices, double y)
{
    char text[160] = "";

    for (size_t i = 0; i < LINE_KINDS; i++) {
        size_t seen = 0;

        for (size_t k = 0; k < json_array_size(matrices); k++)
            seen += has_lines(json_object_get(json_array_get(matrices, k), line_kinds[i].key));
        if (seen)
            topomap_text_append(text, sizeof text, "%s%s", *text ? "; " : "", line_kinds[i].says);
    }
    topomap_draw_text(out, FAINT, RIGHT, y, 8, 1, "%s", text);
}

static void put_matrices(topomap_drawing *out, const json_t *data, double y)
{
    const json_t *matrices = json_object_get(data, "matrices");

    put_heading(out, MIDDLE, y, RIGHT - MIDDLE, "Who talks to whom (logarithmic; yellow is most)");
    put_line_names(out, matrices, y);
    for (size_t k = 0; k < 2; k++) { /* the first is in the order of ranks */
        const json_t *matrix = json_array_get(matrices, k + 1);
        double x = MIDDLE + (double)k * (PANEL + GAP);

        topomap_draw_text(out, FAINT, x, y + 16, 8, 0, "%s", text_of(matrix, "name"));
        put_matrix(out, matrix, x, y + 20);
    }
}

/* ---- The network ------------------------------------------------------------------------- */

typedef struct frame {
    topomap_drawing *out;
    const json_t *picture;
    double x, y, scale, most;
    int is_grid;
} frame;

static topomap_spot spot_of(const frame *f, size_t vertex)
{
    const json_t *row = json_array_get(json_object_get(f->picture, "vertex"), vertex);

    return (topomap_spot){f->x + f->scale * json_number_value(json_array_get(row, 1)),
                          f->y + f->scale * json_number_value(json_array_get(row, 2))};
}

/* In a grid what goes beyond the next one, round the edge or to another slice, is an arc. */
static void put_cable(const frame *f, size_t i, int which)
{
    enum { EACH = 4, BEYOND = 40 };
    const json_t *cable = json_object_get(f->picture, "cable");
    topomap_spot a = spot_of(f, (size_t)json_integer_value(json_array_get(cable, i * EACH)));
    topomap_spot b = spot_of(f, (size_t)json_integer_value(json_array_get(cable, i * EACH + 1)));
    double share = json_number_value(json_array_get(cable, i * EACH + 2 + (size_t)which));
    double part = f->most > 0 ? share / f->most : 0, dx = b.x - a.x, dy = b.y - a.y;
    int style = share <= 0 ? IDLE : LOAD + (part < 1 ? (int)(part * LOADS) : LOADS - 1);

    if (f->is_grid && fabs(dx) + fabs(dy) > f->scale * BEYOND)
        topomap_draw_curve(f->out, style, a.x, a.y, b.x, b.y, a.x + dx / 2 - dy * 0.12,
                           a.y + dy / 2 + dx * 0.12, NULL);
    else
        topomap_draw_line(f->out, style, a.x, a.y, b.x, b.y, NULL);
}

/* The busiest are on top: they come first. */
static void put_network(const frame *f, int which)
{
    const json_t *vertices = json_object_get(f->picture, "vertex");
    size_t cables = json_array_size(json_object_get(f->picture, "cable")) / 4;

    for (size_t i = cables; i-- > 0;)
        put_cable(f, i, which);
    for (size_t v = 0; v < json_array_size(vertices); v++) {
        const json_t *row = json_array_get(vertices, v);
        int is_node = json_integer_value(json_array_get(row, 3)) != 0;
        topomap_spot at = spot_of(f, v);
        double radius = fmax(.5, fmin(3, 4 * f->scale));

        topomap_draw_circle(f->out, is_node ? NODE : ROUTER, at.x, at.y,
                            is_node ? radius * .6 : radius,
                            json_string_value(json_array_get(row, 0)));
    }
}

/* Beside each other, or where that is larger one above the other. */
static void put_both(topomap_drawing *out, const json_t *links, double y, double height)
{
    const json_t *picture = json_object_get(links, "picture");
    const double head = 22;
    double wide = fmax(number_of(picture, "width"), 1),
           high = fmax(number_of(picture, "height"), 1);
    double beside = fmin(PANEL / wide, (height - head) / high);
    double above = fmin((RIGHT - MIDDLE) / wide, (height / 2 - head) / high);

    for (int k = 0; k < 2; k++) {
        frame f = {.out = out,
                   .picture = picture,
                   .x = MIDDLE + (above > beside ? 0 : k * (PANEL + GAP)),
                   .y = y + head + (above > beside ? k * height / 2 : 0),
                   .scale = fmax(above, beside),
                   .most = number_of(links, "most"),
                   .is_grid = strcmp(text_of(picture, "shape"), "grid") == 0};

        topomap_draw_text(out, FAINT, f.x, f.y - 6, 8, 0, "%s: the busiest link %.5g %s",
                          k ? "after" : "before",
                          number_of(json_object_get(links, k ? "after" : "before"), "max"),
                          text_of(links, "unit"));
        put_network(&f, k);
    }
}

static void put_networks(topomap_drawing *out, const json_t *data, double y, double height)
{
    const json_t *links = json_object_get(data, "links"),
                 *picture = json_object_get(links, "picture");

    put_heading(out, MIDDLE, y, RIGHT - MIDDLE,
                "The network: the darker and wider a cable, the more it carries");
    if (!json_is_object(picture)) {
        topomap_draw_text(out, FAINT, MIDDLE, y + 18, 9, 0, "%s",
                          json_is_object(links) ? "There are too many vertices for a picture."
                                                : "The links of this machine are not known.");
        return;
    }
    put_both(out, links, y, height);
}

static void put_busiest(topomap_drawing *out, const json_t *data, double y)
{
    const json_t *links = json_object_get(data, "links"), *row;
    size_t i;

    if (!json_is_object(links))
        return;
    put_heading(out, LEFT, y, MIDDLE - GAP - LEFT, "Busiest links");
    json_array_foreach(json_object_get(links, "busiest"), i, row)
    {
        double at = y + 18 + 14 * (double)i;

        if (i == BUSIEST)
            break;
        put_words(out, WORDS, LEFT, at, 8, 160, text_of(row, "name"));
        topomap_draw_text(out, WORDS, MIDDLE - GAP - 60, at, 8, 1, "%.4g",
                          number_of(row, "before"));
        topomap_draw_text(out, WORDS, MIDDLE - GAP, at, 8, 1, "%.4g", number_of(row, "after"));
    }
}

int page_draw(const json_t *data, topomap_drawing *out, topomap_error *err)
{
    out->style = styles;
    out->styles = sizeof styles / sizeof *styles;
    out->width = WIDTH;
    out->height = HEIGHT;
    snprintf(out->title, sizeof out->title, "%s: %s", text_of(data, "title"),
             text_of(data, "line"));
    topomap_draw_rect(out, GROUND, 0, 0, WIDTH, HEIGHT, NULL);
    put_words(out, WORDS, LEFT, 40, 18, RIGHT - LEFT, text_of(data, "title"));
    put_words(out, WORDS, LEFT, 58, 11, RIGHT - LEFT, text_of(data, "line"));
    put_figures(out, data, 84);
    put_levels(out, data, 262);
    put_busiest(out, data, 446);
    put_matrices(out, data, 84);
    put_networks(out, data, 352, 212);
    put_words(out, FAINT, LEFT, HEIGHT - 14, 7, RIGHT - LEFT - 90, text_of(data, "command"));
    topomap_draw_text(out, FAINT, RIGHT, HEIGHT - 14, 7, 1, "topomap %s", text_of(data, "version"));
    return topomap_draw_check(out, err);
}
