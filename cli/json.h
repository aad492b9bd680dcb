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

/** The words of a text, one of these characters between two; none of NULL. */
json_t *cli_json_words(const char *text, char separator);
/** A text that may be in any encoding: '?' stands for what is not ASCII in one that is not UTF-8.
 */
json_t *cli_json_text(const char *text);
/** A computed number of bytes, which sums of doubles may round up to 2^63. */
json_t *cli_json_bytes(double bytes);

#endif
