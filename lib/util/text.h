/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers out of text and into text, without libc's locale and its slow paths. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/input.h"

static inline const char *topomap_text_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/** Reads decimal digits at *text and moves behind them. 0, or -1 (nothing moved) where there is
 *  no digit or the value is 2^63 or more; topomap_text_fail says which. */
static inline int topomap_text_number(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t sum = (unsigned char)(*at - '0');
    unsigned digit;

    if (sum > 9)
        return -1;
    while ((digit = (unsigned char)(*++at - '0')) <= 9) {
        if (sum >= UINT64_MAX / 20) /* so that ten times that and nine stays below 2^63 */
            if (sum > ((uint64_t)INT64_MAX - digit) / 10)
                return -1;
        sum = sum * 10 + digit;
    }
    *text = at;
    *value = sum;
    return 0;
}

/** Reads a number that may have a sign, a fraction and an exponent; the value is its magnitude
 *  rounded to the nearest integer. -1 where it is no number, is not finite or reaches 2^63. */
int topomap_text_real(const char **text, uint64_t *magnitude, int *negative);

/** Fills \p err with why a number of the meaning \p what could not be read at \p text: nothing
 *  there, negative, too large, or not a number. Returns -1. */
int topomap_text_fail(const topomap_input *input, const char *text, const char *what,
                      topomap_error *err);

/** Puts more behind a text, as far as there is \p room for it and a NUL. */
void topomap_text_append(char *text, size_t room, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** Takes the next field off *at, which \p separator ends: cut out in place, without the quotes of
 * one that stands in them (a quote inside is doubled) and the blanks around it. NULL after the
 * last.
 */
char *topomap_text_field(char **at, char separator);

/** Buffered output of many short pieces. */
typedef struct topomap_text_out {
    FILE *file;
    const char *path; /**< the name of the file, if it is known */
    size_t used;
    char buffer[(size_t)64 << 10];
} topomap_text_out;

void topomap_text_flush(topomap_text_out *out);

static inline void topomap_text_char(topomap_text_out *out, char c)
{
    if (out->used == sizeof out->buffer)
        topomap_text_flush(out);
    out->buffer[out->used++] = c;
}

static inline void topomap_text_string(topomap_text_out *out, const char *text)
{
    while (*text)
        topomap_text_char(out, *text++);
}

static inline void topomap_text_put(topomap_text_out *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    if (out->used + sizeof digits > sizeof out->buffer)
        topomap_text_flush(out);
    memcpy(out->buffer + out->used, digits + at, sizeof digits - at);
    out->used += sizeof digits - at;
}

/** Numbers with a character between them. */
static inline void topomap_text_list(topomap_text_out *out, const uint64_t *value, size_t count,
                                     char between)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            topomap_text_char(out, between);
        topomap_text_put(out, value[i]);
    }
}
