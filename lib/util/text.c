/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/text.h"

#include <math.h>
#include <stdarg.h>

struct decimal {
    uint64_t mantissa;
    long exponent; /* value = mantissa * 10^exponent */
    int digits;    /* any seen */
};

/* A digit after or before the point; digits beyond 18 significant ones only move the point. */
static void take_digit(struct decimal *decimal, char c, int after_point)
{
    decimal->digits = 1;
    if (decimal->mantissa < UINT64_C(1000000000000000000)) {
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(c - '0');
        decimal->exponent -= after_point;
    } else {
        decimal->exponent += !after_point;
    }
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The part from `e` on; stays where it is if no digits follow. */
static const char *take_exponent(struct decimal *decimal, const char *at)
{
    const char *digit = at + 1;
    long sum = 0;
    int down = *digit == '-';

    if (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D') /* Fortran writes 1.0D3 */
        return at;
    if (*digit == '-' || *digit == '+')
        digit++;
    if (!is_digit(*digit))
        return at;
    for (; is_digit(*digit); digit++)
        if (sum < 100000)
            sum = sum * 10 + (*digit - '0');
    decimal->exponent += down ? -sum : sum;
    return digit;
}

int topomap_text_real(const char **text, uint64_t *magnitude, int *negative)
{
    struct decimal decimal = {0};
    const char *at = *text;
    int sign = *at == '-';
    long double value;

    if (*at == '-' || *at == '+')
        at++;
    for (; is_digit(*at); at++)
        take_digit(&decimal, *at, 0);
    if (*at == '.')
        for (at++; is_digit(*at); at++)
            take_digit(&decimal, *at, 1);
    if (!decimal.digits)
        return -1;
    at = take_exponent(&decimal, at);
    value = (long double)decimal.mantissa;
    if (decimal.mantissa && decimal.exponent > 0)
        value *= powl(10, (long double)decimal.exponent);
    else if (decimal.mantissa)
        value /= powl(10, (long double)-decimal.exponent);
    value = roundl(value);
    if (!(value < 0x1p63L))
        return -1;
    *text = at;
    *magnitude = (uint64_t)value;
    *negative = sign && *magnitude;
    return 0;
}

int topomap_text_fail(const topomap_input *input, const char *text, const char *what,
                      topomap_error *err)
{
    size_t word = strcspn(text, " \t,;");
    uint64_t value;

    if (!word)
        return topomap_input_fail(input, err, "%s is missing", what);
    if (*text == '-' && is_digit(text[1]))
        return topomap_input_fail(input, err, "%s is negative: %.*s", what, (int)(word % 64), text);
    if (is_digit(*text) && topomap_text_number(&text, &value))
        return topomap_input_fail(input, err, "%s is 2^63 or more", what);
    return topomap_input_fail(input, err, "%s must be a number, not `%.*s`", what,
                              (int)(word < 40 ? word : 40), text);
}

char *topomap_text_field(char **at, char separator)
{
    const char ends[] = {separator, 0};
    char *start = *at, *to, *from;

    if (!start)
        return NULL;
    start += strspn(start, " \t");
    if (*start == '"') {
        for (from = to = start + 1; *from && (*from != '"' || from[1] == '"'); from++)
            from += *from == '"', *to++ = *from;
        from += *from == '"';
        from += strspn(from, " \t");
        *at = *from == separator ? from + 1 : NULL;
        *to = 0;
        return start + 1;
    }
    to = start + strcspn(start, ends);
    *at = *to ? to + 1 : NULL;
    while (to > start && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *to = 0;
    return start;
}

void topomap_text_append(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

void topomap_text_flush(topomap_text_out *out)
{
    /* A short write leaves ferror() set, which the writer's caller checks once at the end. */
    fwrite(out->buffer, 1, out->used, out->file);
    out->used = 0;
}
