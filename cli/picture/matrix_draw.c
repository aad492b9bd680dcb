/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cli/picture/picture.h"
#include "util/alloc.h"

enum { SIDE = 640, LEFT = 70, TOP = 50, BELOW = 60, SHADES = 32, LABELS = 8 };
enum { GROUND, FIELD, WORDS };

static const topomap_draw_style styles[] = {{"ground", 0xffffff, 0x181818, 0, 0, NULL},
                                            {"field", 0xf0f0f0, 0x2a2a2a, 0, 0, NULL},
                                            {"text", 0x222222, 0xdddddd, 0, 0, NULL}};

const uint32_t *picture_ramp(void)
{
    static uint32_t ramp[256]; /* the same values every time */

    for (int i = 0; i < SHADES; i++) {
        picture_rgb c = picture_colour_of((i + 0.5) / SHADES);

        ramp[i] = (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
    }
    return ramp;
}

uint8_t picture_shade(double strength)
{
    return strength < 0    ? TOPOMAP_DRAW_EMPTY
           : strength >= 1 ? SHADES - 1
                           : (uint8_t)(strength * SHADES);
}

static uint8_t *shades_of(const topomap_matrix *matrix, topomap_error *err)
{
    uint8_t *shade = topomap_alloc((size_t)matrix->cells * matrix->cells, 1, err);

    for (uint32_t row = 0; shade && row < matrix->cells; row++)
        for (uint32_t column = 0; column < matrix->cells; column++)
            shade[(size_t)row * matrix->cells + column] =
                picture_shade(topomap_matrix_strength(matrix, row, column));
    return shade;
}

static void put_labels(topomap_drawing *out, const topomap_matrix *matrix)
{
    uint32_t step = (matrix->cells + LABELS - 1) / LABELS;

    for (uint32_t cell = 0; cell < matrix->cells; cell += step) {
        double at = (double)cell / matrix->cells * SIDE;

        topomap_draw_text(out, WORDS, LEFT - 6, TOP + at + 10, 12, 1, "%" PRIu32,
                          cell * matrix->each);
        topomap_draw_text(out, WORDS, LEFT + at, TOP - 6, 12, 0, "%" PRIu32, cell * matrix->each);
    }
}

static void put_scale(topomap_drawing *out, const topomap_matrix *matrix)
{
    const int y = TOP + SIDE + 20, width = 320 / SHADES;

    if (matrix->most == 0)
        return;
    for (int i = 0; i < SHADES; i++)
        topomap_draw_box(out, picture_ramp()[i], LEFT + i * width, y, width, 12);
    topomap_draw_text(out, WORDS, LEFT + SHADES * width + 8, y + 11, 12, 0,
                      "%.0f to %.0f bytes a cell (logarithmic)", matrix->least, matrix->most);
}

int picture_matrix_draw(topomap_drawing *out, const topomap_matrix *matrix, const char *title,
                        topomap_error *err)
{
    TOPOMAP_FREED uint8_t *shade = shades_of(matrix, err);

    if (!shade)
        return -1;
    out->style = styles;
    out->styles = sizeof styles / sizeof *styles;
    out->width = LEFT + SIDE + 20;
    out->height = TOP + SIDE + BELOW;
    snprintf(out->title, sizeof out->title, "%s", title);
    topomap_draw_rect(out, GROUND, 0, 0, out->width, out->height, NULL);
    topomap_draw_text(out, WORDS, LEFT, 18, 12, 0, "%s", title);
    topomap_draw_rect(out, FIELD, LEFT, TOP, SIDE, SIDE, NULL);
    topomap_draw_cells(out, LEFT, TOP, SIDE, matrix->cells, shade, picture_ramp());
    put_labels(out, matrix);
    put_scale(out, matrix);
    return topomap_draw_check(out, err);
}
