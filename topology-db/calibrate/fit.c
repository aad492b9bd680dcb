/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum { ABSOLUTE_STEPS = 50, TRIM_STEPS = 20 };

/* 3.5 normal deviations: about one row in 2,000 is called an outlier without being one. */
static const double far = 3.5, deviation_of_mad = 1.4826, least_share = 0.01, alike = 0.97;

struct problem {
    const double *x, *y;
    size_t rows, columns;
    db_fit *fit;
    double *residual;
    uint8_t *outlier;
    double *weight, *scratch; /* [rows] each */
};

double db_fit_median(double *value, size_t count)
{
    if (!count)
        return 0;
    TOPOMAP_SORT(value, count, topomap_by_double);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* ---- Weighted least squares -------------------------------------------------------------- */

struct normal {
    double a[DB_FIT_COLUMNS][DB_FIT_COLUMNS], b[DB_FIT_COLUMNS];
    double scale[DB_FIT_COLUMNS];
};

/* Columns are scaled to length 1, so that a pivot is a share of what the columns before left. */
static void make_normal(const struct problem *p, struct normal *n)
{
    memset(n, 0, sizeof *n);
    for (size_t r = 0; r < p->rows; r++) {
        const double *x = p->x + r * p->columns;

        for (size_t i = 0; i < p->columns; i++) {
            n->b[i] += p->weight[r] * x[i] * p->y[r];
            for (size_t j = 0; j <= i; j++)
                n->a[i][j] += p->weight[r] * x[i] * x[j];
        }
    }
    for (size_t i = 0; i < p->columns; i++)
        n->scale[i] = n->a[i][i] > 0 ? 1 / sqrt(n->a[i][i]) : 0;
    for (size_t i = 0; i < p->columns; i++) {
        n->b[i] *= n->scale[i];
        for (size_t j = 0; j <= i; j++)
            n->a[i][j] *= n->scale[i] * n->scale[j];
    }
}

/* Cholesky over the columns in use; one that depends on those before it is taken out of use. */
static void factor(struct normal *n, size_t columns, uint8_t *use)
{
    for (size_t j = 0; j < columns; j++) {
        for (size_t k = 0; use[j] && k < j; k++)
            if (use[k])
                n->a[j][j] -= n->a[j][k] * n->a[j][k];
        use[j] = use[j] && n->a[j][j] > 1e-9;
        if (!use[j])
            continue;
        n->a[j][j] = sqrt(n->a[j][j]);
        for (size_t i = j + 1; i < columns; i++) {
            for (size_t k = 0; k < j; k++)
                if (use[k])
                    n->a[i][j] -= n->a[i][k] * n->a[j][k];
            n->a[i][j] /= n->a[j][j];
        }
    }
}

static void substitute(const struct normal *n, size_t columns, const uint8_t *use, double *result)
{
    for (size_t i = 0; i < columns; i++) {
        result[i] = use[i] ? n->b[i] : 0;
        for (size_t k = 0; use[i] && k < i; k++)
            result[i] -= use[k] ? n->a[i][k] * result[k] : 0;
        result[i] /= use[i] ? n->a[i][i] : 1;
    }
    for (size_t i = columns; i-- > 0;) {
        for (size_t k = i + 1; use[i] && k < columns; k++)
            result[i] -= use[k] ? n->a[k][i] * result[k] : 0;
        result[i] /= use[i] ? n->a[i][i] : 1;
    }
    for (size_t i = 0; i < columns; i++)
        result[i] *= n->scale[i];
}

/* Costs are not negative: the most negative one is left out until none is. */
static void solve(struct problem *p)
{
    db_fit *fit = p->fit;
    struct normal made, n;
    uint8_t allowed[DB_FIT_COLUMNS];

    make_normal(p, &made);
    memset(allowed, 1, sizeof allowed);
    for (;;) {
        size_t worst = p->columns;
        double least = -1e-12;

        n = made;
        memcpy(fit->known, allowed, sizeof allowed);
        factor(&n, p->columns, fit->known);
        substitute(&n, p->columns, fit->known, fit->coefficient);
        for (size_t i = 0; i < p->columns; i++)
            if (fit->known[i] && n.scale[i] > 0 && fit->coefficient[i] / n.scale[i] < least) {
                least = fit->coefficient[i] / n.scale[i];
                worst = i;
            }
        if (worst == p->columns)
            break;
        allowed[worst] = 0;
    }
    for (size_t i = 0; i < p->columns; i++)
        fit->coefficient[i] = fit->coefficient[i] > 0 ? fit->coefficient[i] : 0;
}

/* ---- Residuals --------------------------------------------------------------------------- */

static double slowest_of(const struct problem *p, size_t row)
{
    double most = 0;

    for (size_t c = 0; c < p->columns; c++)
        if (p->x[row * p->columns + c] > 0 && p->fit->coefficient[c] > most)
            most = p->fit->coefficient[c];
    return most;
}

static double sum_of(const struct problem *p, size_t row)
{
    double sum = 0;

    for (size_t c = 0; c < p->columns; c++)
        sum += p->x[row * p->columns + c] * p->fit->coefficient[c];
    return sum;
}

static void take_residuals(struct problem *p, double (*model)(const struct problem *, size_t))
{
    p->fit->absolute = 0;
    for (size_t r = 0; r < p->rows; r++) {
        p->residual[r] = p->y[r] - model(p, r);
        p->fit->absolute += fabs(p->residual[r]);
    }
}

/* Whether other rows than before are outliers now. */
static int mark_outliers(struct problem *p)
{
    int changed = 0;

    for (size_t r = 0; r < p->rows; r++)
        p->scratch[r] = fabs(p->residual[r]);
    p->fit->mad = deviation_of_mad * db_fit_median(p->scratch, p->rows);
    p->fit->outliers = 0;
    for (size_t r = 0; r < p->rows; r++) {
        double size = fabs(p->residual[r]), fitted = p->y[r] - p->residual[r];
        uint8_t is = size > far * p->fit->mad && size > least_share * fitted;

        changed |= is != p->outlier[r];
        p->outlier[r] = is;
        p->fit->outliers += is;
    }
    return changed;
}

static void judge(struct problem *p)
{
    double mean = 0, left = 0, all = 0;
    size_t kept = p->rows - p->fit->outliers;

    p->fit->rows = p->rows;
    for (size_t r = 0; r < p->rows; r++)
        mean += p->outlier[r] ? 0 : p->y[r] / (double)(kept ? kept : 1);
    for (size_t r = 0; r < p->rows; r++)
        if (!p->outlier[r]) {
            left += p->residual[r] * p->residual[r];
            all += (p->y[r] - mean) * (p->y[r] - mean);
        }
    p->fit->sigma = kept ? sqrt(left / (double)kept) : 0;
    /* What does not vary is explained where nothing is left of it. */
    if (all > 1e-18 * mean * mean * (double)kept)
        p->fit->r2 = left < all ? 1 - left / all : 0;
    else
        p->fit->r2 = left <= all;
}

/* ---- The fits ---------------------------------------------------------------------------- */

/* Makes room, fits, and judges. */
static int run(struct problem *p, void (*fit)(struct problem *p), topomap_error *err)
{
    TOPOMAP_FREED double *weight = NULL;

    memset(p->fit, 0, sizeof *p->fit);
    if (p->columns < 1 || p->columns > DB_FIT_COLUMNS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a fit has 1 to %d columns, not %zu",
                                 DB_FIT_COLUMNS, p->columns);
    weight = p->weight = topomap_alloc(p->rows, 2 * sizeof *p->weight, err);
    if (!weight)
        return -1;
    p->scratch = weight + p->rows;
    memset(p->outlier, 0, p->rows);
    fit(p);
    judge(p);
    return 0;
}

static void fit_absolute(struct problem *p)
{
    double scale = 0;

    for (size_t r = 0; r < p->rows; r++) {
        p->weight[r] = 1;
        scale += fabs(p->y[r]) / (double)p->rows;
    }
    for (int step = 0; step < ABSOLUTE_STEPS; step++) {
        solve(p);
        take_residuals(p, sum_of);
        for (size_t r = 0; r < p->rows; r++) {
            double size = fabs(p->residual[r]), least = 1e-6 * scale;

            p->weight[r] = scale > 0 ? scale / (size > least ? size : least) : 1;
        }
    }
}

static void fit_linear(struct problem *p)
{
    fit_absolute(p);
    for (int step = 0; step < TRIM_STEPS && (mark_outliers(p) || !step); step++) {
        for (size_t r = 0; r < p->rows; r++)
            p->weight[r] = !p->outlier[r];
        solve(p);
        take_residuals(p, sum_of);
    }
}

int db_fit_linear(const double *x, const double *y, size_t rows, size_t columns, db_fit *fit,
                  double *residual, uint8_t *outlier, topomap_error *err)
{
    struct problem p = {x, y, rows, columns, fit, residual, outlier, NULL, NULL};

    return run(&p, fit_linear, err);
}

static size_t rows_with(const struct problem *p, size_t column)
{
    size_t count = 0;

    for (size_t r = 0; r < p->rows; r++)
        count += p->x[r * p->columns + column] > 0;
    return count;
}

/* The median of the rows that a column alone is the slowest of; without any it is not known. */
static void settle_one(struct problem *p, size_t column)
{
    double own = p->fit->coefficient[column];
    size_t count = 0;

    p->fit->coefficient[column] = 0;
    for (size_t r = 0; r < p->rows; r++)
        if (!p->outlier[r] && p->x[r * p->columns + column] > 0 && slowest_of(p, r) < alike * own)
            p->scratch[count++] = p->y[r];
    p->fit->known[column] = count > 0;
    p->fit->coefficient[column] = db_fit_median(p->scratch, count);
}

/* Of two columns that explain the same rows, the one with more rows is kept: it is judged last. */
static void settle(struct problem *p)
{
    size_t order[DB_FIT_COLUMNS];

    for (size_t c = 0; c < p->columns; c++) {
        size_t rows = rows_with(p, c), at = c;

        for (; at > 0 && rows_with(p, order[at - 1]) >= rows; at--)
            order[at] = order[at - 1];
        order[at] = c;
    }
    for (size_t i = 0; i < p->columns; i++)
        settle_one(p, order[i]);
}

/* What a column is at most: the least of its rows, but for two that may have been lucky. */
static void bound(struct problem *p)
{
    for (size_t c = 0; c < p->columns; c++) {
        size_t count = 0;

        for (size_t r = 0; r < p->rows; r++)
            if (!p->outlier[r] && p->x[r * p->columns + c] > 0)
                p->scratch[count++] = p->y[r];
        TOPOMAP_SORT(p->scratch, count, topomap_by_double);
        p->fit->coefficient[c] = count ? p->scratch[count > 2 ? 2 : count - 1] : 0;
    }
}

static void fit_slowest(struct problem *p)
{
    for (int step = 0; step < TRIM_STEPS; step++) {
        bound(p);
        settle(p);
        settle(p);
        take_residuals(p, slowest_of);
        if (!mark_outliers(p))
            break;
    }
}

int db_fit_slowest(const double *x, const double *y, size_t rows, size_t columns, db_fit *fit,
                   double *residual, uint8_t *outlier, topomap_error *err)
{
    struct problem p = {x, y, rows, columns, fit, residual, outlier, NULL, NULL};

    return run(&p, fit_slowest, err);
}
