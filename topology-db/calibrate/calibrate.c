/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* Lindgren's appendix, refitted (99 pairs each): 6 % with a healthy fabric, 30 % with a cabinet
 * off. */
static const double healthy_most = 0.2;
/* A model with fewer coefficients is kept unless the other leaves this much less unexplained. */
static const double better = 0.95;

void topomap_db_calibration_clear(topomap_db_calibration *result)
{
    free(result->hop);
    free(result->distance);
    free(result->group);
    free(result->inside);
    free(result->outlier);
    free(result->culprit);
    db_calibrated_free(result->own);
    *result = (topomap_db_calibration){0};
}

/* ---- By class of link -------------------------------------------------------------------- */

/* Column 0 is the base. Where the pairs do not tell hops from it (all as far apart), hops take all
 * of it: a switch's nodes are two hops apart, and each of them costs half. */
static int fit_sum(const struct db_calibrated *own, size_t hops, const double *y, db_fit *fit,
                   double *residual, uint8_t *outlier, topomap_error *err)
{
    size_t columns = hops + 1;
    TOPOMAP_FREED double *x = NULL;
    int told = 0, passed = 0;

    if (db_fit_linear(own->x, y, own->pairs, columns, fit, residual, outlier, err))
        return -1;
    for (size_t c = 1; c < columns; c++)
        told |= fit->known[c] && fit->coefficient[c] > 0;
    for (size_t i = 0; i < own->pairs; i++)
        passed |= own->pair[i].hops > 0;
    if (told || !passed || hops > 1)
        return 0;
    for (size_t i = 1; i < own->pairs; i++)
        if (own->pair[i].hops != own->pair[0].hops)
            return 0; /* hops are told apart, and cost nothing */
    x = topomap_alloc(own->pairs, columns * sizeof *x, err);
    if (!x)
        return -1;
    memcpy(x, own->x, own->pairs * columns * sizeof *x);
    for (size_t i = 0; i < own->pairs; i++)
        x[i * columns] = 0;
    return db_fit_linear(x, y, own->pairs, columns, fit, residual, outlier, err);
}

/* The same without the base's column. */
static int fit_bottleneck(const struct db_calibrated *own, size_t hops, const double *y,
                          db_fit *fit, double *residual, uint8_t *outlier, topomap_error *err)
{
    TOPOMAP_FREED double *x = topomap_alloc(own->pairs, hops * sizeof *x, err);
    int result;

    if (!x)
        return -1;
    for (size_t i = 0; i < own->pairs; i++)
        memcpy(x + i * hops, own->x + i * (hops + 1) + 1, hops * sizeof *x);
    result = db_fit_slowest(x, y, own->pairs, hops, fit, residual, outlier, err);
    memmove(fit->coefficient + 1, fit->coefficient, hops * sizeof *fit->coefficient);
    memmove(fit->known + 1, fit->known, hops);
    fit->coefficient[0] = 0;
    fit->known[0] = 0;
    return result;
}

static int fit_bytes(const struct db_calibrated *own, topomap_db_calibration *result,
                     const double *y, double *residual, uint8_t *outlier, topomap_error *err)
{
    db_fit slowest;

    if (fit_bottleneck(own, result->hops, y, &slowest, residual, outlier, err) ||
        fit_sum(own, result->hops, y, &result->byte_fit, residual, outlier, err))
        return -1;
    result->bottleneck = own->routed && result->byte_fit.absolute >= better * slowest.absolute;
    return result->bottleneck
               ? fit_bottleneck(own, result->hops, y, &result->byte_fit, residual, outlier, err)
               : 0;
}

/* Every way has as many links of the class: it cannot be told from the base. */
static int is_constant(const struct db_calibrated *own, const topomap_db_calibration *result,
                       size_t c)
{
    const double *x = own->x + 1 + c;
    size_t same = 1;

    while (same < own->pairs && x[same * (result->hops + 1)] == x[0])
        same++;
    return same == own->pairs && x[0] > 0 && !result->hop[c].latency_known;
}

/* Of several classes: that of the hosts' links at both ends of every way. What is constant is then
 * theirs; of one end's, or of some links in between, nobody could say how much. */
static int is_of_ends(const struct db_calibrated *own, const topomap_db_calibration *result,
                      size_t c)
{
    if (result->hops == 1)
        return 1;
    for (size_t i = 0; i < own->links; i++)
        if (db_paths_cable_trunk(own->paths, own->link[i].cable) &&
            db_calibrated_hop(own, result, own->link[i].cable) == &result->hop[c])
            return 0;
    return own->x[1 + c] >= 2;
}

static void give_base(const struct db_calibrated *own, topomap_db_calibration *result, size_t c)
{
    topomap_db_hop *hop = &result->hop[c];
    double links = own->x[1 + c];

    hop->cost.latency_us = result->base.latency_us / links;
    hop->latency_known = 1;
    result->base.latency_us = 0;
    if (result->bottleneck)
        return;
    hop->cost.us_per_byte = result->base.us_per_byte / links;
    hop->byte_known = 1;
    result->base.us_per_byte = 0;
}

/* Links that are no slower than others on their way go by the rates that the database has. */
static void fill_bytes(topomap_db_calibration *result)
{
    double slowest = 0, mbps = 0;

    for (size_t c = 0; c < result->hops; c++)
        if (result->hop[c].byte_known && result->hop[c].cost.us_per_byte > slowest) {
            slowest = result->hop[c].cost.us_per_byte;
            mbps = result->hop[c].mbps;
        }
    for (size_t c = 0; c < result->hops; c++) {
        topomap_db_hop *hop = &result->hop[c];

        if (!hop->byte_known)
            hop->cost.us_per_byte =
                hop->mbps > mbps && mbps > 0 ? slowest * mbps / hop->mbps : slowest;
    }
}

