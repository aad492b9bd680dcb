/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/derive.h"

#include <stdlib.h>
#include <string.h>

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
