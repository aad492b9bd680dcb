/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/coordinates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Reads 1 to TOPOMAP_DIMS decimal numbers, each at most \p most, with \p separator between them.
 * Returns how many there are, or 0 if the text is anything else. */
static uint32_t read_numbers(const char *text, char separator, uint32_t most, uint32_t *number)
{
    for (uint32_t count = 0; count < TOPOMAP_DIMS;) {
        uint64_t value;

        if (topomap_text_number(&text, &value) || value > most)
            return 0;
        number[count++] = (uint32_t)value;
        if (!*text)
            return count;
        if (*text++ != separator)
            return 0;
    }
    return 0;
}

int topomap_coordinates_parse(const char *text, char separator, topomap_coordinates *coordinates)
{
    uint32_t number[TOPOMAP_DIMS];

    *coordinates = (topomap_coordinates){
        .dims = read_numbers(text, separator, TOPOMAP_COORDINATE_MOST, number)};
    for (uint32_t axis = 0; axis < coordinates->dims; axis++)
        coordinates->at[axis] = (uint16_t)number[axis];
    return coordinates->dims ? 0 : -1;
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
    *dims = read_numbers(text, 'x', TOPOMAP_COORDINATE_MOST + 1, dim);
    for (uint32_t axis = 0; axis < *dims; axis++)
        if (!dim[axis])
            return -1;
    return *dims ? 0 : -1;
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
