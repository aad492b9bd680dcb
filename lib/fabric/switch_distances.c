/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/switches.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct ways {
    topomap_switches *switches;
    const topomap_site *site; /* [sites] */
    size_t sites;
    double hop;
    uint16_t *hops;
    float *cost;
};

/* The nearest of a site's switches, and of those the cheapest; hops TOPOMAP_FAR: there is no path.
 */
static topomap_start nearest(const topomap_site *site, const uint16_t *hops, const uint32_t *cost)
{
    const topomap_start *on = site->on;
    topomap_start best = {.hops = TOPOMAP_FAR};

    for (size_t i = 0; i < site->count; i++) {
        uint32_t far = hops[on[i].at] == TOPOMAP_FAR ? TOPOMAP_FAR : hops[on[i].at] + on[i].hops;

        if (far < best.hops ||
            (far == best.hops && far < TOPOMAP_FAR && cost[on[i].at] + on[i].cost < best.cost))
            best = (topomap_start){on[i].at, far, cost[on[i].at] + on[i].cost};
    }
    return best;
}

static void fill_place(struct ways *b, size_t i, size_t j, uint32_t hops, uint32_t cost)
{
    size_t at = i * b->sites + j;

    b->hops[at] = hops >= TOPOMAP_FAR ? TOPOMAP_FAR : (uint16_t)hops;
    b->cost[at] = (float)(b->hop * cost / TOPOMAP_HOP);
}

static void search_row(struct ways *b, size_t i, uint16_t *hops, uint32_t *cost)
{
    size_t sites = b->sites;

    topomap_switches_reach(b->switches, b->site[i].on, b->site[i].count, hops, cost);
    for (size_t j = 0; j < sites; j++) {
        topomap_start near = nearest(&b->site[j], hops, cost);

        fill_place(b, i, j, near.hops, near.cost);
    }
}

void topomap_distances_fill_gaps(size_t sites, double hop, uint16_t *hops, float *cost)
{
    size_t places = sites * sites;
    uint16_t most = 2;
    float dearest = 0;

    for (size_t i = 0; i < places; i++)
        if (hops[i] != TOPOMAP_FAR) {
            most = hops[i] > most ? hops[i] : most;
            dearest = cost[i] > dearest ? cost[i] : dearest;
        }
    for (size_t i = 0; i < places; i++)
        if (hops[i] == TOPOMAP_FAR) {
            hops[i] = (uint16_t)(most + 2);
            cost[i] = dearest + (float)(2 * hop);
        }
}

/* ---- Many searches at once ---------------------------------------------------------------- */

/* Whether each site's switches are alike, so that the nearest ones are found by hops alone. */
static int are_alike(const struct ways *b)
{
    for (size_t s = 0; s < b->sites; s++) {
        const topomap_start *on = b->site[s].on;

        for (size_t i = 1; i < b->site[s].count; i++)
            if (on[i].hops != on[0].hops || on[i].cost != on[0].cost)
                return 0;
    }
    return 1;
}

/* The switches with those links only that cost the least; its arrays but `first` and `neighbour`,
 * which end with the arena, are lent. \return how many links were left out, or -1 */
static int64_t cheapest_links(const topomap_switches *s, topomap_switches *cheap, uint32_t *link,
                              topomap_arena *memory, topomap_error *err)
{
    uint32_t links = s->first[s->count], kept = 0;

    *cheap = *s;
    cheap->first = topomap_arena_alloc(memory, (size_t)s->count + 1, sizeof *cheap->first, err);
    cheap->neighbour = topomap_arena_alloc(memory, links, sizeof *cheap->neighbour, err);
    if (memory->is_short)
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

static topomap_switch_set *list_sets(const struct ways *b, topomap_arena *memory,
                                     topomap_error *err)
{
    size_t members = 0;
    topomap_switch_set *set = topomap_arena_alloc(memory, b->sites, sizeof *set, err);
    uint32_t *at;

    for (size_t i = 0; i < b->sites; i++)
        members += b->site[i].count;
    at = topomap_arena_alloc(memory, members, sizeof *at, err);
    if (memory->is_short)
        return NULL;
    for (size_t i = 0; i < b->sites; i++) {
        set[i] = (topomap_switch_set){at, b->site[i].count};
        for (size_t k = 0; k < b->site[i].count; k++)
            *at++ = b->site[i].on[k].at;
    }
    return set;
}

/* Hops between switches become those between hosts, every link at the same price. */
static void price_row(struct ways *b, size_t i, uint32_t link)
{
    size_t sites = b->sites;
    const topomap_start *from = b->site[i].on;

    for (size_t j = 0; j < sites; j++) {
        const topomap_start *to = b->site[j].on;
        uint16_t *hops = &b->hops[i * sites + j];

        if (*hops == TOPOMAP_FAR)
            fill_place(b, i, j, TOPOMAP_FAR, 0);
        else
            fill_place(b, i, j, *hops + from->hops + to->hops,
                       from->cost + to->cost + link * *hops);
    }
}

/* Where the cheapest links alone reach all sites in as few hops as all links, a way's hops say its
 * cost; the rows of other sites are searched one by one.
 * \param known  nonzero: hops are there by all links, and in \p cheap (NULL: the same) */
static int fill_rows(struct ways *b, int known, const uint16_t *cheap, uint32_t link,
                     topomap_error *err)
{
    size_t sites = b->sites;
    TOPOMAP_FREED uint16_t *hops = topomap_alloc(b->switches->count, sizeof *hops, err);
    TOPOMAP_FREED uint32_t *cost = topomap_alloc(b->switches->count, sizeof *cost, err);

    for (size_t i = 0; hops && cost && i < sites; i++) {
        if (known &&
            (!cheap || memcmp(b->hops + i * sites, cheap + i * sites, sites * sizeof *cheap) == 0))
            price_row(b, i, link);
        else
            search_row(b, i, hops, cost);
    }
    return hops && cost ? 0 : -1;
}

/* The same as fill_rows() without known hops. */
static int fill_at_once(struct ways *b, topomap_error *err)
{
    size_t sites = b->sites;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    const topomap_switch_set *set = list_sets(b, &memory, err);
    topomap_switches cheap = {0};
    uint16_t *hops = NULL;
    uint32_t link;
    int64_t left_out = set ? cheapest_links(b->switches, &cheap, &link, &memory, err) : -1;

    if (left_out < 0 || topomap_switches_between(b->switches, set, sites, b->hops, err))
        return -1;
    if (left_out) {
        hops = topomap_arena_alloc(&memory, sites * sites, sizeof *hops, err);
        if (!hops || topomap_switches_between(&cheap, set, sites, hops, err))
            return -1;
    }
    return fill_rows(b, 1, hops, link, err);
}

int topomap_switch_distances(topomap_switches *switches, const topomap_site *site, size_t sites,
                             double hop, uint16_t *hops, float *cost, topomap_error *err)
{
    struct ways ways = {switches, site, sites, hop, hops, cost};

    if (are_alike(&ways) ? fill_at_once(&ways, err) : fill_rows(&ways, 0, NULL, 0, err))
        return -1;
    topomap_distances_fill_gaps(sites, hop, hops, cost);
    return 0;
}
