/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { MOST_DEPTH = 100, MOST_TEXT = 16 << 20 };

void topomap_json_begin(topomap_json *json, topomap_input *input)
{
    *json = (topomap_json){.input = input, .line = 1};
}

void topomap_json_clear(topomap_json *json)
{
    free(json->text);
    json->text = NULL;
}

int topomap_json_fail(const topomap_json *json, topomap_error *err, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s:%zu: %s", topomap_input_path(json->input),
                             json->line, text);
}

/* The next byte, which stays; 0 at the end. A NUL in the text is no JSON either. */
static int byte_peek(topomap_json *json, topomap_error *err)
{
    size_t size;
    int got;

    if (json->at < json->end)
        return (unsigned char)*json->at;
    got = topomap_input_some(json->input, &json->at, &size, err);
    if (got <= 0)
        return got;
    json->end = json->at + size;
    return (unsigned char)*json->at;
}

int topomap_json_peek(topomap_json *json, topomap_error *err)
{
    int c;

    while ((c = byte_peek(json, err)) == ' ' || c == '\t' || c == '\r' || c == '\n') {
        json->line += c == '\n';
        json->at++;
    }
    return c;
}

static int unexpected(const topomap_json *json, int c, const char *what, topomap_error *err)
{
    if (c < 0)
        return -1;
    if (!c)
        return topomap_json_fail(json, err, "the file ends where %s is expected", what);
    return topomap_json_fail(json, err, "expected %s, not `%c`", what,
                             c < ' ' || c > '~' ? '?' : c);
}

int topomap_json_expect(topomap_json *json, char wanted, topomap_error *err)
{
    int c = topomap_json_peek(json, err);
    char what[] = {'`', wanted, '`', 0};

    if (c != wanted)
        return unexpected(json, c, what, err);
    json->at++;
    return 0;
}

int topomap_json_more(topomap_json *json, char close, size_t count, topomap_error *err)
{
    int c = topomap_json_peek(json, err);

    if (c == close) {
        json->at++;
        return 0;
    }
    if (!count)
        return c > 0 ? 1 : unexpected(json, c, close == ']' ? "`]`" : "`}`", err);
    if (c != ',')
        return unexpected(json, c, close == ']' ? "`,` or `]`" : "`,` or `}`", err);
    json->at++;
    return 1;
}

/* ---- Strings ------------------------------------------------------------------------------- */

static int put(topomap_json *json, int byte, topomap_error *err)
{
    if (json->length >= MOST_TEXT)
        return topomap_json_fail(json, err, "a text of more than %d bytes", MOST_TEXT);
    if (topomap_grow(&json->text, &json->capacity, json->length + 1, 1, err))
        return -1;
    json->text[json->length++] = (char)byte;
    return 0;
}

/* In UTF-8: six bits in each byte but the first, which says how many follow. */
static int put_code(topomap_json *json, uint32_t code, topomap_error *err)
{
    static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

    if (put(json, (int)(first[more] | code >> 6 * more), err))
        return -1;
    while (more--)
        if (put(json, (int)(0x80 | (code >> 6 * more & 63)), err))
            return -1;
    return 0;
}

static int take_hex(topomap_json *json, uint32_t *code, topomap_error *err)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = byte_peek(json, err);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return unexpected(json, c, "a hexadecimal digit", err);
        *code = *code * 16 + (uint32_t)digit;
        json->at++;
    }
    return 0;
}

/* Behind `\u`. */
static int take_unicode(topomap_json *json, topomap_error *err)
{
    uint32_t code, low;

    if (take_hex(json, &code, err))
        return -1;
    if (code >= 0xd800 && code < 0xdc00) {
        for (int i = 0; i < 2; i++) {
            int c = byte_peek(json, err);

            if (c != "\\u"[i])
                return unexpected(json, c, "the second half of a pair", err);
            json->at++;
        }
        if (take_hex(json, &low, err))
            return -1;
        if (low < 0xdc00 || low >= 0xe000)
            return topomap_json_fail(json, err, "half of a pair in a text");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (!code || (code >= 0xdc00 && code < 0xe000)) {
        return topomap_json_fail(json, err, "`\\u%04x` in a text", (unsigned)code);
    }
    return put_code(json, code, err);
}

static int take_escape(topomap_json *json, topomap_error *err)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    int c = byte_peek(json, err);
    const char *name = c > 0 ? strchr(names, c) : NULL;

    if (c <= 0 || (c != 'u' && !name))
        return unexpected(json, c, "what follows a backslash", err);
    json->at++;
    return name ? put(json, values[name - names], err) : take_unicode(json, err);
}

