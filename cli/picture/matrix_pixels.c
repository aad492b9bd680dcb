/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix as pixels, in the two ways that terminals take them. Cells that are empty stay as the
 * terminal's ground is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picture/picture.h"
#include "util/alloc.h"

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

/* Six rows of pixels: a bit for each, by shade and column of cells. */
struct band {
    uint8_t *bits; /* [shades * cells] */
    uint8_t is_there[256];
};

static void fill(struct band *band, const uint8_t *shade, uint32_t cells, uint32_t each,
                 uint32_t top)
{
    memset(band->bits, 0, ((size_t)picture_shade(1) + 1) * cells);
    memset(band->is_there, 0, sizeof band->is_there);
    for (uint32_t i = 0; i < BAND && (top + i) / each < cells; i++) {
        const uint8_t *row = shade + (size_t)((top + i) / each) * cells;

        for (uint32_t column = 0; column < cells; column++)
            if (row[column] != TOPOMAP_DRAW_EMPTY) {
                band->bits[(size_t)row[column] * cells + column] |= (uint8_t)(1 << i);
                band->is_there[row[column]] = 1;
            }
    }
}

/* What of it is of one shade. */
static void put_band(FILE *out, const struct band *band, uint32_t cells, uint32_t each, int shade)
{
    const uint8_t *bits = band->bits + (size_t)shade * cells;
    uint32_t run = 0;
    int before = SIXEL;

    fprintf(out, "#%d", shade);
    for (uint32_t column = 0; column < cells; column++) {
        if (run && SIXEL + bits[column] != before) {
            put_run(out, before, run);
            run = 0;
        }
        before = SIXEL + bits[column];
        run += each;
    }
    if (before != SIXEL)
        put_run(out, before, run);
    fputc('$', out);
}

/* DEC's "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14: P2 = 1 leaves pixels that
 * are not drawn as they are; colours are in per cent. */
int picture_matrix_sixel(FILE *out, const topomap_matrix *matrix, uint32_t each, topomap_error *err)
{
    const uint32_t *ramp = picture_ramp(), cells = matrix->cells, side = cells * each;
    const int shades = picture_shade(1) + 1;
    struct band band = {.bits = topomap_alloc((size_t)shades * cells, 1, err)};
    uint8_t *shade = band.bits ? picture_shades(matrix, err) : NULL;

    if (shade) {
        fprintf(out, "\033P0;1;0q\"1;1;%" PRIu32 ";%" PRIu32, side, side);
        for (int i = 0; i < shades; i++)
            fprintf(out, "#%d;2;%u;%u;%u", i, (unsigned)((ramp[i] >> 16 & 255) * 100 / 255),
                    (unsigned)((ramp[i] >> 8 & 255) * 100 / 255),
                    (unsigned)((ramp[i] & 255) * 100 / 255));
        for (uint32_t top = 0; top < side; top += BAND) {
            fill(&band, shade, cells, each, top);
            for (int i = 0; i < shades; i++)
                if (band.is_there[i])
                    put_band(out, &band, cells, each, i);
            fputc('-', out);
        }
        fputs("\033\\\n", out);
    }
    free(band.bits);
    free(shade);
    return shade ? 0 : -1;
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
int picture_matrix_kitty(FILE *out, const topomap_matrix *matrix, uint32_t columns,
                         topomap_error *err)
{
    const uint32_t *ramp = picture_ramp();
    size_t pixels = (size_t)matrix->cells * matrix->cells, done = 0;
    uint8_t *shade = picture_shades(matrix, err);

    if (!shade)
        return -1;

    while (done < pixels) {
        uint8_t chunk[CHUNK];
        size_t used = 0;

        if (done == 0)
            fprintf(out, "\033_Gq=2,a=T,f=32,s=%" PRIu32 ",v=%" PRIu32 ",c=%" PRIu32 ",",
                    matrix->cells, matrix->cells, columns);
        else
            fputs("\033_G", out);
        for (; used < CHUNK && done < pixels; done++) {
            uint32_t colour = shade[done] == TOPOMAP_DRAW_EMPTY ? 0 : ramp[shade[done]];

            chunk[used++] = (uint8_t)(colour >> 16);
            chunk[used++] = (uint8_t)(colour >> 8);
            chunk[used++] = (uint8_t)colour;
            chunk[used++] = shade[done] == TOPOMAP_DRAW_EMPTY ? 0 : 255;
        }
        fprintf(out, "m=%d;", done < pixels);
        put_base64(out, chunk, used);
        fputs("\033\\", out);
    }
    fputc('\n', out);
    free(shade);
    return 0;
}
