/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/picture/picture.h"

#include <inttypes.h>

#include "xml/markup.h"

enum { SIDE = 640, LEFT = 70, TOP = 50, BELOW = 60, SHADES = 32, LABELS = 8 };

static int shade_of(const topomap_matrix *matrix, uint32_t row, uint32_t column)
{
    double strength = topomap_matrix_strength(matrix, row, column);

    return strength < 0 ? -1 : strength >= 1 ? SHADES - 1 : (int)(strength * SHADES);
}

/* All cells of a shade are one path, neighbours of a row one piece of it. */
static void put_shade(FILE *out, const topomap_matrix *matrix, int shade)
{
    picture_rgb colour = picture_colour_of((shade + 0.5) / SHADES);
    int begun = 0;

    for (uint32_t row = 0; row < matrix->cells; row++)
        for (uint32_t column = 0, end; column < matrix->cells; column = end) {
            for (end = column; end < matrix->cells && shade_of(matrix, row, end) == shade;)
                end++;
            if (end == column) {
                end++;
                continue;
            }
            if (!begun++)
                fprintf(out, "<path fill=\"#%02x%02x%02x\" d=\"", colour.r, colour.g, colour.b);
            fprintf(out, "M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v1h-%" PRIu32 "z", column, row,
                    end - column, end - column);
        }
    if (begun)
        fputs("\"/>\n", out);
}

static void put_labels(FILE *out, const topomap_matrix *matrix)
{
    uint32_t step = (matrix->cells + LABELS - 1) / LABELS;

    for (uint32_t cell = 0; cell < matrix->cells; cell += step) {
        double at = (double)cell / matrix->cells * SIDE;

        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%" PRIu32 "</text>\n", LEFT - 6,
                TOP + at + 10, cell * matrix->each);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\">%" PRIu32 "</text>\n", LEFT + at, TOP - 6,
                cell * matrix->each);
    }
}

static void put_scale(FILE *out, const topomap_matrix *matrix)
{
    const int y = TOP + SIDE + 20, width = 320 / SHADES;

    if (matrix->most == 0)
        return;
    for (int i = 0; i < SHADES; i++) {
        picture_rgb colour = picture_colour_of((i + 0.5) / SHADES);

        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" fill=\"#%02x%02x%02x\"/>\n",
                LEFT + i * width, y, width, colour.r, colour.g, colour.b);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\">%.0f to %.0f bytes a cell (logarithmic)</text>\n",
            LEFT + SHADES * width + 8, y + 11, matrix->least, matrix->most);
}

void picture_matrix_svg(FILE *out, const topomap_matrix *matrix, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"title\">\n<title id=\"title\">",
            LEFT + SIDE + 20, TOP + SIDE + BELOW);
    topomap_markup_put(out, title);
    fputs(
        "</title>\n<style>text{font:12px "
        "sans-serif;fill:#222}.ground{fill:#fff}.field{fill:#f0f0f0}"
        "@media (prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#181818}"
        ".field{fill:#2a2a2a}}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
        out);
    fprintf(out, "<text x=\"%d\" y=\"18\">", LEFT);
    topomap_markup_put(out, title);
    fprintf(
        out,
        "</text>\n<g transform=\"translate(%d %d) scale(%.6f)\" shape-rendering=\"crispEdges\">\n",
        LEFT, TOP, (double)SIDE / matrix->cells);
    fprintf(out, "<rect class=\"field\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
            matrix->cells, matrix->cells);
    for (int shade = 0; shade < SHADES; shade++)
        put_shade(out, matrix, shade);
    fputs("</g>\n", out);
    put_labels(out, matrix);
    put_scale(out, matrix);
    fputs("</svg>\n", out);
}
