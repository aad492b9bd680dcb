/* SPDX-License-Identifier: BSD-3-Clause */
/* Words that several InfiniBand tools print alike. */
#include <ctype.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"

int ib_fail(struct ib_reader *r, const char *what, const char *at)
{
    return db_fail_here(r->import, "%s at '%.40s'", what, at);
}

size_t ib_line(const struct ib_reader *r)
{
    return topomap_input_lineno(r->import->input);
}

void ib_record(struct ib_reader *r, struct ib_vertex *vertex, uint64_t guid)
{
    r->recorded += !vertex->recorded;
    r->fabric->last = guid;
    vertex->recorded = 1;
    if (!vertex->line)
        vertex->line = ib_line(r);
}

void ib_skip_blanks(char **at)
{
    while (**at == ' ' || **at == '\t')
        (*at)++;
}

int ib_read_number(char **at, uint32_t most, uint32_t *value)
{
    uint64_t n = 0;
    const char *start = *at;

    for (; isdigit((unsigned char)**at) && n <= most; (*at)++)
        n = n * 10 + (uint64_t)(**at - '0');
    *value = (uint32_t)n;
    return *at > start && n <= most ? 0 : -1;
}

int ib_read_hex(char **at, uint64_t *value)
{
    int digits = 0;

    for (*value = 0; digits < 16 && isxdigit((unsigned char)**at); (*at)++, digits++) {
        char c = **at;

        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return isxdigit((unsigned char)**at) ? 0 : digits;
}

int ib_read_guid(char **at, uint64_t *guid)
{
    if (strncmp(*at, "0x", 2) == 0 || strncmp(*at, "0X", 2) == 0)
        *at += 2;
    return ib_read_hex(at, guid) && *guid ? 0 : -1;
}

int ib_read_width(char **at, uint8_t *width)
{
    uint32_t lanes = 0;

    if (strncmp(*at, "??", 2) == 0)
        *at += 2;
    else if (ib_read_number(at, 255, &lanes) || (**at != 'x' && **at != 'X'))
        return -1;
    else
        (*at)++;
    *width = (uint8_t)lanes;
    return 0;
}

/* Every speed of InfiniBand so far ends in DR; anything else is a line that was cut. */
int ib_read_speed(struct ib_reader *r, char **at, uint8_t *speed)
{
    const char *text = *at;
    size_t length = 0;

    while (isupper((unsigned char)text[length]) || isdigit((unsigned char)text[length]) ||
           text[length] == '?')
        length++;
    if (text[length] && text[length] != ' ' && text[length] != '\t')
        return -1;
    *at += length;
    *speed = ib_speed_named(text, length);
    if (*speed || strncmp(text, "???", length) == 0)
        return length ? 0 : -1;
    if (length < 3 || length > 6 || strncmp(text + length - 2, "DR", 2) != 0)
        return -1;
    db_warn(r->import, ib_line(r), "speed '%.*s' is new to this program: taken as unknown",
            (int)length, text);
    return 0;
}
