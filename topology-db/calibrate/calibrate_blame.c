/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cables the outliers have in common. A bad cable makes every pair slow whose way passes it,
 * so that nearly all pairs over it are outliers: greedily, the cable that explains the most of
 * those left, weighed by its share of outliers, until no cable is passed by two of them that are
 * half of all that pass it. */

#include "topology-db/calibrate/calibrate.h"
#include "util/alloc.h"

struct blame {
    struct db_calibrated *own;
    uint8_t *slow;     /* [pairs] an outlier that is too slow, not yet explained */
    uint32_t *through; /* [cables] pairs that pass it */
    uint32_t *bad;     /* [cables] those of them that are slow and not explained */
    uint32_t cables;
    struct db_times times;
    topomap_arena arena;
};

static void blame_clear(struct blame *b)
{
    topomap_arena_clear(&b->arena);
    db_times_clear(&b->times);
}

static int blame_make(struct blame *b, struct db_calibrated *own, topomap_error *err)
{
    *b = (struct blame){.own = own, .cables = db_paths_cables(own->paths)};
    b->slow = topomap_arena_alloc(&b->arena, own->pairs, 1, err);
    b->through = topomap_arena_alloc(&b->arena, b->cables, sizeof *b->through, err);
    b->bad = topomap_arena_alloc(&b->arena, b->cables, sizeof *b->bad, err);
    if (db_times_make(&b->times, own->pairs, err) || b->arena.is_short)
        return -1;
    for (size_t i = 0; i < own->pairs; i++) {
        const struct db_pair *pair = &own->pair[i];

        b->slow[i] = pair->outlier && (pair->time.latency_us > 1.01 * own->fitted_latency[i] ||
                                       pair->time.us_per_byte > 1.01 * own->fitted_byte[i]);
        for (size_t l = pair->link; l < pair->link + pair->links; l++) {
            b->through[own->link[l].cable]++;
            b->bad[own->link[l].cable] += b->slow[i];
        }
    }
    return 0;
}

static double score(const struct blame *b, uint32_t cable)
{
    return b->bad[cable] < 2 || 2 * b->bad[cable] < b->through[cable]
               ? 0
               : (double)b->bad[cable] * b->bad[cable] / b->through[cable];
}

static float share_of(const struct blame *b, const struct db_pair *pair, uint32_t cable)
{
    for (size_t l = pair->link; l < pair->link + pair->links; l++)
        if (b->own->link[l].cable == cable)
            return b->own->link[l].share;
    return 0;
}

/* A pair that passes it only on the way back has half of what it adds. */
static topomap_db_time measure_excess(struct blame *b, uint32_t cable)
{
    const struct db_calibrated *own = b->own;

    for (size_t i = 0; i < own->pairs; i++) {
        const topomap_db_time *time = &own->pair[i].time;
        float share = b->slow[i] ? share_of(b, &own->pair[i], cable) : 0;

        if (share > 0)
            db_times_add(&b->times, 0,
                         (topomap_db_time){(time->latency_us - own->fitted_latency[i]) / share,
                                           (time->us_per_byte - own->fitted_byte[i]) / share});
    }
    return db_times_median(&b->times);
}

static int add_culprit(struct blame *b, topomap_db_calibration *result, size_t *room,
                       uint32_t cable, int alternatives, topomap_error *err)
{
    topomap_db_culprit one = {.pairs = b->through[cable],
                              .outliers = b->bad[cable],
                              .alternatives = alternatives,
                              .excess = measure_excess(b, cable)};
    char name[600];

    db_paths_cable_name(b->own->paths, cable, name, sizeof name);
    one.cable = topomap_arena_strdup(&b->own->texts, name, err);
    return one.cable ? TOPOMAP_APPEND(result->culprit, result->culprits, *room, err, one) : -1;
}

/* Whether all slow pairs over one cable pass the other as well. */
static int same_pairs(const struct blame *b, uint32_t cable, uint32_t other)
{
    for (size_t i = 0; i < b->own->pairs; i++)
        if (b->slow[i] && share_of(b, &b->own->pair[i], cable) > 0 &&
            !(share_of(b, &b->own->pair[i], other) > 0))
            return 0;
    return 1;
}

static void explain(struct blame *b, uint32_t cable)
{
    const struct db_calibrated *own = b->own;

    for (size_t i = 0; i < own->pairs; i++) {
        const struct db_pair *pair = &own->pair[i];

        if (!b->slow[i] || !(share_of(b, pair, cable) > 0))
            continue;
        b->slow[i] = 0;
        for (size_t l = pair->link; l < pair->link + pair->links; l++)
            b->bad[own->link[l].cable]--;
    }
}

/* The worst cable and those that nothing tells from it. Returns whether there is one, or -1. */
static int blame_worst(struct blame *b, topomap_db_calibration *result, size_t *room,
                       topomap_error *err)
{
    uint32_t worst = 0;
    int alternatives = 0;

    for (uint32_t c = 1; c < b->cables; c++)
        if (score(b, c) > score(b, worst))
            worst = c;
    if (!b->cables || !(score(b, worst) > 0))
        return 0;
    for (int add = 0; add < 2; add++)
        for (uint32_t c = worst; c < b->cables; c++) {
            if (b->bad[c] != b->bad[worst] || b->through[c] != b->through[worst] ||
                !same_pairs(b, worst, c))
                continue;
            alternatives += !add;
            if (add && add_culprit(b, result, room, c, alternatives, err))
                return -1;
        }
    explain(b, worst);
    return 1;
}

int db_calibrated_blame(struct db_calibrated *own, topomap_db_calibration *result,
                        topomap_error *err)
{
    TOPOMAP_CLEANUP(blame_clear) struct blame b = {0};
    size_t room = 0;
    int found;

    if (!own->paths || !own->links)
        return 0;
    if (blame_make(&b, own, err))
        return -1;
    do
        found = blame_worst(&b, result, &room, err);
    while (found > 0);
    return found;
}
