/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs from measurements. */
#pragma once

#include "topology-db/db.h"
#include "topology-db/query/query.h"
#include "topomap/topomap.h"
#include "util/alloc.h"

/* ---- fit ----------------------------------------------------------------------- */
/* Robust fits of costs to what was measured. No part of it knows of databases or files. */

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

/* ---- calibrate ----------------------------------------------------------------- */
/** \file
 * From measured times to costs: what a hop costs, by class of link, leaving a node, and the levels
 * inside one; which pairs do not fit, and which cables they have in common.
 *
 * Method 1 of Lindgren's thesis (KTH): f(h) = a h + b by least squares over pairs of nodes; here
 * without outliers (see fit, above), for latency and for the time of a byte, and
 * by class of link where a database knows the routes. A pair's times over all message sizes s are
 * first fitted as latency + s * us_per_byte with relative weights. */

/** What a fit of both halves says: one way, microseconds; microseconds a byte (1 / (MB/s)). */
typedef struct topomap_db_time {
    double latency_us, us_per_byte;
} topomap_db_time;

/** f(h) = per_hop h + base over some pairs. */
typedef struct topomap_db_line {
    double per_hop, base;
    double sigma;    /**< of the residuals, outliers left out */
    double rms;      /**< of all residuals */
    double mean;     /**< of what was measured */
    double r2;       /**< outliers left out */
    size_t outliers; /**< among the pairs */
} topomap_db_line;

typedef struct topomap_db_group {
    char *name; /**< of node classes: "thin", "thin, fat" */
    size_t pairs;
    topomap_db_line latency, byte; /**< microseconds; microseconds a byte */
} topomap_db_group;

/** A class of link. */
typedef struct topomap_db_hop {
    char name[40];                 /**< "4xEDR"; "": all hops alike */
    uint32_t mbps;                 /**< by the database, or 0 */
    uint64_t links;                /**< links of the class that messages between the pairs passed */
    topomap_db_time cost;          /**< of a hop over it */
    int latency_known, byte_known; /**< 0: the pairs do not tell it from the others */
    int reference;                 /**< the one that most links between switches passed are of */
} topomap_db_hop;

/** Pairs of one distance: in a fat tree, of one level. */
typedef struct topomap_db_distance_class {
    double hops;
    size_t pairs;
    topomap_db_time median;
    double slowdown; /**< every process at once against pairs that hardly share links, at the
                        largest size that both have; 0: not measured */
} topomap_db_distance_class;

/** Inside nodes. */
typedef struct topomap_db_inside {
    char *level;      /**< "core", "l2", "numa" ... */
    char *node_class; /**< NULL: all nodes */
    size_t nodes;
    topomap_db_time median;
} topomap_db_inside;

/** A pair that does not fit. */
typedef struct topomap_db_outlier {
    const char *from, *to;
    double hops;
    topomap_db_time measured, fitted;
} topomap_db_outlier;

/** A cable that at least half of the pairs over it are outliers for. */
typedef struct topomap_db_culprit {
    char *cable;
    size_t pairs, outliers; /**< over it; among them, those not laid to an earlier one */
    int alternatives; /**< cables that explain the same pairs as well (each is listed), 1 for itself
                       */
    topomap_db_time excess; /**< median of what its outliers take beyond the fit, one way */
} topomap_db_culprit;

typedef struct topomap_db_calibration {
    size_t nodes, pairs;
    int latency_only;              /**< one message size alone: times of a byte are 0 */
    double size;                   /**< that size, or the largest, bytes */
    topomap_db_line latency, byte; /**< f(h) over all pairs */
    int healthy;    /**< what the fits by class leave, outliers included, is at most a fifth of the
                       mean (Lindgren's appendix: 6 % with    a healthy fabric, 30 % with a cabinet
                       off)
                     */
    int bottleneck; /**< a byte's time is that of the slowest link passed, not their sum */
    topomap_db_hop *hop;
    size_t hops;
    topomap_db_time base;         /**< of leaving a node (level "router") */
    db_fit latency_fit, byte_fit; /**< by class of link; the columns of hop[], after the base */
    topomap_db_distance_class *distance;
    size_t distances;
    topomap_db_group *group;
    size_t groups;
    topomap_db_inside *inside;
    size_t insides;
    topomap_db_outlier *outlier;
    size_t outliers;
    topomap_db_culprit *culprit;
    size_t culprits;
    void *own; /**< names and times, for the writers */
} topomap_db_calibration;

/** Fits what topomap-measure wrote.
 *  \param db  routes, link and node classes; NULL: the file's own hops, of one class
 *  \param result  ends with topomap_db_calibration_clear() */
