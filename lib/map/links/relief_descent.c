/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "map/links/links.h"
#include "util/sorted.h"

#include <stdlib.h>

enum { TRIES = 3 * TOPOMAP_RELIEF_KINDS };

/* ---- What is on the most loaded links -------------------------------------------------------- */

TOPOMAP_COMPARE_BY(by_load, const topomap_maxima *load,
                   TOPOMAP_ORDER(topomap_maxima_get(load, y), topomap_maxima_get(load, x)))

static void note_edge(relief *r, uint32_t u, uint32_t v, const topomap_way *way)
{
    for (uint32_t i = 0; i < way->links && r->edges < TOPOMAP_RELIEF_EDGES; i++) {
        uint32_t hot = r->hot_of[way->link[i]];

        if (!hot)
            continue;
        r->edge[r->edges] = (relief_edge){u, v, r->first[hot - 1]};
        r->first[hot - 1] = r->edges++;
    }
}

/* The scan begins anywhere, so that a full list does not always hold the same edges. */
static int note_edges(relief *r, const relief_phase *phase)
{
    const topomap_traffic_rows *rows = &phase->rows;
    uint32_t begin = topomap_random_below(&r->random, r->vertices);

    r->edges = 0;
    for (uint32_t i = 0; i < r->vertices && r->edges < TOPOMAP_RELIEF_EDGES; i++) {
        uint32_t u = (begin + i) % r->vertices;

        for (uint64_t e = rows->offset[u]; e < rows->offset[u + 1]; e++) {
            uint32_t v = rows->other[e];
            topomap_way way;

            if (!(rows->out[e] > 0) || r->at[u] == r->at[v])
                continue;
            if (topomap_shares_find(r->shares, r->at[u], r->at[v], &way) < 0)
                return -1;
            r->looked += way.looked;
            note_edge(r, u, v, &way);
        }
    }
    return 0;
}

int topomap_relief_hot(relief *r, uint32_t of, double part)
{
    relief_phase *phase = &r->phase[of];
    topomap_maxima *load = &phase->loads.load;

    for (uint32_t i = 0; i < r->hots; i++)
        r->hot_of[r->hot[i]] = 0;
    r->hots =
        topomap_maxima_above(load, topomap_maxima_max(load) * part, TOPOMAP_RELIEF_HOT, r->hot);
    qsort_r(r->hot, r->hots, sizeof *r->hot, by_load, load);
    for (uint32_t i = 0; i < r->hots; i++) {
        r->hot_of[r->hot[i]] = (uint8_t)(i + 1);
        r->first[i] = UINT32_MAX;
    }
    return note_edges(r, phase);
}

/* ---- Descent --------------------------------------------------------------------------------- */

/* The best of some swaps of u, if it lowers the norm. */
static int improve(relief *r, uint32_t u, uint32_t v, uint32_t tries)
{
    uint32_t best = UINT32_MAX;
    double best_delta = -ENOUGH * r->norm / r->power;

    for (uint32_t i = 0; i < tries; i++) {
        uint32_t x = topomap_relief_partner(r, u, v, i);
        double delta = x == UINT32_MAX ? 0 : topomap_relief_price(r, u, x);

        if (delta < best_delta) {
            best_delta = delta;
            best = x;
        }
    }
    if (best == UINT32_MAX)
        return 0;
    (void)topomap_relief_price(r, u, best);
    topomap_relief_accept(r, u, best);
    return 1;
}

static uint32_t relieve_link(relief *r, uint32_t i)
{
    uint32_t done = 0;

    for (uint32_t e = r->first[i]; e != UINT32_MAX && !topomap_relief_over(r);
         e = r->edge[e].next) {
        done += (uint32_t)improve(r, r->edge[e].u, r->edge[e].v, TRIES);
        done += (uint32_t)improve(r, r->edge[e].v, r->edge[e].u, TRIES);
    }
    return done;
}

static int round_of(relief *r, uint32_t phase, double part, uint32_t *done)
{
    if (topomap_maxima_max(&r->phase[phase].loads.load) <= 0)
        return 0;
    if (topomap_relief_hot(r, phase, part))
        return -1;
    for (uint32_t i = 0; i < r->hots && !topomap_relief_over(r); i++)
        *done += relieve_link(r, i);
    return 0;
}

/* Rounds over the links close to the maximum, farther below it when nothing more is found. */
int topomap_relief_descend(relief *r)
{
    static const double parts[] = {0.95, 0.8, 0.5};
    size_t part = 0;

    while (part < sizeof parts / sizeof *parts && !topomap_relief_over(r)) {
        uint32_t done = 0;

        topomap_relief_rescale(r);
        for (uint32_t k = 0; k < r->phases; k++)
            if (round_of(r, k, parts[part], &done))
                return -1;
        topomap_relief_compare(r);
        part = done ? 0 : part + 1;
    }
    return topomap_relief_short(r) ? -1 : 0;
}

/* The mean, without touching the maximum: swaps of all ranks that talk, not only of those on the
 * most loaded links. */
int topomap_relief_settle(relief *r)
{
    uint32_t idle = 0, begin = topomap_random_below(&r->random, r->vertices);
    double limit = r->best_max * (1 + ENOUGH);

    for (uint32_t i = 0; idle < r->vertices && !topomap_relief_over(r); i++) {
        uint32_t u = (begin + i) % r->vertices, best = UINT32_MAX;
        double best_delta = -1e-12 * r->norm / r->power;

        for (uint32_t k = 0; k < 16; k++) {
            uint32_t v = topomap_relief_other(r, u);
            uint32_t x = v == UINT32_MAX ? UINT32_MAX
                                         : topomap_relief_partner(r, u, v, k % 2 ? 4 : k / 2 % 3);
            double delta = x == UINT32_MAX ? 0 : topomap_relief_price(r, u, x);

            if (delta < best_delta && topomap_relief_peak(r) <= limit) {
                best_delta = delta;
                best = x;
            }
        }
        idle = best == UINT32_MAX ? idle + 1 : 0;
        if (best != UINT32_MAX) {
            (void)topomap_relief_price(r, u, best);
            topomap_relief_accept(r, u, best);
        }
    }
    topomap_relief_compare(r);
    return topomap_relief_short(r) ? -1 : 0;
}
