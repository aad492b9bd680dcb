/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/derive.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>

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

/* ---- Shapes ----------------------------------------------------------------------------- */

enum { CAGES = 3, CLASS3_Z = 24, COLUMNS_MOST = 1024 };

/* Group, chassis in the group, blade. */
static void place_aries(const struct cray_shape *shape, const struct cray_name *name,
                        topomap_coordinates *point)
{
    uint32_t group = name->col / 2 + name->row * (shape->columns / 2);

    if (name->cage >= CAGES || name->slot >= 16 || group > TOPOMAP_COORDINATE_MOST)
        return;
    *point = (topomap_coordinates){
        3,
        {(uint16_t)group, (uint16_t)(name->cage + CAGES * (name->col % 2)), (uint16_t)name->slot}};
}

/* Cabling is folded: even and odd columns, and even and odd rows, run in opposite directions, and
 * the z chain snakes through the cages. */
static void place_class3(const struct cray_shape *shape, const struct cray_name *name,
                         topomap_coordinates *point)
{
    uint32_t fold = name->row % 2 ? shape->rows - 1 - (name->row - 1) / 2 : name->row / 2, k;

    if (name->cage >= CAGES || name->slot >= 8 || name->node >= 4)
        return;
    k = fold % 2 ? CAGES - 1 - name->cage : name->cage;
    point->dims = 3;
    point->at[0] = (uint16_t)(name->col % 2 ? (name->col + 1) / 2
                                            : (shape->columns - name->col / 2) % shape->columns);
    point->at[1] = (uint16_t)(2 * fold + name->node / 2);
    point->at[2] = (uint16_t)(8 * k + (k % 2 ? 7 - name->slot : name->slot));
}

static const struct cray_shape_rule rules[] = {
    {"aries", "columns=N", 0, "dragonfly", place_aries},
    {"xt-class3", "columns=N,rows=N", 1, "torus", place_class3},
};

static const struct {
    const char *name, *shape;
} machines[] = {
    {"titan", "xt-class3:columns=25,rows=8"},
    {"theta", "aries:columns=12"},
    {"cori", "aries:columns=12"},
    {"edison", "aries:columns=8"},
};

/* `name=N` at the text's front; what follows it, or NULL. */
static const char *read_size(const char *text, const char *name, uint32_t *size)
{
    size_t length = strlen(name);
    char *end;
    unsigned long n;

    if (strncmp(text, name, length) != 0 || text[length] < '0' || text[length] > '9')
        return NULL;
    n = strtoul(text + length, &end, 10);
    *size = (uint32_t)n;
    return n >= 1 && n <= COLUMNS_MOST ? end : NULL;
}

int cray_shape_parse(const char *text, struct cray_shape *shape, topomap_error *err)
{
    const char *whole = text, *at = NULL;

    *shape = (struct cray_shape){0};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(text, machines[i].name) == 0)
            text = machines[i].shape;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t length = strlen(rules[i].name);

        if (strncmp(text, rules[i].name, length) != 0 || text[length] != ':')
            continue;
        shape->rule = &rules[i];
        at = read_size(text + length + 1, "columns=", &shape->columns);
        if (at && rules[i].needs_rows)
            at = read_size(at, ",rows=", &shape->rows);
    }
    if (at && !*at && (shape->rule->needs_rows || shape->columns % 2 == 0))
        return 0;
    return topomap_error_set(err, TOPOMAP_EUSAGE, "shape takes %s (N even for aries), not '%.60s'",
                             CRAY_SHAPE_VALUES, whole);
}

void cray_shape_place(const struct cray_shape *shape, const struct cray_name *name,
                      topomap_coordinates *point)
{
    *point = (topomap_coordinates){0};
    if (name->col < shape->columns && (!shape->rows || name->row < shape->rows))
        shape->rule->place(shape, name, point);
}

uint32_t cray_shape_dims(const struct cray_shape *shape, uint32_t *dim)
{
    if (!shape->rows)
        return 0;
    dim[0] = shape->columns;
    dim[1] = 2 * shape->rows;
    dim[2] = CLASS3_Z;
    return 3;
}