int topomap_db_calibrate(const char *measured, topomap_db *db, topomap_db_calibration *result,
                         topomap_error *err);
void topomap_db_calibration_clear(topomap_db_calibration *result);

/** The file that `db import calibration` takes. Refused where no cost of a hop came out.
 *  \param path  "-" is standard output; whole or not at all */
int topomap_db_calibration_write(const topomap_db_calibration *result, const char *path,
                                 topomap_error *err);

/** Costs of a byte between every two nodes, nanoseconds, for `--machine matrix:FILE`: as measured,
 *  and where a pair was not, as fitted (which needs its hops: a database, which must still be
 * open). \param size   of a message, bytes: a byte costs latency / size + the time of a byte \param
 * nodes  their order; NULL: that of the file */
int topomap_db_calibration_matrix(const topomap_db_calibration *result, double size,
                                  const topomap_names *nodes, const char *path, topomap_error *err);

/* ---- measured ------------------------------------------------------------------ */
/* What topomap-measure wrote (contrib/measure/README.md has the format). */

enum db_measured_kind { DB_MEASURED_PAIR, DB_MEASURED_INSIDE, DB_MEASURED_LOADED };

struct db_measurement {
    enum db_measured_kind kind;
    uint32_t from, to; /* of name[]; inside: a node, and a level */
    double hops;       /* or -1 */
    double size;       /* bytes */
    double us;         /* one way */
};

struct db_measured {
    char **name; /* in order of first appearance */
    uint32_t names;
    struct db_measurement *row;
    size_t rows;
};

/* ---- Shared by the calibrate_*.c files -------------------------------------- */

/** Two nodes that were measured, or a node and a level inside it. */
struct db_pair {
    uint32_t from, to; /* of measured.name; from < to, but a level is always to */
    size_t first, end; /* rows of measured.row, ascending by size */
    double hops;       /* -1: not known */
    topomap_db_time time;
    int sizes;          /* different ones */
    size_t link, links; /* its entries in calibrated.link; none: not known */
    uint8_t outlier;
};

/** A cable on a pair's way: there and back, each with half its time. */
struct db_pair_link {
    uint32_t cable;
    float share; /* 1: there and back; 0.5: one of them */
};

struct db_calibrated {
    topomap_arena texts; /* names, and those in the result */
    struct db_measured measured;
    uint8_t *is_node;              /* [measured.names] */
    struct db_pair *pair, *inside; /* [pairs], [insides]; inside lies behind pair */
    size_t pairs, insides, room;
    struct db_paths *paths;
    struct db_path path; /* scratch of db_calibrated_route() */
    struct db_pair_link *link;
    size_t links, link_room;
    int routed; /* every pair's cables are known */
    double *x;  /* [pairs * (1 + hops)] columns: base, the classes of link */
    double *fitted_latency, *fitted_byte; /* [pairs] */
};

/** Times of several pairs; the first `count`. */
struct db_times {
    double *hops, *latency, *byte;
    size_t count;
};

/** For at most so many. Ends with db_times_clear(), also after a failure. */
int db_times_make(struct db_times *times, size_t most, topomap_error *err);
void db_times_clear(struct db_times *times);
void db_times_add(struct db_times *times, double hops, topomap_db_time time);
/** Their medians; then there are none any more. */
topomap_db_time db_times_median(struct db_times *times);
/** f(h) of both by least squares without outliers; then there are none any more. */
int db_times_fit(struct db_times *times, topomap_db_line *latency, topomap_db_line *byte,
                 topomap_error *err);

/** Reads, and groups rows by pair. */
int db_calibrated_read(struct db_calibrated *own, const char *path, topomap_error *err);
/** Hops and cables of every pair. */
int db_calibrated_route(struct db_calibrated *own, topomap_db *db, topomap_error *err);
/** result->hop: the classes of link that the pairs pass; own->x. */
int db_calibrated_classes(struct db_calibrated *own, topomap_db_calibration *result,
                          topomap_error *err);
/** The class of a cable; NULL where no measured pair passes one of that class. */
const topomap_db_hop *db_calibrated_hop(const struct db_calibrated *own,
                                        const topomap_db_calibration *result, uint32_t cable);
/** result->culprit. */
int db_calibrated_blame(struct db_calibrated *own, topomap_db_calibration *result,
                        topomap_error *err);
/** result->distance, ->group, ->inside. */
int db_calibrated_tables(struct db_calibrated *own, topomap_db *db, topomap_db_calibration *result,
                         topomap_error *err);
void db_calibrated_free(struct db_calibrated *own);
