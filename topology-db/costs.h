/* SPDX-License-Identifier: BSD-3-Clause */
/* What a byte costs by class of link, worked out from all links when the views are made.
 *
 * Unit: thousandths of a hop over the reference link, whole numbers, so that sums are the same in
 * either direction. A network's reference is the rate that most of its links between switches have
 * (of two, the higher; without such links, of its links to hosts); a link of half that rate costs
 * 2000. A rate that is not known counts as the reference. Where a calibration was imported, a class
 * that it has costs what was measured instead, and half of its level "router" is added to every
 * link to a host. */
#ifndef TOPOMAP_DB_COSTS_H
#define TOPOMAP_DB_COSTS_H

#include <uthash.h>

#include "fabric/switches.h"
#include "topology-db/store.h"

/** A class of links of one source. */
struct db_link_key {
    int64_t source;
    uint32_t width, speed, mbps; /* as in table link; mbps 0: none */
    char kind[24];               /* the source's own name of the class, or "" */
};

struct db_link_class {
    struct db_link_key key;
    uint32_t mbps, cost, index;
    int measured;            /* the cost is a calibration's */
    uint64_t trunks, others; /* links between switches, and to hosts */
    UT_hash_handle hh;
};

struct db_link_classes {
    struct db_link_class *by_key;
    struct db_link_class **by_index;
    size_t room;
    uint32_t count;
};

/** The class, made where it is new. \p key zeroed before it is filled. */
int db_link_classes_find(struct db_link_classes *classes, const struct db_link_key *key,
                         struct db_link_class **found, topomap_error *err);
/** Sets the cost of every class, when all links are counted. */
int db_link_classes_price(struct db_link_classes *classes, sqlite3 *file, topomap_error *err);
void db_link_classes_clear(struct db_link_classes *classes);

/** "4xEDR", the source's own name, "25G", or "unknown".
 *  \param text  [40] */
void db_link_class_name(const struct db_link_key *key, char *text);

/** A rate against the reference. */
uint32_t db_cost_of_rate(uint64_t reference, uint64_t mbps);

/** Measured cost of a level ("core", "numa", "router", "hop:4xEDR" ...) against a hop; 0 where no
 *  calibration has it. */
int db_cost_measured(sqlite3 *file, const char *level, uint32_t *cost, topomap_error *err);

#endif
