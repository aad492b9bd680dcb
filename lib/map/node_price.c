/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/objective.h"

#include <string.h>

int topomap_node_price_init(topomap_node_price *f, const topomap_machine *m, topomap_error *err)
{
    *f = (topomap_node_price){.machine = m, .points = m->sites};
    for (uint32_t d = 0; m->kind == TOPOMAP_MACHINE_TORUS && d < m->dims; d++) {
        f->first[d] = f->points;
        f->points += m->dim[d];
        f->first[d + 1] = f->points;
    }
    f->weight = topomap_arena_alloc(&f->memory, f->points, sizeof *f->weight, err);
    f->price = topomap_arena_alloc(&f->memory, f->points, sizeof *f->price, err);
    f->sum = topomap_arena_alloc(&f->memory, (size_t)f->points + 1, sizeof *f->sum, err);
    if (!f->memory.is_short)
        return 0;
    topomap_node_price_clear(f);
    return -1;
}

void topomap_node_price_clear(topomap_node_price *f)
{
    topomap_arena_clear(&f->memory);
    *f = (topomap_node_price){0};
}

void topomap_node_price_add(topomap_node_price *f, uint32_t node, double weight)
{
    const topomap_machine *m = f->machine;

    f->total += weight;
    if (m->kind == TOPOMAP_MACHINE_MATRIX)
        f->weight[m->site_of[node]] += weight;
    for (uint32_t d = 0; m->kind == TOPOMAP_MACHINE_TORUS && d < m->dims; d++)
        f->weight[f->first[d] + m->coord[(size_t)node * m->dims + d]] += weight;
}

/* Weight of the planes from a to b - 1, past the end of the dimension too. */
static double between(const double *sum, uint32_t length, uint32_t a, uint32_t b)
{
    double all = sum[length];

    return (b < length ? sum[b] : all + sum[b - length]) -
           (a < length ? sum[a] : all + sum[a - length]);
}

/* Hops from each plane of one dimension to all weights of it, from plane to plane: one step on,
 * what lies behind is a hop further and what lies ahead a hop nearer. */
static void price_planes(topomap_node_price *f, uint32_t d)
{
    uint32_t length = f->machine->dim[d], half = length / 2;
    const double *weight = f->weight + f->first[d];
    double *price = f->price + f->first[d], *sum = f->sum;

    sum[0] = price[0] = 0;
    for (uint32_t c = 0; c < length; c++) {
        uint32_t hops = f->machine->wrap[d] && c > length - c ? length - c : c;

        sum[c + 1] = sum[c] + weight[c];
        price[0] += weight[c] * hops;
    }
    for (uint32_t c = 0; c + 1 < length; c++) {
        double ahead, behind;

        if (f->machine->wrap[d]) {
            ahead = between(sum, length, c + 1, c + half + 1);
            behind = weight[c] + between(sum, length, c + (length + 3) / 2, c + length);
        } else {
            ahead = sum[length] - sum[c + 1];
            behind = sum[c + 1];
        }
        price[c + 1] = price[c] + behind - ahead;
    }
}

void topomap_node_price_price(topomap_node_price *f)
{
    const topomap_machine *m = f->machine;

    memset(f->price, 0, f->points * sizeof *f->price);
    for (uint32_t s = 0; m->kind == TOPOMAP_MACHINE_MATRIX && s < m->sites; s++) {
        const float *cost = m->site_cost + (size_t)s * m->sites;

        for (uint32_t t = 0; f->weight[s] > 0 && t < m->sites; t++)
            f->price[t] += f->weight[s] * (double)cost[t];
    }
    for (uint32_t d = 0; m->kind == TOPOMAP_MACHINE_TORUS && d < m->dims; d++)
        price_planes(f, d);
    for (uint32_t i = 0; m->kind == TOPOMAP_MACHINE_TORUS && i < f->points; i++)
        f->price[i] *= m->hop_cost;
    memset(f->weight, 0, f->points * sizeof *f->weight);
    f->base = m->base * f->total;
    f->total = 0;
}

double topomap_node_price_own(const topomap_node_price *f, uint32_t node)
{
    const topomap_machine *m = f->machine;

    if (m->kind == TOPOMAP_MACHINE_TORUS)
        return m->base;
    return (double)m->site_cost[(size_t)m->site_of[node] * m->sites + m->site_of[node]];
}

double topomap_node_price_cost(const topomap_node_price *f, uint32_t node)
{
    const topomap_machine *m = f->machine;
    double cost;

    if (m->kind == TOPOMAP_MACHINE_MATRIX)
        return f->price[m->site_of[node]];
    cost = f->base;
    for (uint32_t d = 0; d < m->dims; d++)
        cost += f->price[f->first[d] + m->coord[(size_t)node * m->dims + d]];
    return cost;
}
