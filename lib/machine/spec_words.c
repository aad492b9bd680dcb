/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines whose shape is key=number,key=number. */
#include <stdio.h>
#include <string.h>

#include "machine/spec.h"

const char *topomap_spec_find(const topomap_spec *spec, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = spec->body;; at++) {
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
        at = strchr(at, ',');
        if (!at)
            return NULL;
    }
}

int topomap_spec_word(const topomap_spec *spec, const char *key, uint32_t least, uint32_t most,
                      uint32_t fallback, uint32_t *number, topomap_error *err)
{
    const char *text = topomap_spec_find(spec, key);
    char digits[16];
    size_t length = text ? strcspn(text, ",") : 0;

    *number = fallback;
    if (!text)
        return fallback >= least ? 0 : topomap_spec_fail(spec, err, "%s= is missing", key);
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 15 ? length : 15), text);
    if (length == 1 && *digits == '0')
        *number = 0;
    else if (length > 10 || topomap_spec_numbers(digits, ',', number, 1) != 1)
        return topomap_spec_fail(spec, err, "%s= takes a number, found '%s'", key, digits);
    if (*number < least || *number > most)
        return topomap_spec_fail(spec, err, "%s=%u: expected a number from %u to %u", key, *number,
                                 least, most);
    return 0;
}

int topomap_spec_words(const topomap_spec *spec, const char *keys, topomap_error *err)
{
    const char *at = spec->body;

    while (at) {
        size_t word = strcspn(at, ","), key = strcspn(at, "=,");
        char padded[24];

        snprintf(padded, sizeof padded, " %.*s ", (int)(key < 20 ? key : 20), at);
        if (!key || key >= word || key > 16 || !strstr(keys, padded))
            return topomap_spec_fail(spec, err,
                                     "'%.*s' is none of%s, each key=number before *SLOTS, "
                                     "@COSTS and alloc=",
                                     (int)(word < 40 ? word : 40), at, keys);
        for (const char *other = spec->body; other < at; other++)
            if (strncmp(other, at, key + 1) == 0 && (other == spec->body || other[-1] == ','))
                return topomap_spec_fail(spec, err, "%.*s= is given twice", (int)key, at);
        at = at[word] ? at + word + 1 : NULL;
    }
    return 0;
}
