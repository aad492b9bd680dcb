/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cli/picture/picture.h"

enum { LABELLED = 8 }; /* each so many rows or columns a rank is named */

static unsigned digits(uint32_t number)
{
    unsigned count = 1;

    while (number >= 10)
        number /= 10, count++;
    return count;
}

uint32_t picture_matrix_room(const picture_screen *screen, uint32_t ranks)
{
    unsigned edge = digits(ranks ? ranks - 1 : 0) + 1, wide = screen->halves ? 1 : 2;
    unsigned room = screen->columns > edge + wide ? (screen->columns - edge) / wide : 1;

    return room < ranks ? room : ranks;
}

/* ---- A cell ------------------------------------------------------------------------------ */

/* xterm's cube of 6 x 6 x 6: 16 + 36 r + 6 g + b. */
static unsigned in_cube(picture_rgb colour)
{
    return 16 + 36 * ((colour.r * 5u + 127) / 255) + 6 * ((colour.g * 5u + 127) / 255) +
           (colour.b * 5u + 127) / 255;
}

/* \param ground  38: of the character, 48: of what is behind it */
static void put_colour(FILE *out, enum picture_colour kind, int ground, double strength)
{
    picture_rgb colour = picture_colour_of(strength);

    if (kind == PICTURE_TRUE)
        fprintf(out, "\033[%d;2;%u;%u;%um", ground, colour.r, colour.g, colour.b);
    else
        fprintf(out, "\033[%d;5;%um", ground, in_cube(colour));
}

static void put_plain(FILE *out, double strength)
{
    static const char ramp[] = ".:-=+*#%@";
    enum { STEPS = sizeof ramp - 1 };
    int step = (int)(strength * STEPS);
    char c = strength < 0 ? ' ' : ramp[step >= STEPS ? STEPS - 1 : step];

    fputc(c, out);
    fputc(c, out);
}

static void put_halves(FILE *out, enum picture_colour kind, double upper, double lower)
{
    if (upper < 0 && lower < 0) {
        fputc(' ', out);
        return;
    }
    put_colour(out, kind, 38, upper >= 0 ? upper : lower);
    if (upper >= 0 && lower >= 0)
        put_colour(out, kind, 48, lower);
    fputs(upper >= 0 ? "\u2580" : "\u2584", out);
    fputs("\033[0m", out);
}

static void put_cell(FILE *out, enum picture_colour kind, double strength)
{
    if (kind == PICTURE_PLAIN)
        put_plain(out, strength);
    else if (strength < 0)
        fputs("  ", out);
    else {
        put_colour(out, kind, 48, strength);
        fputs("  \033[0m", out);
    }
}

/* ---- The whole --------------------------------------------------------------------------- */

/* Ranks above their columns, as long as they do not meet. */
static void put_head(FILE *out, const topomap_matrix *matrix, unsigned edge, unsigned wide)
{
    unsigned at = 0;

    fprintf(out, "%*s", (int)edge + 1, "");
    for (uint32_t column = 0; column < matrix->cells; column += LABELLED) {
        uint32_t rank = column * matrix->each;

        if (column * wide < at || column * wide + digits(rank) > matrix->cells * wide)
            continue;
        fprintf(out, "%*s%" PRIu32, (int)(column * wide - at), "", rank);
        at = column * wide + digits(rank) + 1;
        fputc(' ', out);
    }
    fputc('\n', out);
}

static void put_row(FILE *out, const picture_screen *screen, const topomap_matrix *matrix,
                    uint32_t row)
{
    for (uint32_t column = 0; column < matrix->cells; column++) {
        double upper = topomap_matrix_strength(matrix, row, column);

        if (!screen->halves)
            put_cell(out, screen->colour, upper);
        else
            put_halves(out, screen->colour, upper,
                       row + 1 < matrix->cells ? topomap_matrix_strength(matrix, row + 1, column)
                                               : -1);
    }
}

static void put_scale(FILE *out, const picture_screen *screen, const topomap_matrix *matrix)
{
    enum { STEPS = 16 };

    if (matrix->most == 0) {
        fputs("no rank sends anything\n", out);
        return;
    }
    fprintf(out, "%.0f ", matrix->least);
    for (int i = 0; i < STEPS; i++)
        put_cell(out, screen->colour, (i + 0.5) / STEPS);
    fprintf(out, " %.0f bytes a cell of %" PRIu32 " rank%s a side\n", matrix->most, matrix->each,
            matrix->each > 1 ? "s" : "");
}

void picture_matrix_text(FILE *out, const picture_screen *screen, const topomap_matrix *matrix)
{
    unsigned edge = digits(matrix->ranks ? matrix->ranks - 1 : 0);
    uint32_t step = screen->halves ? 2 : 1;

    put_head(out, matrix, edge, screen->halves ? 1 : 2);
    for (uint32_t row = 0; row < matrix->cells; row += step) {
        if (row % LABELLED == 0)
            fprintf(out, "%*" PRIu32 " ", (int)edge, row * matrix->each);
        else
            fprintf(out, "%*s ", (int)edge, "");
        put_row(out, screen, matrix, row);
        fputc('\n', out);
    }
    put_scale(out, screen, matrix);
}

/* Five points of viridis (van der Walt and Smith, matplotlib 2.0, CC0), straight lines between. */
picture_rgb picture_colour_of(double strength)
{
    static const picture_rgb point[] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    enum { LAST = sizeof point / sizeof *point - 1 };
    double at = (strength < 0 ? 0 : strength > 1 ? 1 : strength) * LAST;
    int i = at >= LAST ? LAST - 1 : (int)at;
    double part = at - i;

#define BETWEEN(c) (unsigned char)(point[i].c + part * (point[i + 1].c - point[i].c) + 0.5)
    return (picture_rgb){BETWEEN(r), BETWEEN(g), BETWEEN(b)};
#undef BETWEEN
}
