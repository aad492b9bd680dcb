/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/shapes.h"

enum { LEVEL_MOST = 1 << 24 };

void topomap_fattree_of_ports(topomap_fattree *t, uint32_t k, uint32_t hosts, uint32_t taper)
{
    for (uint32_t l = 1; l <= t->levels; l++) {
        t->m[l] = l == 1 ? hosts : l == t->levels ? k : k / 2;
        t->w[l] = l == 1 ? 1 : l == 2 ? k / 2 / taper : k / 2;
        t->p[l] = 1;
    }
}

/* Children's digits above the level times parents' digits up to it. */
uint64_t topomap_fattree_count(topomap_fattree *t, uint32_t level)
{
    uint64_t a = 1, b = 1;

    for (uint32_t l = level + 1; l <= t->levels && a <= LEVEL_MOST; l++)
        a *= t->m[l];
    for (uint32_t l = 1; l <= level && b <= LEVEL_MOST; l++)
        b *= t->w[l];
    t->above[level] = (uint32_t)a;
    t->below[level] = (uint32_t)b;
    return a > LEVEL_MOST || b > LEVEL_MOST ? UINT64_MAX : a * b;
}

static int join_level(const topomap_fattree *t, uint32_t level, topomap_fabric *fabric,
                      topomap_error *err)
{
    uint32_t below = t->below[level], p = t->p[level + 1], down = t->m[level] * t->p[level];

    for (uint32_t i = 0; i < t->above[level] * below; i++)
        for (uint32_t up = 0; up < t->w[level + 1] * p; up++) {
            uint32_t a = i / below, parent = up / p;
            uint32_t to = (a / t->m[level + 1] * t->w[level + 1] + parent) * below + i % below;
            topomap_link link = {.a = t->first[level] + i,
                                 .b = t->first[level + 1] + to,
                                 .aport = down + up + 1,
                                 .bport = a % t->m[level + 1] * p + up % p + 1,
                                 .class = level + 1 == t->levels && t->levels > 2,
                                 .ends = 3};

            if (topomap_fabric_join(fabric, &link, err))
                return -1;
        }
    return 0;
}

int topomap_fattree_join(const topomap_fattree *t, topomap_fabric *fabric, topomap_error *err)
{
    for (uint32_t level = 1; level < t->levels; level++)
        if (join_level(t, level, fabric, err))
            return -1;
    return 0;
}

/* ---- Dragonflies ------------------------------------------------------------------------- */

static int join_group(const topomap_dragonfly *d, uint32_t first, topomap_fabric *fabric,
                      topomap_error *err)
{
    for (uint32_t i = 0; i < d->a; i++)
        for (uint32_t j = i + 1; j < d->a; j++) {
            topomap_link link = {.a = first + i,
                                 .b = first + j,
                                 .aport = d->taken + j,
                                 .bport = d->taken + 1 + i,
                                 .ends = 3};

            if (topomap_fabric_join(fabric, &link, err))
                return -1;
        }
    return 0;
}

int topomap_dragonfly_join(const topomap_dragonfly *d, topomap_fabric *fabric, topomap_error *err)
{
    uint32_t away = d->groups - 1, rounds = away ? d->a * d->h / away : 0;
    uint32_t global = d->taken + d->a;

    for (uint32_t g = 0; g < d->groups; g++)
        if (join_group(d, d->first + g * d->a, fabric, err))
            return -1;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t g = 0; g < d->groups; g++)
            for (uint32_t i = 0; i < away; i++) {
                uint32_t to = (g + i + 1) % d->groups;
                uint32_t port = round * away + i, back = round * away + away - 1 - i;
                topomap_link link = {.a = d->first + g * d->a + port / d->h,
                                     .b = d->first + to * d->a + back / d->h,
                                     .aport = global + port % d->h,
                                     .bport = global + back % d->h,
                                     .class = 1,
                                     .ends = 3};

                if (g < to && topomap_fabric_join(fabric, &link, err))
                    return -1;
            }
    return 0;
}

/* ---- Tori and meshes --------------------------------------------------------------------- */

static int join_router(const topomap_torus *t, uint32_t id, topomap_fabric *fabric,
                       topomap_error *err)
{
    uint32_t step = 1;

    for (uint32_t d = t->dims; d-- > 0; step *= t->dim[d]) {
        uint32_t position = id / step % t->dim[d], last = position == t->dim[d] - 1;
        uint32_t port = t->taken + 2 * d * t->links + 1;

        if (last && (!t->wrap[d] || t->dim[d] < (t->twice ? 2 : 3)))
            continue;
        for (uint32_t i = 0; i < t->links; i++) {
            topomap_link link = {.a = id,
                                 .b = last ? id - position * step : id + step,
                                 .aport = port + i,
                                 .bport = port + t->links + i,
                                 .class = d,
                                 .ends = 3};

            if (topomap_fabric_join(fabric, &link, err))
                return -1;
        }
    }
    return 0;
}

int topomap_torus_join(const topomap_torus *t, topomap_fabric *fabric, topomap_error *err)
{
    uint32_t routers = 1;

    for (uint32_t d = 0; d < t->dims; d++)
        routers *= t->dim[d];
    for (uint32_t id = 0; id < routers; id++)
        if (join_router(t, id, fabric, err))
            return -1;
    return 0;
}
