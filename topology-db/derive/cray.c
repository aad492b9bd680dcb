/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/derive.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

int cray_number(const char *text, uint32_t most, uint32_t *value)
{
    uint64_t number;

    if (topomap_text_number(&text, &number) || *text || number > most)
        return -1;
    *value = (uint32_t)number;
    return 0;
}

/* c<col>-<row>c<cage>s<slot>, then \p last and a number; what follows, or NULL. */
static const char *parse_place(const char *text, char last, struct cray_name *name)
{
    const char marks[] = {'c', '-', 'c', 's', last};
    static const uint32_t most[] = {65535, 65535, 255, 255, 255};
    uint32_t part[5];

    for (int i = 0; i < 5; i++) {
        uint64_t number;

        if (*text++ != marks[i] || topomap_text_number(&text, &number) || number > most[i])
            return NULL;
        part[i] = (uint32_t)number;
    }
    *name = (struct cray_name){part[0], part[1], part[2], part[3], part[4]};
    return text;
}

int cray_name_parse(const char *text, struct cray_name *name)
{
    const char *end = parse_place(text, 'n', name);

    return end && !*end ? 0 : -1;
}

int cray_link_parse(const char *text, struct cray_name *name, char *kind, uint32_t *link,
                    const char **after)
{
    const char *at = NULL, *start;
    uint32_t n = 0;

    for (const char *k = "ags"; *k && !at; k++) {
        at = parse_place(text, *k, name);
        *kind = *k;
    }
    if (!at || *at != 'l')
        return -1;
    for (start = ++at; *at >= '0' && *at <= '7' && at - start < 3; at++)
        n = n * 8 + (uint32_t)(*at - '0');
    if (at == start || (*at && !after))
        return -1;
    *link = n;
    if (after)
        *after = at;
    return 0;
}

int64_t cray_router_of(int64_t node, char kind)
{
    if (node < 0)
        return -1;
    if (kind == 'a')
        return node & ~(int64_t)0xff;
    return kind == 'g' ? (node & ~(int64_t)0xff) | (node & 0xff) / 2 : node;
}

void cray_router_format(const struct cray_name *name, char kind, char *text)
{
    snprintf(text, 40, "c%u-%uc%us%u%c%u", name->col, name->row, name->cage, name->slot, kind,
             name->node);
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
