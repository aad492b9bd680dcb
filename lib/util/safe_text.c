/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/safe_text.h"

#include <stdlib.h>
#include <string.h>

/* Length of the character at \p text, whose number is *code, as RFC 3629 has it: 0 where there is
 * none, -1 where it may go on behind the end. */
static int character(const unsigned char *text, size_t length, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int size = text[0] < 0x80   ? 1
               : text[0] < 0xc2 ? 0
               : text[0] < 0xe0 ? 2
               : text[0] < 0xf0 ? 3
                                : 4;

    if (!size || text[0] > 0xf4)
        return 0;
    *code = size == 1 ? text[0] : text[0] & (0x7fu >> size);
    for (int i = 1; i < size; i++) {
        if ((size_t)i == length)
            return -1;
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return *code < least[size] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0
                                                                                          : size;
}

static int is_obeyed(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0, 8},           {11, 31},         {127, 0x9f},      {0x61c, 0x61c},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffe, 0xffff},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return 1;
    return 0;
}

/* \param newlines  nonzero: newlines are escaped, too */
static size_t show(const char *text, size_t length, int last, int newlines, char *out,
                   size_t *taken)
{
    size_t at = 0, made = 0;

    while (at < length) {
        const unsigned char *byte = (const unsigned char *)text + at;
        char shown[8];
        uint32_t code = 0;
        int size;

        if (*byte >= ' ' && *byte <= '~') { /* nearly all */
            out[made++] = text[at++];
            continue;
        }
        size = character(byte, length - at, &code);

        if (size < 0 && !last)
            break;
        if (size > 0 && !is_obeyed(code) && !(newlines && code == '\n')) {
            memcpy(out + made, byte, (size_t)size);
            made += (size_t)size;
            at += (size_t)size;
            continue;
        }
        snprintf(shown, sizeof shown, size > 1 ? "\\u%04x" : "\\x%02x",
                 size > 1 ? (unsigned)(code & 0xffff) : *byte);
        memcpy(out + made, shown, strlen(shown));
        made += strlen(shown);
        at += size > 1 ? (size_t)size : 1;
    }
    *taken = at;
    return made;
}

size_t topomap_safe_text(const char *text, size_t length, int last, char *out, size_t *taken)
{
    return show(text, length, last, 0, out, taken);
}

size_t topomap_json_character(const char *text, char out[8])
{
    uint32_t code = 0;
    int size = character((const unsigned char *)text, strnlen(text, 4), &code);

    if (size <= 0)
        snprintf(out, 8, "\\\\x%02x", (unsigned char)*text);
    else if (code < ' ' || is_obeyed(code))
        snprintf(out, 8, "\\u%04x", (unsigned)(code & 0xffff));
    else
        snprintf(out, 8, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", size, text);
    return size > 0 ? (size_t)size : 1;
}

int topomap_is_utf8(const char *text, size_t length)
{
    uint32_t code;
    int size;

    for (size_t at = 0; at < length; at += (size_t)size) {
        size = character((const unsigned char *)text + at, length - at, &code);
        if (size <= 0)
            return 0;
    }
    return 1;
}

void topomap_safe_line(char *text, size_t size)
{
    size_t length = strnlen(text, size), plain = 0, taken, made;
    char *copy;

    while (plain < length && text[plain] >= ' ' && text[plain] <= '~')
        plain++;
    if (plain == length)
        return;
    copy = malloc(length * TOPOMAP_SAFE_GROWTH);
    if (!copy) {
        for (size_t i = 0; i < length; i++)
            text[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
        return;
    }
    made = show(text, length, 1, 1, copy, &taken);
    made = made < size ? made : size - 1;
    memcpy(text, copy, made);
    text[made] = '\0';
    free(copy);
}
