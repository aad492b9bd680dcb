/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of several pairs at once: their medians, and f(h). */
#include <math.h>
#include <stdlib.h>

#include "topology-db/calibrate/calibrate.h"
#include "util/alloc.h"

int db_times_make(struct db_times *times, size_t most, topomap_error *err)
{
    times->count = 0;
    times->hops = topomap_alloc(most, sizeof *times->hops, err);
    times->latency = topomap_alloc(most, sizeof *times->latency, err);
    times->byte = topomap_alloc(most, sizeof *times->byte, err);
    return times->hops && times->latency && times->byte ? 0 : -1;
}

void db_times_clear(struct db_times *times)
{
    free(times->hops);
    free(times->latency);
    free(times->byte);
}

void db_times_add(struct db_times *times, double hops, topomap_db_time time)
{
    times->hops[times->count] = hops;
    times->latency[times->count] = time.latency_us;
    times->byte[times->count++] = time.us_per_byte;
}

topomap_db_time db_times_median(struct db_times *times)
{
    size_t count = times->count;

    times->count = 0;
    return (topomap_db_time){db_fit_median(times->latency, count),
                             db_fit_median(times->byte, count)};
}

static int fit_line(const double *hops, const double *y, size_t pairs, topomap_db_line *line,
                    topomap_error *err)
{
    TOPOMAP_FREED double *x = topomap_alloc(pairs, 2 * sizeof *x, err);
    TOPOMAP_FREED double *residual = topomap_alloc(pairs, sizeof *residual, err);
    TOPOMAP_FREED uint8_t *outlier = topomap_alloc(pairs, 1, err);
    double mean = 0, squares = 0;
    db_fit fit;

    if (!x || !residual || !outlier)
        return -1;
    for (size_t i = 0; i < pairs; i++) {
        x[2 * i] = 1;
        x[2 * i + 1] = hops[i];
        mean += y[i] / (double)pairs;
    }
    if (db_fit_linear(x, y, pairs, 2, &fit, residual, outlier, err))
        return -1;
    for (size_t i = 0; i < pairs; i++)
        squares += residual[i] * residual[i] / (double)pairs;
    *line = (topomap_db_line){
        fit.coefficient[1], fit.coefficient[0], fit.sigma, sqrt(squares), mean, fit.r2,
        fit.outliers};
    return 0;
}

int db_times_fit(struct db_times *times, topomap_db_line *latency, topomap_db_line *byte,
                 topomap_error *err)
{
    size_t count = times->count;

    times->count = 0;
    return DB_STATUS(fit_line(times->hops, times->latency, count, latency, err) ||
                     fit_line(times->hops, times->byte, count, byte, err));
}
