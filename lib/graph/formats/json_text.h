/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads JSON (RFC 8259) value by value, in constant memory. Jansson, which other readers use, makes
 * a tree of the whole text: that of a graph file would be ten times as large as the file, and it
 * does not know the lines of values, which messages name. */
#pragma once

#include "util/input.h"

typedef struct topomap_json {
    topomap_input *input;
    const char *at, *end; /* bytes in hand */
    size_t line;
    char *text; /* the last string, or number */
    size_t length, capacity;
} topomap_json;

/** Sets \p json up; it ends with topomap_json_clear. */
void topomap_json_begin(topomap_json *json, topomap_input *input);
void topomap_json_clear(topomap_json *json);

/** Fills \p err with "PATH:LINE: ..."; returns -1. */
int topomap_json_fail(const topomap_json *json, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/** The first character of the next value or punctuation, which stays; 0 at the end; -1 on failure.
 */
int topomap_json_peek(topomap_json *json, topomap_error *err);
/** Takes exactly this character after blanks. */
int topomap_json_expect(topomap_json *json, char c, topomap_error *err);
/** Behind `[` or `{`, and behind each element: 1 if another follows, 0 at \p close (taken).
 *  \p count is the number of elements before. */
int topomap_json_more(topomap_json *json, char close, size_t count, topomap_error *err);
/** A string, into json->text, NUL-terminated and without NULs inside. */
int topomap_json_string(topomap_json *json, topomap_error *err);
/** An integer from 0 to 2^63 - 1; \p what is for messages. */
int topomap_json_integer(topomap_json *json, const char *what, uint64_t *value, topomap_error *err);
/** Any number that is finite, in the C locale's spelling. */
int topomap_json_real(topomap_json *json, const char *what, double *value, topomap_error *err);
/** Any value, which nobody needs. */
int topomap_json_skip(topomap_json *json, topomap_error *err);
