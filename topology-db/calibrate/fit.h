/* SPDX-License-Identifier: BSD-3-Clause */
/* Robust fits of costs to what was measured. No part of it knows of databases or files. */
#ifndef TOPOMAP_DB_FIT_H
#define TOPOMAP_DB_FIT_H

#include "topomap/topomap.h"

enum { DB_FIT_COLUMNS = 16 };

/** y of a row = sum over columns of x * coefficient. */
typedef struct db_fit {
    double coefficient[DB_FIT_COLUMNS]; /**< none is negative */
    uint8_t known[DB_FIT_COLUMNS]; /**< 0: columns before it say the same in these rows, or it came
                                        out negative and was left out; its coefficient is 0 */
    double sigma;    /**< standard deviation of the residuals of the rows that are no outliers */
    double mad;      /**< 1.4826 times the median absolute residual of all rows */
    double absolute; /**< sum of absolute residuals, all rows */
    double r2;       /**< of the rows that are no outliers; 0 where it explains nothing of them */
    size_t rows, outliers;
} db_fit;

/** Least squares without outliers. Starts from the least sum of absolute residuals (iteratively
 *  reweighted least squares), calls a row an outlier where its residual is above 3.5 of \p mad and
 *  above a hundredth of its fitted value, and fits the others again until they stay the same.
 *  \param x        [rows * columns] row by row
 *  \param y        [rows]
 *  \param columns  1 to DB_FIT_COLUMNS
 *  \param residual [rows] filled: y less what was fitted
 *  \param outlier  [rows] filled: 0 or 1
 *  Time O(rows * columns^2) a step, 70 steps at most. Same input, same output. */
int db_fit_linear(const double *x, const double *y, size_t rows, size_t columns, db_fit *fit,
                  double *residual, uint8_t *outlier, topomap_error *err);

/** y of a row = the largest coefficient among the columns where x > 0: what a byte takes over the
 *  slowest of the links that it passes. A column that is not the slowest of any row by 3 % is not
 * known (coefficient 0): it is no slower than the others. Otherwise as db_fit_linear(). */
int db_fit_slowest(const double *x, const double *y, size_t rows, size_t columns, db_fit *fit,
                   double *residual, uint8_t *outlier, topomap_error *err);

/** The median, of two the mean; 0 of none. Sorts \p value. */
double db_fit_median(double *value, size_t count);

#endif