/* Where no hop costs anything else, any class is given the base: costs are told against a hop. */
static void take_costs(const struct db_calibrated *own, topomap_db_calibration *result)
{
    const db_fit *latency = &result->latency_fit, *byte = &result->byte_fit;
    int costs = 0;

    result->base = (topomap_db_time){latency->coefficient[0], byte->coefficient[0]};
    for (size_t c = 0; c < result->hops; c++) {
        topomap_db_hop *hop = &result->hop[c];

        hop->cost = (topomap_db_time){latency->coefficient[1 + c], byte->coefficient[1 + c]};
        hop->latency_known = latency->known[1 + c];
        hop->byte_known = byte->known[1 + c];
    }
    for (size_t c = 0; c < result->hops; c++)
        if (result->base.latency_us > 0 && is_constant(own, result, c) &&
            is_of_ends(own, result, c))
            give_base(own, result, c);
    if (result->bottleneck)
        fill_bytes(result);
    for (size_t c = 0; c < result->hops; c++)
        costs |= result->hop[c].cost.latency_us > 0 || result->hop[c].cost.us_per_byte > 0;
    for (size_t c = 0; !costs && c < result->hops; c++)
        if (result->base.latency_us > 0 && is_constant(own, result, c))
            give_base(own, result, c);
}

/* ---- All --------------------------------------------------------------------------------- */

/* \p outlier  [2][pairs] of latencies, and of times of a byte */
static int keep_outliers(struct db_calibrated *own, topomap_db_calibration *result,
                         const uint8_t *outlier, topomap_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < own->pairs; i++)
        count += own->pair[i].outlier = outlier[i] || outlier[own->pairs + i];
    result->outlier = topomap_alloc(count, sizeof *result->outlier, err);
    if (!result->outlier)
        return -1;
    for (size_t i = 0; i < own->pairs; i++) {
        const struct db_pair *pair = &own->pair[i];

        if (pair->outlier)
            result->outlier[result->outliers++] =
                (topomap_db_outlier){own->measured.name[pair->from],
                                     own->measured.name[pair->to],
                                     pair->hops,
                                     pair->time,
                                     {own->fitted_latency[i], own->fitted_byte[i]}};
    }
    return 0;
}

/* Against what was fitted by class of link, outliers included. */
static int is_healthy(const struct db_calibrated *own, const topomap_db_calibration *result)
{
    double latency = 0, byte = 0, pairs = (double)own->pairs;

    for (size_t i = 0; i < own->pairs; i++) {
        double l = own->pair[i].time.latency_us - own->fitted_latency[i];
        double b = own->pair[i].time.us_per_byte - own->fitted_byte[i];

        latency += l * l / pairs;
        byte += b * b / pairs;
    }
    return sqrt(latency) <= healthy_most * result->latency.mean &&
           sqrt(byte) <= healthy_most * result->byte.mean;
}

static int fit_all(struct db_calibrated *own, topomap_db_calibration *result, topomap_error *err)
{
    TOPOMAP_CLEANUP(db_times_clear) struct db_times all = {0};
    TOPOMAP_FREED uint8_t *outlier = topomap_alloc(own->pairs, 2, err);

    own->fitted_latency = topomap_alloc(own->pairs, sizeof *own->fitted_latency, err);
    own->fitted_byte = topomap_alloc(own->pairs, sizeof *own->fitted_byte, err);
    if (db_times_make(&all, own->pairs, err) || !outlier || !own->fitted_latency ||
        !own->fitted_byte)
        return -1;
    for (size_t i = 0; i < own->pairs; i++)
        db_times_add(&all, own->pair[i].hops, own->pair[i].time);
    /* What comes out as fitted is first what is left. */
    if (db_times_fit(&all, &result->latency, &result->byte, err) ||
        fit_bytes(own, result, all.byte, own->fitted_byte, outlier + own->pairs, err) ||
        fit_sum(own, result->hops, all.latency, &result->latency_fit, own->fitted_latency, outlier,
                err))
        return -1;
    for (size_t i = 0; i < own->pairs; i++) {
        own->fitted_latency[i] = all.latency[i] - own->fitted_latency[i];
        own->fitted_byte[i] = all.byte[i] - own->fitted_byte[i];
    }
    take_costs(own, result);
    result->healthy = is_healthy(own, result);
    return keep_outliers(own, result, outlier, err);
}

static void count_all(struct db_calibrated *own, topomap_db_calibration *result)
{
    int sizes = 0;

    result->pairs = own->pairs;
    for (size_t i = 0; i < own->measured.rows; i++)
        if (own->measured.row[i].size > result->size)
            result->size = own->measured.row[i].size;
    for (uint32_t i = 0; i < own->measured.names; i++)
        result->nodes += own->is_node[i];
    for (size_t i = 0; i < own->pairs; i++)
        sizes = own->pair[i].sizes > sizes ? own->pair[i].sizes : sizes;
    result->latency_only = sizes < 2;
}

int topomap_db_calibrate(const char *measured, topomap_db *db, topomap_db_calibration *result,
                         topomap_error *err)
{
    struct db_calibrated *own = topomap_alloc(1, sizeof *own, err);
    int failed;

    *result = (topomap_db_calibration){0};
    if (!own)
        return -1;
    result->own = own;
    failed = db_calibrated_read(own, measured, err) || db_calibrated_route(own, db, err) ||
             (own->pairs && (db_calibrated_classes(own, result, err) || fit_all(own, result, err) ||
                             db_calibrated_blame(own, result, err))) ||
             db_calibrated_tables(own, db, result, err);
    if (failed)
        topomap_db_calibration_clear(result);
    else
        count_all(own, result);
    return failed ? -1 : 0;
}
