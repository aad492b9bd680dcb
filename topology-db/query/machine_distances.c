/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances between the sites of an allocation's machine. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/costs.h"
#include "topology-db/query/machine_build.h"
#include "util/alloc.h"

/* The nearest of a site's switches, and of those the cheapest; hops DB_FAR: there is no path. */
static struct db_start nearest(const struct db_site *site, const uint16_t *hops,
                               const uint32_t *cost)
{
    const struct db_start *on = site->key;
    struct db_start best = {.hops = DB_FAR};

    for (size_t i = 0; i < site->length / sizeof *on; i++) {
        uint32_t far = hops[on[i].at] == DB_FAR ? DB_FAR : hops[on[i].at] + on[i].hops;

        if (far < best.hops ||
            (far == best.hops && far < DB_FAR && cost[on[i].at] + on[i].cost < best.cost))
            best = (struct db_start){on[i].at, far, cost[on[i].at] + on[i].cost};
    }
    return best;
}

static void fill_place(struct db_build *b, size_t i, size_t j, uint32_t hops, uint32_t cost)
{
    size_t at = i * HASH_COUNT(b->sites) + j;

    b->hops[at] = hops >= DB_FAR ? DB_FAR : (uint16_t)hops;
    b->cost[at] = (float)DB_TENTHS(cost);
}

static void search_row(struct db_build *b, size_t i, uint16_t *hops, uint32_t *cost)
{
    size_t sites = HASH_COUNT(b->sites);

    db_switches_reach(&b->switches, b->by_index[i]->key,
                      b->by_index[i]->length / sizeof(struct db_start), hops, cost);
    for (size_t j = 0; j < sites; j++) {
        struct db_start near = nearest(b->by_index[j], hops, cost);

        fill_place(b, i, j, near.hops, near.cost);
    }
}

/* One search a site. */
static int fill_shortest(struct db_build *b, topomap_error *err)
{
    uint16_t *hops = topomap_alloc(b->switches.count, sizeof *hops, err);
    uint32_t *cost = topomap_alloc(b->switches.count, sizeof *cost, err);

    for (size_t i = 0; hops && cost && i < HASH_COUNT(b->sites); i++)
        search_row(b, i, hops, cost);
    free(hops);
    free(cost);
    return hops && cost ? 0 : -1;
}

/* From every site to site \p to over the tables: row \p to of the matrices, cost in thousandths.
 * \param lone  [sites] of a site with one walk its place and what it takes to its switch */
static void fill_row(struct db_build *b, const struct db_start *lone, size_t to)
{
    size_t sites = HASH_COUNT(b->sites);
    const struct db_site *end = b->by_index[to];
    const uint8_t *codes = lone[to].at == DB_NOWHERE ? NULL : db_walks_codes(&b->walks, end->key);

    for (size_t i = 0; i < sites; i++) {
        const struct db_site *from = b->by_index[i];
        struct db_start way;

        if (codes && lone[i].at != DB_NOWHERE)
            way = db_walks_lone(&b->walks, codes, &lone[i], &lone[to]);
        else
            way = db_walks_way(&b->walks, from->key, from->length / sizeof way, end->key,
                               end->length / sizeof way);
        b->hops[to * sites + i] = way.hops >= DB_FAR ? DB_FAR : (uint16_t)way.hops;
        b->cost[to * sites + i] = (float)way.cost;
    }
}

