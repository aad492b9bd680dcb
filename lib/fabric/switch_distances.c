/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/switches.h"

#include <string.h>

#include "util/alloc.h"

/* Distances between sites, while they are filled. */
struct distances {
    topomap_switches *switches;
    const topomap_site *site; /* [sites] */
    size_t sites;
    double hop;
    uint16_t *hops; /* [sites * sites] */
    float *cost;    /* [sites * sites] */
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

static void fill_place(struct distances *d, size_t i, size_t j, uint32_t hops, uint32_t cost)
{
    size_t at = i * d->sites + j;

    d->hops[at] = hops >= TOPOMAP_FAR ? TOPOMAP_FAR : (uint16_t)hops;
    d->cost[at] = (float)(d->hop * cost / TOPOMAP_HOP);
}

static void search_row(struct distances *d, size_t i, uint16_t *hops, uint32_t *cost)
{
    size_t sites = d->sites;

    topomap_switches_reach(d->switches, d->site[i].on, d->site[i].count, hops, cost);
    for (size_t j = 0; j < sites; j++) {
        topomap_start near = nearest(&d->site[j], hops, cost);

        fill_place(d, i, j, near.hops, near.cost);
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
static int are_alike(const struct distances *d)
{
    for (size_t s = 0; s < d->sites; s++) {
        const topomap_start *on = d->site[s].on;

        for (size_t i = 1; i < d->site[s].count; i++)
            if (on[i].hops != on[0].hops || on[i].cost != on[0].cost)
                return 0;
    }
    return 1;
}

/* Makes `cheap` the same switches with only those links that cost the least. Its arrays `first` and
 * `neighbour` are allocated in \p memory; the others stay those of \p s.
 * Returns how many links were left out, or -1 with `err` set. */
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

/* Lists the switches of each site. Returns NULL with `err` set if memory is short. */
static topomap_switch_set *list_sets(const struct distances *d, topomap_arena *memory,
                                     topomap_error *err)
{
    size_t members = 0;
    topomap_switch_set *set = topomap_arena_alloc(memory, d->sites, sizeof *set, err);
    uint32_t *at;

    for (size_t i = 0; i < d->sites; i++)
        members += d->site[i].count;
    at = topomap_arena_alloc(memory, members, sizeof *at, err);
    if (memory->is_short)
        return NULL;
    for (size_t i = 0; i < d->sites; i++) {
        set[i] = (topomap_switch_set){at, d->site[i].count};
        for (size_t k = 0; k < d->site[i].count; k++)
            *at++ = d->site[i].on[k].at;
    }
    return set;
}

/* Hops between switches become those between hosts, every link at the same price. */
static void price_row(struct distances *d, size_t i, uint32_t link)
{
    size_t sites = d->sites;
    const topomap_start *from = d->site[i].on;

    for (size_t j = 0; j < sites; j++) {
        const topomap_start *to = d->site[j].on;
        uint16_t *hops = &d->hops[i * sites + j];

        if (*hops == TOPOMAP_FAR)
            fill_place(d, i, j, TOPOMAP_FAR, 0);
        else
            fill_place(d, i, j, *hops + from->hops + to->hops,
                       from->cost + to->cost + link * *hops);
    }
}

/* Where the cheapest links alone reach all sites in as few hops as all links, the cost of a path
 * follows from its hops; the rows of other sites are searched one by one.
 * \param known  nonzero: hops are there by all links, and in \p cheap (NULL: the same) */
static int fill_rows(struct distances *d, int known, const uint16_t *cheap, uint32_t link,
                     topomap_error *err)
{
    size_t sites = d->sites;
    TOPOMAP_FREED uint16_t *hops = topomap_alloc(d->switches->count, sizeof *hops, err);
    TOPOMAP_FREED uint32_t *cost = topomap_alloc(d->switches->count, sizeof *cost, err);

    for (size_t i = 0; hops && cost && i < sites; i++) {
        if (known &&
            (!cheap || memcmp(d->hops + i * sites, cheap + i * sites, sites * sizeof *cheap) == 0))
            price_row(d, i, link);
        else
            search_row(d, i, hops, cost);
    }
    return hops && cost ? 0 : -1;
}

/* Gives the same as fill_rows() without known hops, but searches from many sites at a time. It
 * needs are_alike(). */
static int fill_at_once(struct distances *d, topomap_error *err)
{
    size_t sites = d->sites;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    const topomap_switch_set *set = list_sets(d, &memory, err);
    topomap_switches cheap = {0};
    uint16_t *hops = NULL;
    uint32_t link;
    int64_t left_out = set ? cheapest_links(d->switches, &cheap, &link, &memory, err) : -1;

    if (left_out < 0 || topomap_switches_between(d->switches, set, sites, d->hops, err))
        return -1;
    if (left_out) {
        hops = topomap_arena_alloc(&memory, sites * sites, sizeof *hops, err);
        if (!hops || topomap_switches_between(&cheap, set, sites, hops, err))
            return -1;
    }
    return fill_rows(d, 1, hops, link, err);
}

int topomap_switch_distances(topomap_switches *switches, const topomap_site *site, size_t sites,
                             double hop, uint16_t *hops, float *cost, topomap_error *err)
{
    struct distances d = {switches, site, sites, hop, hops, cost};

    if (are_alike(&d) ? fill_at_once(&d, err) : fill_rows(&d, 0, NULL, 0, err))
        return -1;
    topomap_distances_fill_gaps(sites, hop, hops, cost);
    return 0;
}
