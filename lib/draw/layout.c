/* SPDX-License-Identifier: BSD-3-Clause */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>

topomap_spot topomap_draw_in_grid(const uint32_t *at, const uint32_t *size, uint32_t dimensions,
                                  double cell, double edge)
{
    double step[2] = {cell, cell}, spot[2] = {0, 0};

    for (uint32_t d = 0; d < dimensions; d++) {
        spot[d % 2] += at[d] * step[d % 2];
        step[d % 2] = step[d % 2] * size[d] + cell;
    }
    return (topomap_spot){edge + spot[0], edge + spot[1]};
}

topomap_spot topomap_draw_in_ring(double middle, double radius, double angle)
{
    return (topomap_spot){middle + radius * sin(angle), middle - radius * cos(angle)};
}

static int by_key(const void *a, const void *b)
{
    const topomap_draw_place *x = a, *y = b;

    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void topomap_draw_row(topomap_draw_place *place, size_t count, double edge, double width)
{
    if (count)
        qsort(place, count, sizeof *place, by_key);
    for (size_t i = 0; i < count; i++)
        place[i].x = edge + width * ((double)i + 0.5) / (double)count;
}
