/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/coordinates.h"

#include <stdio.h>
#include <stdlib.h>
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

int topomap_coordinates_parse(const char *text, char separator, topomap_coordinates *coordinates)
{
    *coordinates = (topomap_coordinates){0};
    for (;;) {
        uint32_t number;

        if (coordinates->dims == TOPOMAP_DIMS ||
            !(text = read_number(text, TOPOMAP_COORDINATE_MOST, &number)))
            return -1;
        coordinates->at[coordinates->dims++] = (uint16_t)number;
        if (!*text)
            return 0;
        if (*text++ != separator)
            return -1;
    }
}

void topomap_coordinates_format(const topomap_coordinates *coordinates, char *text)
{
    *text = 0;
    for (uint32_t axis = 0; axis < coordinates->dims; axis++)
        text += snprintf(text, 7, "%s%u", axis ? "," : "", coordinates->at[axis]);
}

int topomap_coordinates_same(const topomap_coordinates *a, const topomap_coordinates *b)
{
    return a->dims == b->dims && memcmp(a->at, b->at, a->dims * sizeof *a->at) == 0;
}

int topomap_dims_parse(const char *text, uint32_t *dims, uint32_t *dim)
{
    for (*dims = 0;;) {
        if (*dims == TOPOMAP_DIMS ||
            !(text = read_number(text, TOPOMAP_COORDINATE_MOST + 1, &dim[*dims])) || !dim[*dims])
            return -1;
        ++*dims;
        if (!*text)
            return 0;
        if (*text++ != 'x')
            return -1;
    }
}

void topomap_dims_format(uint32_t dims, const uint32_t *dim, char *text)
{
    *text = 0;
    for (uint32_t axis = 0; axis < dims; axis++)
        text += snprintf(text, 7, "%s%u", axis ? "x" : "", dim[axis]);
}

int topomap_grid_has(const topomap_grid *grid, const topomap_coordinates *coordinates)
{
    if (!grid->dims || coordinates->dims != grid->dims)
        return 0;
    for (uint32_t d = 0; d < grid->dims; d++)
        if (coordinates->at[d] >= grid->dim[d])
            return 0;
    return 1;
}

uint32_t topomap_grid_hops(const topomap_grid *grid, const topomap_coordinates *a,
                           const topomap_coordinates *b)
{
    uint32_t hops = 0;

    for (uint32_t d = 0; d < grid->dims; d++) {
        uint32_t way = (uint32_t)abs(a->at[d] - b->at[d]), around = grid->dim[d] - way;

        hops += grid->wrap[d] && around < way ? around : way;
    }
    return hops;
}

uint32_t topomap_coordinate_hops(const topomap_coordinate_network *network,
                                 const topomap_coordinates *a, const topomap_coordinates *b)
{
    if (network->kind == TOPOMAP_COORDINATES_DRAGONFLY)
        return a->at[0] != b->at[0]
                   ? TOPOMAP_DRAGONFLY_FAR
                   : (uint32_t)(a->at[1] != b->at[1]) + (uint32_t)(a->at[2] != b->at[2]);
    return topomap_grid_hops(&network->grid, a, b);
}
