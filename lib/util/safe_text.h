/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for people. Names come from dumps, graphs and databases that others made; what a terminal
 * would obey in them is shown instead: \x1b for a byte, \u202e for a character. That is all control
 * characters but newline and tab (C0, DEL, and C1, which is U+0080 to U+009F in UTF-8), what turns
 * the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), the
 * separators of lines and paragraphs (U+2028, U+2029), U+FFFE and U+FFFF, which XML forbids, and
 * bytes that are not UTF-8. */
#pragma once

#include "topomap/topomap.h"

enum { TOPOMAP_SAFE_GROWTH = 4 }; /* bytes that one byte becomes at most */

/** Makes \p length bytes safe; \p out has room for TOPOMAP_SAFE_GROWTH times as many. *taken: those
 *  that were looked at, fewer where the last character is not whole and \p last is 0. \return the
 *  length of the result, which has no NUL behind it. */
size_t topomap_safe_text(const char *text, size_t length, int last, char *out, size_t *taken);

/** The same in place, for one line in \p size bytes: newlines are escaped, too. What is too long is
 *  cut. */
void topomap_safe_line(char *text, size_t size);

/** Writes the first character of \p text, which is not empty, to \p out as a JSON string holds it:
 * a character that topomap_safe_text() escapes becomes \uXXXX, and a byte that is not UTF-8
 *  becomes the text \xHH. \return the bytes of \p text that it stands for */
size_t topomap_json_character(const char *text, char out[8]);

/** Nonzero if \p length bytes are UTF-8 (RFC 3629). */
int topomap_is_utf8(const char *text, size_t length);

/** A stream that writes what is written to it to \p under, made safe; fclose() leaves that open.
 *  NULL with errno where memory is short. */
FILE *topomap_safe_stream(FILE *under);
