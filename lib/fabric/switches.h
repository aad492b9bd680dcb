/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of switches, and distances over shortest paths and over routes. */
#pragma once

#include "topomap/topomap.h"

/* ---- switches ------------------------------------------------------------------ */
/* The graph of what routes in a fabric, and the searches over it. */

enum {
    TOPOMAP_FAR = UINT16_MAX, /* hops: no path */
    TOPOMAP_HOP = 1000,       /* cost of a byte over a link of the reference rate */
    TOPOMAP_COST_MOST = 1000000,
};

typedef struct topomap_switches {
    uint32_t count;
    int64_t *id;         /* [count] the caller's, ascending; or NULL */
    uint32_t *first;     /* [count + 1] neighbours of i: neighbour[first[i] .. first[i + 1]) */
    uint32_t *neighbour; /* ascending for each */
    uint32_t *cost;      /* of a byte over each of neighbour[], thousandths of a hop */
    uint32_t *queue;     /* [count] scratch of the searches */
} topomap_switches;

/** Two joined switches, a < b. */
typedef struct topomap_trunk {
    uint32_t a, b, cost;
} topomap_trunk;

/** Fills all but count and id. On failure \p switches is to be cleared too.
 *  \param trunk  [count] ascending by (a, b), each pair once */
int topomap_switches_join(topomap_switches *switches, const topomap_trunk *trunk, size_t count,
                          topomap_error *err);
void topomap_switches_clear(topomap_switches *switches);
/** Index of a switch by its id, UINT32_MAX where there is none. */
uint32_t topomap_switches_find(const topomap_switches *switches, int64_t id);
/** Where b is in neighbour[] for a; UINT32_MAX where they are not joined. */
uint32_t topomap_switches_link(const topomap_switches *switches, uint32_t a, uint32_t b);
/** Cost of a byte from one switch to a neighbour; 0 where they are not joined, or are none. */
uint32_t topomap_switches_cost(const topomap_switches *switches, uint32_t a, uint32_t b);

/** Connected components, numbered from 0 by their lowest switch.
 *  \param keep  [neighbours] those of them that join; NULL: all
 *  \param part  [count]
 *  \return how many */
uint32_t topomap_switches_parts(topomap_switches *switches, const uint8_t *keep, uint32_t *part);
/** Hops from the nearest of some switches to every switch; breadth-first search.
 *  \param hops  [count] TOPOMAP_FAR where there is no path */
void topomap_switches_spread(topomap_switches *switches, const uint32_t *from, size_t count,
                             uint16_t *hops);
/** A place to start from: a switch, with what it takes to get into it. */
typedef struct topomap_start {
    uint32_t at, hops, cost;
} topomap_start;
/** The same from a host, with costs: of the cheapest of the shortest paths. The starts' hops are
 *  all the same number.
 *  \param hops  [count] TOPOMAP_FAR where there is no path
 *  \param cost  [count] thousandths of a hop */
void topomap_switches_reach(topomap_switches *switches, const topomap_start *start, size_t starts,
                            uint16_t *hops, uint32_t *cost);

/** Switches, each below the count. */
typedef struct topomap_switch_set {
    const uint32_t *at; /* [count] */
    size_t count;
} topomap_switch_set;
/** Hops between every two of some sets, from the nearest switch of one to the nearest of the other.
 *  \param hops  [sets * sets] TOPOMAP_FAR where there is no path */
int topomap_switches_between(const topomap_switches *switches, const topomap_switch_set *set,
                             size_t sets, uint16_t *hops, topomap_error *err);

/* ---- switch distances ---------------------------------------------------------- */
/* Distances between the places of a fabric that hosts hang on. */

/** What hosts hang on: switches, with what it takes from the host into each. All hops of one site
 *  are the same number. */
typedef struct topomap_site {
    const topomap_start *on; /* [count] */
    size_t count;
} topomap_site;

/** Distances between every two sites: two are as far as the nearest two of their switches, at the
 *  cost of the cheapest of the shortest paths; two hosts of one site meet at the cheapest of its
 *  switches. Pairs without a path (a dump that is not complete) are put 2 hops beyond the farthest.
 *  \param hop   cost of a byte over a link of the reference rate
 *  \param hops  [sites * sites]
 *  \param cost  [sites * sites] */
int topomap_switch_distances(topomap_switches *switches, const topomap_site *site, size_t sites,
                             double hop, uint16_t *hops, float *cost, topomap_error *err);

/** Puts pairs of TOPOMAP_FAR hops 2 hops beyond the farthest pair. */
void topomap_distances_fill_gaps(size_t sites, double hop, uint16_t *hops, float *cost);

/* ---- route costs --------------------------------------------------------------- */
/* Hops and costs over routes that are not all shortest, and the distances between hosts that follow
 * from them. A row has the routes from every place (a switch with hosts) to one port of a host;
 * rows that are the same are kept once. */

enum {
    TOPOMAP_NO_ROUTE = 0, /* a code */
    TOPOMAP_ROUTE_CODES = 65535,
    TOPOMAP_ROUTE_CODE = 2, /* bytes of a code, the lower one first */
};

typedef struct topomap_route_cost {
    uint32_t hops, cost;
} topomap_route_cost;

typedef struct topomap_route_row {
    uint32_t place; /* of the port's own switch */
    uint8_t *code;  /* [places * TOPOMAP_ROUTE_CODE]; NULL: not read */
} topomap_route_row;

typedef struct topomap_route_costs {
    uint32_t places;
    topomap_route_row *row; /* [rows] */
    size_t rows;
    topomap_route_cost *of; /* [TOPOMAP_ROUTE_CODES + 1] by code; TOPOMAP_FAR hops: no route */
} topomap_route_costs;

/** Like topomap_switch_distances(), but along routes instead of shortest paths: site->on[].at is
 *  the index of a row. Both directions get their mean; hops are rounded up.
 *  \param hops  [sites * sites]
 *  \param cost  [sites * sites] tenths of a hop */
int topomap_route_distances(const topomap_route_costs *costs, const topomap_site *site,
                            size_t sites, uint16_t *hops, float *cost, topomap_error *err);
