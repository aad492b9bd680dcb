/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/grid/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* What one face of a box weighs: the edges inside two boxes together, less those of each. */
static double face_of(const topomap_tiling *tiling, const uint32_t *box, uint32_t k)
{
    const topomap_lattice *l = tiling->lattice;
    uint32_t two[TOPOMAP_LATTICE_DIMS];
    double closed = 0;

    if (2 * box[k] > l->size[k])
        return 0;
    memcpy(two, box, sizeof two);
    two[k] *= 2;
    /* Two boxes that make a whole ring meet twice. */
    if (l->kind[k] == TOPOMAP_LATTICE_RING && two[k] == l->size[k])
        closed = 1;
    return (topomap_tiling_inside(tiling, two) - 2 * topomap_tiling_inside(tiling, box)) /
           (1 + closed);
}

static int fill_coordinates(topomap_coarse *c, topomap_error *err)
{
    uint32_t at[TOPOMAP_LATTICE_DIMS] = {0};

    c->at = topomap_arena_alloc(&c->memory, (size_t)c->dims * c->items, sizeof *c->at, err);
    if (c->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < c->items; i++) {
        for (uint32_t k = 0; k < c->dims; k++)
            c->at[(size_t)k * c->items + i] = at[k];
        for (uint32_t k = 0; k < c->dims && ++at[k] == c->size[k]; k++)
            at[k] = 0;
    }
    return 0;
}

int topomap_coarse_open(topomap_coarse *c, const topomap_tiling *tiling, const uint32_t *box,
                        topomap_error *err)
{
    const topomap_lattice *l = tiling->lattice;

    memset(c, 0, sizeof *c);
    c->lattice = l;
    c->dims = l->dims;
    c->items = 1;
    for (uint32_t k = 0; k < l->dims; k++) {
        c->box[k] = box[k];
        c->size[k] = l->size[k] / box[k];
        c->items *= c->size[k];
    }
    for (uint32_t k = 0; k < l->dims; k++)
        c->face[k] = face_of(tiling, c->box, k);
    c->item = topomap_arena_alloc(&c->memory, c->items, sizeof *c->item, err);
    c->region = topomap_arena_alloc(&c->memory, c->items, sizeof *c->region, err);
    c->scratch = topomap_arena_alloc(&c->memory, c->items, sizeof *c->scratch, err);
    c->plain = topomap_arena_alloc(&c->memory, c->items, sizeof *c->plain, err);
    return fill_coordinates(c, err);
}

void topomap_coarse_close(topomap_coarse *c)
{
    topomap_arena_clear(&c->memory);
    memset(c, 0, sizeof *c);
}

uint32_t topomap_coarse_extent(const topomap_coarse *c, uint32_t lo, uint32_t hi, uint32_t dim)
{
    uint32_t low = UINT32_MAX, high = 0;

    for (uint32_t i = lo; i < hi; i++) {
        uint32_t x = topomap_coarse_at(c, c->item[i], dim);

        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    return hi > lo ? high - low + 1 : 0;
}

void topomap_coarse_around(const topomap_coarse *c, uint32_t item, topomap_coarse_see see,
                           void *data)
{
    for (uint32_t k = 0, stride = 1; k < c->dims; stride *= c->size[k++])
        topomap_coarse_along(c, item, k, stride, see, data);
}

int topomap_coarse_lay(const topomap_coarse *c, topomap_tiling *tiling, uint32_t *place,
                       topomap_error *err)
{
    uint32_t volume = c->lattice->cells / c->items;

    for (uint32_t i = 0; i < c->items; i++) {
        uint32_t corner[TOPOMAP_LATTICE_DIMS];

        for (uint32_t k = 0; k < c->dims; k++)
            corner[k] = topomap_coarse_at(c, c->item[i], k) * c->box[k];
        if (topomap_tiling_lay(tiling, corner, c->box, i * volume, place, err) != 0)
            return -1;
    }
    return 0;
}

int topomap_kept_open(topomap_kept *kept, topomap_problem *problem, const topomap_lattice *lattice,
                      topomap_error *err)
{
    *kept = (topomap_kept){.problem = problem, .lattice = lattice, .J = INFINITY};
    kept->place = topomap_alloc(lattice->cells, sizeof *kept->place, err);
    kept->trial = topomap_alloc(problem->weights.vertices, sizeof *kept->trial, err);
    return kept->place && kept->trial ? 0 : -1;
}

void topomap_kept_close(topomap_kept *kept)
{
    free(kept->place);
    free(kept->trial);
    memset(kept, 0, sizeof *kept);
}

void topomap_kept_consider(topomap_kept *kept, const uint32_t *slots, uint32_t *slot_of)
{
    const topomap_problem *problem = kept->problem;
    uint32_t n = problem->weights.vertices;
    double J;

    for (uint32_t v = 0; v < n; v++) {
        uint32_t cell = v < problem->ranks ? kept->lattice->cell[v] : UINT32_MAX;

        kept->trial[v] = cell == UINT32_MAX ? UINT32_MAX : slots[kept->place[cell]];
    }
    topomap_problem_fill(problem, kept->trial);
    J = topomap_problem_cost(problem, kept->trial);
    if (J < kept->J) {
        kept->J = J;
        memcpy(slot_of, kept->trial, n * sizeof *slot_of);
    }
}
