/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/cray/xname.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 6 };

int xname_parse(const char *text, struct xname *name)
{
    *name = (struct xname){0};
    while (*text) {
        size_t digits = strspn(text + 1, "0123456789");
        uint32_t number = 0;

        if (!isalpha((unsigned char)*text) || !digits || digits > DIGITS ||
            name->parts == XNAME_PARTS)
            return -1;
        for (size_t i = 1; i <= digits; i++)
            number = number * 10 + (uint32_t)(text[i] - '0');
        name->letter[name->parts] = (char)tolower((unsigned char)*text);
        name->number[name->parts++] = number;
        text += 1 + digits;
        text += *text == '.' && text[1];
    }
    return name->parts ? 0 : -1;
}

void xname_format(const struct xname *name, int parts, char *text)
{
    size_t used = 0;

    for (int i = 0; i < parts && i < name->parts; i++)
        used += (size_t)snprintf(text + used, XNAME_TEXT - used, "%c%u", name->letter[i],
                                 name->number[i]);
}

static int letters(const struct xname *name, const char *wanted)
{
    return (size_t)name->parts == strlen(wanted) &&
           memcmp(name->letter, wanted, strlen(wanted)) == 0;
}

static void drop_part(struct xname *name, int part)
{
    for (int i = part; i + 1 < name->parts; i++) {
        name->letter[i] = name->letter[i + 1];
        name->number[i] = name->number[i + 1];
    }
    name->parts--;
}

int xname_jack(struct xname *name, uint32_t *jack, int *port)
{
    if (name->parts > 3 && name->letter[2] == 'r' && name->letter[3] == 'b')
        drop_part(name, 3);
    *port = -1;
    if (letters(name, "xcrjp")) {
        *port = (int)name->number[4];
        name->parts--;
    }
    if (!letters(name, "xcrj"))
        return -1;
    *jack = name->number[3];
    name->parts = 3;
    return 0;
}

int xname_node(struct xname *name, int *nic)
{
    *nic = -1;
    if (letters(name, "xcsbnh") || letters(name, "xcsnh")) {
        *nic = (int)name->number[name->parts - 1];
        name->parts--;
    }
    return letters(name, "xcsbn") || letters(name, "xcsn") ? 0 : -1;
}
