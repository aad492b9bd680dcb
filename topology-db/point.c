/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/point.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

/* A decimal number of up to \p most; what follows it, or NULL. */
static const char *read_number(const char *text, uint32_t most, uint32_t *number)
{
    uint64_t value;

    if (topomap_text_number(&text, &value) || value > most)
        return NULL;
    *number = (uint32_t)value;
    return text;
}

int db_point_parse(const char *text, char separator, struct db_point *point)
{
    *point = (struct db_point){0};
    for (;;) {
        uint32_t number;

        if (point->dims == DB_DIMS || !(text = read_number(text, DB_COORDINATE_MOST, &number)))
            return -1;
        point->at[point->dims++] = (uint16_t)number;
        if (!*text)
            return 0;
        if (*text++ != separator)
            return -1;
    }
}

void db_point_format(const struct db_point *point, char *text)
{
    *text = 0;
    for (uint32_t axis = 0; axis < point->dims; axis++)
        text += snprintf(text, 7, "%s%u", axis ? "," : "", point->at[axis]);
}

int db_point_same(const struct db_point *a, const struct db_point *b)
{
    return a->dims == b->dims && memcmp(a->at, b->at, a->dims * sizeof *a->at) == 0;
}

int db_dims_parse(const char *text, uint32_t *dims, uint32_t *dim)
{
    for (*dims = 0;;) {
        if (*dims == DB_DIMS || !(text = read_number(text, DB_COORDINATE_MOST + 1, &dim[*dims])) ||
            !dim[*dims])
            return -1;
        ++*dims;
        if (!*text)
            return 0;
        if (*text++ != 'x')
            return -1;
    }
}

void db_dims_format(uint32_t dims, const uint32_t *dim, char *text)
{
    *text = 0;
    for (uint32_t axis = 0; axis < dims; axis++)
        text += snprintf(text, 7, "%s%u", axis ? "x" : "", dim[axis]);
}