/* The mean of both directions, hops rounded up: distances of a machine are symmetric. */
static void even_out(struct db_build *b, size_t i, size_t j)
{
    size_t sites = HASH_COUNT(b->sites), there = i * sites + j, back = j * sites + i;

    if (b->hops[there] == DB_FAR || b->hops[back] == DB_FAR) {
        size_t known = b->hops[there] == DB_FAR ? back : there;

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
    struct db_start *lone = topomap_alloc(sites, sizeof *lone, err);

    if (!lone)
        return -1;
    for (size_t i = 0; i < sites; i++) {
        const struct db_start *start = b->by_index[i]->key;

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

/* Pairs without a path (a dump that is not complete) are put 2 hops beyond the farthest pair. */
static void fill_gaps(struct db_build *b)
{
    size_t places = (size_t)HASH_COUNT(b->sites) * HASH_COUNT(b->sites);
    uint16_t most = 2;
    float dearest = 0;

    for (size_t i = 0; i < places; i++)
        if (b->hops[i] != DB_FAR) {
            most = b->hops[i] > most ? b->hops[i] : most;
            dearest = b->cost[i] > dearest ? b->cost[i] : dearest;
        }
    for (size_t i = 0; i < places; i++)
        if (b->hops[i] == DB_FAR) {
            b->hops[i] = (uint16_t)(most + 2);
            b->cost[i] = dearest + (float)DB_TENTHS(2 * DB_HOP);
        }
}

/* ---- Many searches at once ---------------------------------------------------------------- */

/* Whether each site's switches are alike, so that the nearest ones are found by hops alone. */
static int are_alike(const struct db_build *b)
{
    for (const struct db_site *site = b->sites; site; site = site->hh.next) {
        const struct db_start *on = site->key;

        for (size_t i = 1; i < site->length / sizeof *on; i++)
            if (on[i].hops != on[0].hops || on[i].cost != on[0].cost)
                return 0;
    }
    return 1;
}

/* The switches with those links only that cost the least; its arrays but `first` and `neighbour`
 * are lent. \return how many links were left out, or -1 */
static int64_t cheapest_links(const struct db_switches *s, struct db_switches *cheap,
                              uint32_t *link, topomap_error *err)
{
    uint32_t links = s->first[s->count], kept = 0;

    *cheap = *s;
    cheap->first = topomap_alloc((size_t)s->count + 1, sizeof *cheap->first, err);
    cheap->neighbour = topomap_alloc(links, sizeof *cheap->neighbour, err);
    if (!cheap->first || !cheap->neighbour)
        return -1;
    *link = links ? s->cost[0] : 0;
    for (uint32_t i = 1; i < links; i++)
        *link = s->cost[i] < *link ? s->cost[i] : *link;
    for (uint32_t at = 0; at < s->count; at++) {
        for (uint32_t i = s->first[at]; i < s->first[at + 1]; i++)
            if (s->cost[i] == *link)
                cheap->neighbour[kept++] = s->neighbour[i];
        cheap->first[at + 1] = kept;
    }
    return (int64_t)links - kept;
}

static int list_sets(const struct db_build *b, struct db_switch_set **set, uint32_t **at,
                     topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites), members = 0;

    for (size_t i = 0; i < sites; i++)
        members += b->by_index[i]->length / sizeof(struct db_start);
    *set = topomap_alloc(sites, sizeof **set, err);
    *at = topomap_alloc(members, sizeof **at, err);
    members = 0;
    for (size_t i = 0; *set && *at && i < sites; i++) {
        const struct db_start *on = b->by_index[i]->key;
        size_t count = b->by_index[i]->length / sizeof *on;

        (*set)[i] = (struct db_switch_set){*at + members, count};
        for (size_t k = 0; k < count; k++)
            (*at)[members++] = on[k].at;
    }
    return *set && *at ? 0 : -1;
}

/* Hops between switches become those between hosts, every link at the same price. */
static void price_row(struct db_build *b, size_t i, uint32_t link)
{
    size_t sites = HASH_COUNT(b->sites);
    const struct db_start *from = b->by_index[i]->key;

    for (size_t j = 0; j < sites; j++) {
        const struct db_start *to = b->by_index[j]->key;
        uint16_t *hops = &b->hops[i * sites + j];

        if (*hops == DB_FAR)
            fill_place(b, i, j, DB_FAR, 0);
        else
            fill_place(b, i, j, *hops + from->hops + to->hops,
                       from->cost + to->cost + link * *hops);
    }
}

/* Where the cheapest links alone reach all sites in as few hops as all links, a way's hops say its
 * cost; the rows of other sites are searched one by one. */
static int price_rows(struct db_build *b, const uint16_t *cheap, uint32_t link, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);
    uint16_t *hops = topomap_alloc(b->switches.count, sizeof *hops, err);
    uint32_t *cost = topomap_alloc(b->switches.count, sizeof *cost, err);

    for (size_t i = 0; hops && cost && i < sites; i++) {
        if (!cheap || memcmp(b->hops + i * sites, cheap + i * sites, sites * sizeof *cheap) == 0)
            price_row(b, i, link);
        else
            search_row(b, i, hops, cost);
    }
    free(hops);
    free(cost);
    return hops && cost ? 0 : -1;
}

static int fill_batch(struct db_build *b, const struct db_switch_set *set, topomap_error *err)
{
    size_t sites = HASH_COUNT(b->sites);
    struct db_switches cheap = {0};
    uint16_t *hops = NULL;
    uint32_t link;
    int64_t left_out = cheapest_links(&b->switches, &cheap, &link, err);
    int result = left_out < 0 ? -1 : db_switches_between(&b->switches, set, sites, b->hops, err);

    if (!result && left_out) {
        hops = topomap_alloc(sites * sites, sizeof *hops, err);
        result = hops ? db_switches_between(&cheap, set, sites, hops, err) : -1;
    }
    if (!result)
        result = price_rows(b, hops, link, err);
    free(hops);
    free(cheap.first);
    free(cheap.neighbour);
    return result;
}

/* The same as fill_shortest(). */
static int fill_at_once(struct db_build *b, topomap_error *err)
{
    struct db_switch_set *set;
    uint32_t *at;
    int result = list_sets(b, &set, &at, err);

    if (!result)
        result = fill_batch(b, set, err);
    free(set);
    free(at);
    return result;
}

int db_build_distances(struct db_build *b, topomap_error *err)
{
    int result = b->walks.used  ? fill_walks(b, err)
                 : are_alike(b) ? fill_at_once(b, err)
                                : fill_shortest(b, err);

    if (!result)
        fill_gaps(b);
    return result;
}
