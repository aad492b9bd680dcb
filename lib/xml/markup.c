/* SPDX-License-Identifier: BSD-3-Clause */
#include "xml/markup.h"

#include "util/safe_text.h"

static void put_character(FILE *out, char character)
{
    switch (character) {
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '&':
        fputs("&amp;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    default:
        fputc(character, out);
    }
}

void topomap_markup_put(FILE *out, const char *text)
{
    char safe[1024];

    snprintf(safe, sizeof safe, "%s", text);
    topomap_safe_line(safe, sizeof safe); /* no control characters, and UTF-8 */
    for (const char *at = safe; *at; at++)
        put_character(out, *at);
}
