/* SPDX-License-Identifier: BSD-3-Clause */
/* What --json prints. */
#ifndef TOPOMAP_CLI_JSON_H
#define TOPOMAP_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

/** Prints a value in ASCII and a newline, and takes the reference; NULL is what memory was short
 *  for.
 *  \param flags  jansson's: JSON_COMPACT, without which lines are indented, JSON_REAL_PRECISION()
 *  \return CLI_DONE, or CLI_FAILED */
int cli_json(FILE *out, json_t *value, size_t flags);

/** Writes a value in ASCII. \param escaped  the ASCII characters that strings may hold and that are
 *  written as \uXXXX, in addition to those that JSON requires: DEL, which a terminal obeys, and in
 *  HTML "<". Returns 0, or -1 if memory is short. */
int cli_json_write(FILE *out, const json_t *value, const char *escaped, size_t flags);

/** The words of a text, one of these characters between two; none of NULL. */
json_t *cli_json_words(const char *text, char separator);
/** A text from outside: a name, a path. A text that is not UTF-8 is escaped by
 *  topomap_safe_text() ("caf\xe9"). NULL becomes JSON's null. */
json_t *cli_json_text(const char *text);
/** A computed number of bytes, which sums of doubles may round up to 2^63. */
json_t *cli_json_bytes(double bytes);

#endif
