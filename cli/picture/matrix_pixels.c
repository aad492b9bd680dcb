/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix as pixels, in the two ways that terminals take them. Cells that are empty stay as the
 * terminal's ground is. */
#include "cli/picture/picture.h"

#include <inttypes.h>

static int shade_at(const topomap_matrix *matrix, uint32_t each, uint32_t x, uint32_t y)
{
    return picture_shade(topomap_matrix_strength(matrix, y / each, x / each));
}

/* ---- Sixel ------------------------------------------------------------------------------- */

enum { BAND = 6, SIXEL = 63 }; /* rows of a band; the character of an empty column */

static void put_run(FILE *out, int sixel, uint32_t count)
{
    if (count > 3)
        fprintf(out, "!%" PRIu32 "%c", count, sixel);
    else
        while (count--)
            fputc(sixel, out);
}

/* The pixels of a shade in six rows. */
static void put_band(FILE *out, const topomap_matrix *matrix, uint32_t each, uint32_t top,
                     int shade)
{
    uint32_t side = matrix->cells * each, run = 0;
    int before = SIXEL;

    fprintf(out, "#%d", shade);
    for (uint32_t x = 0; x < side; x++) {
        int bits = 0;

        for (uint32_t i = 0; i < BAND && top + i < side; i++)
            bits |= (shade_at(matrix, each, x, top + i) == shade) << i;
        if (run && SIXEL + bits != before) {
            put_run(out, before, run);
            run = 0;
        }
        before = SIXEL + bits;
        run++;
    }
    if (before != SIXEL)
        put_run(out, before, run);
    fputc('$', out);
}

static void find_shades(const topomap_matrix *matrix, uint32_t each, uint32_t top,
                        uint8_t is_there[256])
{
    uint32_t side = matrix->cells * each;

    for (int shade = 0; shade < 256; shade++)
        is_there[shade] = 0;
    for (uint32_t y = top; y < top + BAND && y < side; y++)
        for (uint32_t x = 0; x < side; x += each)
            is_there[shade_at(matrix, each, x, y)] = 1;
}

/* DEC's "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14: P2 = 1 leaves pixels that
 * are not drawn as they are; colours are in per cent. */
void picture_matrix_sixel(FILE *out, const topomap_matrix *matrix, uint32_t each)
{
    const uint32_t *ramp = picture_ramp(), side = matrix->cells * each;

    fprintf(out, "\033P0;1;0q\"1;1;%" PRIu32 ";%" PRIu32, side, side);
    for (int i = 0; i <= picture_shade(1); i++)
        fprintf(out, "#%d;2;%u;%u;%u", i, (unsigned)((ramp[i] >> 16 & 255) * 100 / 255),
                (unsigned)((ramp[i] >> 8 & 255) * 100 / 255),
                (unsigned)((ramp[i] & 255) * 100 / 255));
    for (uint32_t top = 0; top < side; top += BAND) {
        uint8_t is_there[256];

        find_shades(matrix, each, top, is_there);
        for (int shade = 0; shade < TOPOMAP_DRAW_EMPTY; shade++)
            if (is_there[shade])
                put_band(out, matrix, each, top, shade);
        fputc('-', out);
    }
    fputs("\033\\\n", out);
}

/* ---- kitty ------------------------------------------------------------------------------- */

enum { CHUNK = 3072 }; /* 4,096 characters in base64, the most of one piece */

static void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;

        three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < size ? bytes[i + 2] : 0;
        fputc(digit[three >> 18], out);
        fputc(digit[three >> 12 & 63], out);
        fputc(i + 1 < size ? digit[three >> 6 & 63] : '=', out);
        fputc(i + 2 < size ? digit[three & 63] : '=', out);
    }
}

/* kitty's "Terminal graphics protocol": 32-bit pixels, shown at once, in pieces of which all but
 * the last say m=1. A pixel a cell: the terminal makes it as many columns wide as is said. */
void picture_matrix_kitty(FILE *out, const topomap_matrix *matrix, uint32_t columns)
{
    const uint32_t *ramp = picture_ramp();
    size_t pixels = (size_t)matrix->cells * matrix->cells, done = 0;

    while (done < pixels) {
        uint8_t chunk[CHUNK];
        size_t used = 0;

        if (done == 0)
            fprintf(out, "\033_Gq=2,a=T,f=32,s=%" PRIu32 ",v=%" PRIu32 ",c=%" PRIu32 ",",
                    matrix->cells, matrix->cells, columns);
        else
            fputs("\033_G", out);
        for (; used < CHUNK && done < pixels; done++) {
            int shade = shade_at(matrix, 1, (uint32_t)(done % matrix->cells),
                                 (uint32_t)(done / matrix->cells));
            uint32_t colour = shade == TOPOMAP_DRAW_EMPTY ? 0 : ramp[shade];

            chunk[used++] = (uint8_t)(colour >> 16);
            chunk[used++] = (uint8_t)(colour >> 8);
            chunk[used++] = (uint8_t)colour;
            chunk[used++] = shade == TOPOMAP_DRAW_EMPTY ? 0 : 255;
        }
        fprintf(out, "m=%d;", done < pixels);
        put_base64(out, chunk, used);
        fputs("\033\\", out);
    }
    fputc('\n', out);
}
