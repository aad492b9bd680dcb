/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/cray.h"

#include <stdio.h>
#include <string.h>

int cray_number(const char *text, uint32_t most, uint32_t *value)
{
    uint64_t n = 0;
    const char *at = text;

    for (; *at >= '0' && *at <= '9' && n <= most; at++)
        n = n * 10 + (uint64_t)(*at - '0');
    if (at == text || *at || n > most)
        return -1;
    *value = (uint32_t)n;
    return 0;
}

int cray_name_parse(const char *text, struct cray_name *name)
{
    static const char marks[] = {'c', '-', 'c', 's', 'n'};
    static const uint32_t most[] = {65535, 65535, 255, 255, 255};
    uint32_t part[5];

    for (int i = 0; i < 5; i++) {
        const char *start = text + 1;
        uint32_t n = 0;

        if (*text != marks[i])
            return -1;
        for (text = start; *text >= '0' && *text <= '9' && n <= most[i]; text++)
            n = n * 10 + (uint32_t)(*text - '0');
        if (text == start || n > most[i])
            return -1;
        part[i] = n;
    }
    if (*text)
        return -1;
    *name = (struct cray_name){part[0], part[1], part[2], part[3], part[4]};
    return 0;
}

int64_t cray_name_pack(const struct cray_name *name)
{
    return (int64_t)name->col << 40 | (int64_t)name->row << 24 | (int64_t)name->cage << 16 |
           (int64_t)name->slot << 8 | name->node;
}

void cray_name_unpack(int64_t packed, struct cray_name *name)
{
    *name = (struct cray_name){.col = packed >> 40 & 0xffff,
                               .row = packed >> 24 & 0xffff,
                               .cage = packed >> 16 & 0xff,
                               .slot = packed >> 8 & 0xff,
                               .node = packed & 0xff};
}

void cray_name_format(const struct cray_name *name, char *text)
{
    snprintf(text, 40, "c%u-%uc%us%un%u", name->col, name->row, name->cage, name->slot, name->node);
}
