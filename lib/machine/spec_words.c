/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing that several kinds of machines share: lists of numbers, and shapes of
 * key=number,key=number. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/spec.h"

int topomap_spec_fail(const topomap_spec *spec, topomap_error *err, const char *format, ...)
{
    char text[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EUSAGE, "machine '%s': %s", spec->text, text);
}

int topomap_spec_numbers(const char *text, char separator, uint32_t *number, uint32_t limit)
{
    uint32_t count = 0;

    for (;;) {
        char *end;
        unsigned long long value;

        if (!isdigit((unsigned char)*text) || count == limit)
            return -1;
        errno = 0;
        value = strtoull(text, &end, 10);
        if (errno || value == 0 || value > UINT32_MAX)
            return -1;
        number[count++] = (uint32_t)value;
        if (*end == '\0')
            return (int)count;
        if (*end != separator)
            return -1;
        text = end + 1;
    }
}

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
