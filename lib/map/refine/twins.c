/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/refine/refine.h"

#include <stdlib.h>

#include "util/alloc.h"

/* Sums of these, modulo 2^64, are equal for equal sets of (vertex, weight). */
static uint64_t print_of(uint32_t v, uint64_t weight)
{
    uint64_t z = weight * 0x9e3779b97f4a7c15u + ((uint64_t)v + 1) * 0xd1342543de82ef95u;

    if (weight == 0)
        return 0;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int topomap_twins_init(topomap_twins *twins, const topomap_weights *w, topomap_error *err)
{
    twins->weights = w;
    twins->print = topomap_alloc(w->vertices, sizeof *twins->print, err);
    if (!twins->print)
        return -1;
    for (uint32_t u = 0; u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            twins->print[u] += print_of(w->target[e], w->weight[e]);
    return 0;
}

void topomap_twins_clear(topomap_twins *twins)
{
    free(twins->print);
    twins->print = NULL;
}

/* The edge between the two, which a swap leaves as it is, is taken out of both. */
int topomap_twins_are(const topomap_twins *twins, uint32_t u, uint32_t x)
{
    const topomap_weights *w = twins->weights;
    uint64_t between;

    if (w->offset[u + 1] - w->offset[u] != w->offset[x + 1] - w->offset[x])
        return 0;
    between = topomap_weights_between(w, u, x);
    return twins->print[u] - print_of(x, between) == twins->print[x] - print_of(u, between);
}
