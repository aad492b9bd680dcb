/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of switches, as a reader loads it. */
#ifndef TOPOMAP_DB_SWITCHES_H
#define TOPOMAP_DB_SWITCHES_H

#include "topology-db/store.h"

enum { DB_FAR = UINT16_MAX }; /* no path */

struct db_switches {
    uint32_t count;
    int64_t *id;         /* [count] ascending */
    uint32_t *first;     /* [count + 1] neighbours of i: neighbour[first[i] .. first[i + 1]) */
    uint32_t *neighbour; /* ascending for each */
    uint32_t *cost;      /* of a byte over each of neighbour[], thousandths of a hop (costs.h) */
    uint32_t *queue;     /* [count] scratch of db_switches_spread() */
};

/** \param slurm  those of Slurm's topology file in place of the fabric's */
int db_switches_load(sqlite3 *file, int slurm, struct db_switches *switches, topomap_error *err);
void db_switches_clear(struct db_switches *switches);
/** Index of a switch by its id, UINT32_MAX where there is none. */
uint32_t db_switches_find(const struct db_switches *switches, int64_t id);
/** Cost of a byte from one switch to a neighbour; 0 where they are not joined. */
uint32_t db_switches_cost(const struct db_switches *switches, uint32_t a, uint32_t b);
/** Hops from the nearest of some switches to every switch; breadth-first search.
 *  \param hops  [count] DB_FAR where there is no path */
void db_switches_spread(struct db_switches *switches, const uint32_t *from, size_t count,
                        uint16_t *hops);
/** A place to start from: a switch, with what it takes to get into it. */
struct db_start {
    uint32_t at, hops, cost;
};
/** The same from a host, with costs: of the cheapest of the shortest paths. The starts' hops are
 *  all the same number.
 *  \param hops  [count] DB_FAR where there is no path
 *  \param cost  [count] thousandths of a hop */
void db_switches_reach(struct db_switches *switches, const struct db_start *start, size_t starts,
                       uint16_t *hops, uint32_t *cost);

/** Switches, each below the count. */
struct db_switch_set {
    const uint32_t *at; /* [count] */
    size_t count;
};
/** Hops between every two of some sets, from the nearest switch of one to the nearest of the other.
 *  \param hops  [sets * sets] DB_FAR where there is no path */
int db_switches_between(const struct db_switches *switches, const struct db_switch_set *set,
                        size_t sets, uint16_t *hops, topomap_error *err);

#endif
