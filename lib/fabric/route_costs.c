/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/switches.h"

#include <stdlib.h>

#include "util/alloc.h"

enum { SEVERAL = UINT32_MAX }; /* marks a site with several rows, instead of its place */

/* The matrices of distances while they are filled. */
struct matrix {
    const topomap_route_costs *costs;
    const topomap_site *site;
    size_t sites;
    topomap_start *single; /* [sites] place, and hops and cost to its switch; `at` is SEVERAL if the
                              site has several rows */
    uint16_t *hops;
    float *cost; /* thousandths until both directions are joined */
};

/* The route from \p place to the end of a row. */
static topomap_start route(const struct matrix *m, const uint8_t *codes, uint32_t place,
                           const topomap_start *from, const topomap_start *to)
{
    const uint8_t *code = codes + (size_t)place * TOPOMAP_ROUTE_CODE;
    const topomap_route_cost *cost = &m->costs->of[code[0] | code[1] << 8];

    return (topomap_start){to->at, cost->hops + from->hops + to->hops,
                           cost->cost + from->cost + to->cost};
}

/* The best route between two sites; hops TOPOMAP_FAR if there is none. */
static topomap_start best_route(const struct matrix *m, const topomap_site *from,
                                const topomap_site *to)
{
    topomap_start best = {.hops = TOPOMAP_FAR};

    for (size_t j = 0; j < to->count; j++)
        for (size_t i = 0; i < from->count; i++) {
            topomap_start found =
                route(m, m->costs->row[to->on[j].at].code, m->costs->row[from->on[i].at].place,
                      &from->on[i], &to->on[j]);

            if (found.hops < best.hops || (found.hops == best.hops && found.cost < best.cost))
                best = found;
        }
    return best;
}

/* From every site to site \p to: row \p to of the matrices. */
static void fill_row(struct matrix *m, size_t to)
{
    const topomap_start *single = m->single;
    const uint8_t *codes = single[to].at == SEVERAL ? NULL : m->costs->row[m->site[to].on->at].code;

    for (size_t i = 0; i < m->sites; i++) {
        topomap_start found = codes && single[i].at != SEVERAL
                                  ? route(m, codes, single[i].at, &single[i], &single[to])
                                  : best_route(m, &m->site[i], &m->site[to]);

        m->hops[to * m->sites + i] = found.hops >= TOPOMAP_FAR ? TOPOMAP_FAR : (uint16_t)found.hops;
        m->cost[to * m->sites + i] = (float)found.cost;
    }
}

/* Averages both directions: distances of a machine are symmetric. */
static void join_directions(struct matrix *m, size_t i, size_t j)
{
    size_t there = i * m->sites + j, back = j * m->sites + i;

    if (m->hops[there] == TOPOMAP_FAR || m->hops[back] == TOPOMAP_FAR) {
        size_t known = m->hops[there] == TOPOMAP_FAR ? back : there;

        m->hops[there] = m->hops[back] = m->hops[known];
        m->cost[there] = m->cost[back] = m->cost[known];
    }
    m->hops[there] = m->hops[back] = (uint16_t)((m->hops[there] + m->hops[back] + 1) / 2);
    m->cost[there] = m->cost[back] = (m->cost[there] + m->cost[back]) * (float)(0.5 / 100.0);
}

int topomap_route_distances(const topomap_route_costs *costs, const topomap_site *site,
                            size_t sites, uint16_t *hops, float *cost, topomap_error *err)
{
    enum { TILE = 32 }; /* both halves of the matrix stay in the cache */
    topomap_start *single = topomap_alloc(sites, sizeof *single, err);
    struct matrix m = {costs, site, sites, single, hops, cost};

    if (!single)
        return -1;
    for (size_t i = 0; i < sites; i++) {
        single[i] = *site[i].on;
        single[i].at = site[i].count == 1 ? costs->row[site[i].on->at].place : SEVERAL;
    }
    for (size_t to = 0; to < sites; to++)
        fill_row(&m, to);
    free(single);
    for (size_t top = 0; top < sites; top += TILE)
        for (size_t left = 0; left <= top; left += TILE)
            for (size_t i = top; i < sites && i < top + TILE; i++)
                for (size_t j = left; j <= i && j < left + TILE; j++)
                    join_directions(&m, i, j);
    topomap_distances_fill_gaps(sites, TOPOMAP_HOP / 100.0, hops, cost);
    return 0;
}
