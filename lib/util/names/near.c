/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "util/names/near.h"

#include <string.h>

#define MOST_NAME 64

/* Levenshtein's, a row at a time. */
static size_t distance(const char *word, size_t length, const char *name, size_t width)
{
    size_t row[MOST_NAME + 1];

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = diagonal + (word[i - 1] != name[j - 1]);
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[width];
}

size_t topomap_near_edits(const char *word, size_t length, const char *name)
{
    size_t width = strlen(name), edits;

    if (length > MOST_NAME || width > MOST_NAME)
        return TOPOMAP_NEAR_EDITS;
    edits = distance(word, length, name, width);
    /* `mpa` is map, `yes` is no mesh. */
    if (edits >= length || (2 * edits > length && *word != *name))
        return TOPOMAP_NEAR_EDITS;
    return edits < TOPOMAP_NEAR_EDITS ? edits : TOPOMAP_NEAR_EDITS;
}
