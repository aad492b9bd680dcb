/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text on one line of a message: %0A for a line break, %25 for '%'. */
#ifndef TOPOMAP_PLUGIN_COMMON_PERCENT_H
#define TOPOMAP_PLUGIN_COMMON_PERCENT_H

#include <stdio.h>

/** Writes the line "KEY TEXT", control characters, DEL and '%' as '%' and two hexadecimal digits,
 *  the rest as it is. Nothing where there is no text. */
void plugin_percent_line(FILE *out, const char *key, const char *text);

/** Turns it back, in place. \return 0, or -1: a '%' without two digits, or a NUL */
int plugin_percent_read(char *text);

#endif