int topomap_json_string(topomap_json *json, topomap_error *err)
{
    int c = topomap_json_peek(json, err);

    if (c != '"')
        return unexpected(json, c, "a text", err);
    json->at++;
    json->length = 0;
    while ((c = byte_peek(json, err)) != '"') {
        if (c < ' ')
            return unexpected(json, c, "a text to end", err);
        json->at++;
        if (c == '\\' ? take_escape(json, err) : put(json, c, err))
            return -1;
    }
    json->at++;
    return put(json, 0, err);
}

/* ---- Numbers and the rest ------------------------------------------------------------------ */

int topomap_json_integer(topomap_json *json, const char *what, uint64_t *value, topomap_error *err)
{
    int c = topomap_json_peek(json, err), digits = 0;
    uint64_t sum = 0;

    for (; c >= '0' && c <= '9'; c = byte_peek(json, err), digits++) {
        if (sum > ((uint64_t)INT64_MAX - (uint64_t)(c - '0')) / 10)
            return topomap_json_fail(json, err, "%s: 2^63 or more", what);
        sum = sum * 10 + (uint64_t)(c - '0');
        json->at++;
    }
    if (c < 0)
        return -1;
    if (!digits || c == '.' || c == 'e' || c == 'E')
        return topomap_json_fail(json, err, "%s: expected integers from 0 on", what);
    *value = sum;
    return 0;
}

static int take_number(topomap_json *json, topomap_error *err)
{
    int c = topomap_json_peek(json, err);

    json->length = 0;
    for (; c > 0 && strchr("+-.0123456789eE", c); c = byte_peek(json, err)) {
        if (put(json, c, err))
            return -1;
        json->at++;
    }
    return c < 0 ? -1 : put(json, 0, err);
}

int topomap_json_real(topomap_json *json, const char *what, double *value, topomap_error *err)
{
    char *end;

    if (take_number(json, err))
        return -1;
    *value = strtod(json->text, &end);
    if (end == json->text || *end || !isfinite(*value))
        return topomap_json_fail(json, err, "%s: expected finite numbers", what);
    return 0;
}

static int skip_word(topomap_json *json, topomap_error *err)
{
    static const char *const words[] = {"true", "false", "null"};
    int c;

    json->length = 0;
    while ((c = byte_peek(json, err)) >= 'a' && c <= 'z' && json->length < 10) {
        if (put(json, c, err))
            return -1;
        json->at++;
    }
    if (c < 0 || put(json, 0, err))
        return -1;
    for (int i = 0; i < 3; i++)
        if (!strcmp(json->text, words[i]))
            return 0;
    return topomap_json_fail(json, err, "`%s` is no value", json->text);
}

static int skip_scalar(topomap_json *json, int c, topomap_error *err)
{
    double ignored;

    if (c == '"')
        return topomap_json_string(json, err);
    if (c == '-' || (c >= '0' && c <= '9'))
        return topomap_json_real(json, "a number", &ignored, err);
    if (c >= 'a' && c <= 'z')
        return skip_word(json, err);
    return unexpected(json, c, "a value", err);
}

static int skip(topomap_json *json, int depth, topomap_error *err)
{
    int c = topomap_json_peek(json, err), more;
    char close = c == '[' ? ']' : '}';

    if (c != '[' && c != '{')
        return skip_scalar(json, c, err);
    if (depth == MOST_DEPTH)
        return topomap_json_fail(json, err, "more than %d levels", MOST_DEPTH);
    json->at++;
    for (size_t count = 0; (more = topomap_json_more(json, close, count, err)) == 1; count++) {
        if (c == '{' && (topomap_json_string(json, err) || topomap_json_expect(json, ':', err)))
            return -1;
        if (skip(json, depth + 1, err))
            return -1;
    }
    return more;
}

int topomap_json_skip(topomap_json *json, topomap_error *err)
{
    return skip(json, 0, err);
}
