/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances between the sites of an allocation's machine. */
#include <stdlib.h>

#include "fabric/ways.h"
#include "topology-db/query/machine_build.h"
#include "util/alloc.h"

/* From every site to site \p to over the tables: row \p to of the matrices, cost in thousandths.
 * \param lone  [sites] of a site with one walk its place and what it takes to its switch */
static void fill_row(struct db_build *b, const topomap_start *lone, size_t to)
{
    size_t sites = HASH_COUNT(b->sites);
    const struct db_site *end = b->by_index[to];
    const uint8_t *codes = lone[to].at == DB_NOWHERE ? NULL : db_walks_codes(&b->walks, end->key);

    for (size_t i = 0; i < sites; i++) {
        const struct db_site *from = b->by_index[i];
        topomap_start way;

        if (codes && lone[i].at != DB_NOWHERE)
            way = db_walks_lone(&b->walks, codes, &lone[i], &lone[to]);
        else
            way = db_walks_way(&b->walks, from->key, from->length / sizeof way, end->key,
                               end->length / sizeof way);
        b->hops[to * sites + i] = way.hops >= TOPOMAP_FAR ? TOPOMAP_FAR : (uint16_t)way.hops;
        b->cost[to * sites + i] = (float)way.cost;
    }
}

/* The mean of both directions, hops rounded up: distances of a machine are symmetric. */
static void even_out(struct db_build *b, size_t i, size_t j)
{
    size_t sites = HASH_COUNT(b->sites), there = i * sites + j, back = j * sites + i;

    if (b->hops[there] == TOPOMAP_FAR || b->hops[back] == TOPOMAP_FAR) {
        size_t known = b->hops[there] == TOPOMAP_FAR ? back : there;

        b->hops[there] = b->hops[back] = b->hops[known];
        b->cost[there] = b->cost[back] = b->cost[known];
    }
    b->hops[there] = b->hops[back] = (uint16_t)((b->hops[there] + b->hops[back] + 1) / 2);
    b->cost[there] = b->cost[back] = (b->cost[there] + b->cost[back]) * (float)DB_TENTHS(0.5);
}

static int fill_walks(struct db_build *b, topomap_error *err)
{
    enum { TILE = 32 }; /* both halves of the matrix stay in the cache */
    size_t sites = HASH_COUNT(b->sites);
    topomap_start *lone = topomap_alloc(sites, sizeof *lone, err);

    if (!lone)
        return -1;
    for (size_t i = 0; i < sites; i++) {
        const topomap_start *start = b->by_index[i]->key;

        lone[i] = *start;
        lone[i].at =
            b->by_index[i]->length == sizeof *start ? b->walks.row[start->at].place : DB_NOWHERE;
    }
    for (size_t to = 0; to < sites; to++)
        fill_row(b, lone, to);
    free(lone);
    for (size_t top = 0; top < sites; top += TILE)
        for (size_t left = 0; left <= top; left += TILE)
            for (size_t i = top; i < sites && i < top + TILE; i++)
                for (size_t j = left; j <= i && j < left + TILE; j++)
                    even_out(b, i, j);
    return 0;
}

/* The sites as the fabric's searches take them. */
static int fill_ways(struct db_build *b, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);
    topomap_site *site = topomap_alloc(sites, sizeof *site, err);
    int result;

    if (!site)
        return -1;
    for (size_t i = 0; i < sites; i++)
        site[i] =
            (topomap_site){b->by_index[i]->key, b->by_index[i]->length / sizeof(topomap_start)};
    result = topomap_ways(&b->switches, site, sites, DB_TENTHS(TOPOMAP_HOP), b->hops, b->cost, err);
    free(site);
    return result;
}

int db_build_distances(struct db_build *b, topomap_error *err)
{
    if (!b->walks.used)
        return fill_ways(b, err);
    if (fill_walks(b, err))
        return -1;
    topomap_ways_fill_gaps(HASH_COUNT(b->sites), DB_TENTHS(TOPOMAP_HOP), b->hops, b->cost);
    return 0;
}
