/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of topology-db/calibrate/calibrate.h share these. */
#ifndef TOPOMAP_DB_CALIBRATE_OWN_H
#define TOPOMAP_DB_CALIBRATE_OWN_H

#include "topology-db/calibrate/calibrate.h"
#include "topology-db/calibrate/measured.h"
#include "topology-db/query/paths.h"

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
    struct db_measured measured;
    uint8_t *is_node;              /* [measured.names] */
    struct db_pair *pair, *inside; /* [pairs], [insides]; inside lies behind pair */
    size_t pairs, insides, room;
    struct db_paths *paths;
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

#endif
