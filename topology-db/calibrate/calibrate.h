/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * From measured times to costs: what a hop costs, by class of link, leaving a node, and the levels
 * inside one; which pairs do not fit, and which cables they have in common.
 *
 * Method 1 of Lindgren's thesis (KTH): f(h) = a h + b by least squares over pairs of nodes; here
 * without outliers (topology-db/calibrate/fit.h), for latency and for the time of a byte, and by
 * class of link where a database knows the routes. A pair's times over all message sizes s are
 * first fitted as latency + s * us_per_byte with relative weights. */
#ifndef TOPOMAP_DB_CALIBRATE_H
#define TOPOMAP_DB_CALIBRATE_H

#include "topology-db/calibrate/fit.h"
#include "topology-db/db.h"

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

#endif
