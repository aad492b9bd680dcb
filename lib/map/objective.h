/* SPDX-License-Identifier: BSD-3-Clause */
/* Objective functions, and the search for free slots. */
#pragma once

#include "fabric/network.h"
#include "machine/machine.h"
#include "topomap/time.h"
#include "util/alloc.h"

/* ---- objective ----------------------------------------------------------------- */
/* The objectives that go by links, congestion, mix and time: what a placement reaches, and which of
 * two is better. */

typedef struct topomap_objective {
    const topomap_network *network;
    topomap_network *grid;           /* owned: a torus's own */
    const char *model;               /* static */
    double share;                    /* of J in the mix, above 0 and below 1; 0: congestion alone */
    double J0, max0, time0;          /* the baseline's, with the mix and with the time */
    int by_time;                     /* predicted time comes first */
    uint64_t budget;                 /* of its sharing of links (metric/metric.h) */
    const topomap_time_costs *costs; /* of it; NULL: the usual ones */
} topomap_objective;

/** What a placement reaches; INFINITY where an edge has no way. */
typedef struct topomap_score {
    double J;
    double over;      /* load a slot above the level's limit; 0 without one */
    double max, mean; /* 0 without an objective */
    double mix;       /* 0 without a mix */
    double time;      /* predicted seconds; 0 where the objective is another one */
} topomap_score;

/** \param model  "exact", "routes" or "adaptive"; NULL: topomap_congestion_usual()
 *  TOPOMAP_EUSAGE where the machine's links are not known, or it has no routes to go by. */
int topomap_objective_open(const topomap_machine *machine, enum topomap_objective_kind kind,
                           const char *model, topomap_objective *objective, topomap_error *err);
void topomap_objective_close(topomap_objective *objective);

/** The numbers of topomap_congestion_evaluate(); J is the caller's. -1 where memory is short.
 *  \param slot_of  [ranks of the graph] */
int topomap_objective_score(const topomap_objective *objective, const topomap_graph *graph,
                            const topomap_machine *machine, const uint32_t *slot_of,
                            topomap_score *score, topomap_error *err);
/** The mix of a J and a maximum (enum topomap_objective_kind); 0 where the objective is none. */
double topomap_objective_mix(const topomap_objective *objective, double J, double max);
/** Nonzero where \p a is better: the lower excess of load, then the lower mix, then the lower
 * time and with it the lower J, then the lower maximum, the lower mean, the lower J. Numbers that
 * differ by rounding only (1e-9 of them) are equal. */
int topomap_score_better(const topomap_score *a, const topomap_score *b);

/* ---- node price ---------------------------------------------------------------- */

/** What it costs a node to talk to many others at once: the sum of weight times distance, for all
 *  nodes of a torus, mesh or matrix together. On a torus distances add up over the dimensions, so
 *  that the weights of each plane are enough; on a matrix those of each site are. */
typedef struct topomap_node_price {
    const topomap_machine *machine;
    topomap_arena memory;
    uint32_t points;                          /* planes of all dimensions, or sites */
    uint32_t first[TOPOMAP_MACHINE_DIMS + 1]; /* of the planes of a dimension */
    double *weight, *price;                   /* [points] */
    double *sum;                              /* [points + 1] scratch */
    double total;                             /* of the weights */
    double base;                              /* torus: what all of it costs without a hop */
} topomap_node_price;

/** Without weights. The machine is no tree. */
int topomap_node_price_init(topomap_node_price *field, const topomap_machine *machine,
                            topomap_error *err);
void topomap_node_price_clear(topomap_node_price *field);

void topomap_node_price_add(topomap_node_price *field, uint32_t node, double weight);
/** Prices what was added since the last time. O(planes), or O(sites) for each site with weight. */
void topomap_node_price_price(topomap_node_price *field);
/** Cost of a node, as priced; its own weight counts as that of another node at its place. */
double topomap_node_price_cost(const topomap_node_price *field, uint32_t node);
/** What its own weight was counted as, a unit. */
double topomap_node_price_own(const topomap_node_price *field, uint32_t node);

/* ---- places -------------------------------------------------------------------- */
/* Free slots of a machine while ranks are placed one by one, and the cheapest of them, without
 * looking at every slot: free slots of one innermost group cost the same, so that each level of
 * the hierarchy needs one candidate a group. Between nodes that have no hierarchy (torus, matrix)
 * every node is a candidate, priced as in the section before. */

typedef struct topomap_place_level {
    uint32_t groups;
    uint32_t *group;       /* [slots] */
    uint32_t *parent;      /* [groups] in the level above */
    uint32_t *first_child; /* [groups + 1] into child */
    uint32_t *child;       /* groups of the level below; slots at level 0 */
    uint32_t *empty;       /* [groups] free slots */
    double *taken;         /* [groups] slots taken */
    double *best;          /* [groups] least cost of a free slot, as far as it depends on the group
                              and what is in it */
    double *pull;          /* [groups] weight of the present rank's neighbours there */
    double *pull_best;     /* [groups] like best, for the weighted distance to the neighbours */
    double *pull_below;    /* [groups] least pull_best of a pulled child */
    uint32_t *pull_empty;  /* [groups] free slots of pulled children */
    uint32_t *pulled;      /* [pulls] groups with a neighbour */
    uint32_t pulls;
    double cost;
} topomap_place_level;

typedef struct topomap_places {
    const topomap_machine *machine;
    topomap_arena memory;
    uint32_t levels; /* the uppermost is everything (tree) or the nodes */
    topomap_place_level level[2 * TOPOMAP_MACHINE_LEVELS];
    double *far;    /* [groups of the uppermost level] distances to slots taken in other groups */
    uint32_t *node; /* [groups of the uppermost level] a node of it */
    uint8_t *used;  /* [slots] */
    topomap_node_price
        field; /* of the pulled groups of the uppermost level, where they are nodes */
} topomap_places;

int topomap_places_init(topomap_places *places, const topomap_machine *machine, topomap_error *err);
void topomap_places_clear(topomap_places *places);

/** The slot of least total distance to all slots (before the first is taken). */
uint32_t topomap_places_centre(topomap_places *places);
/** The free slot of least total distance to the slots taken. */
uint32_t topomap_places_nearest(const topomap_places *places);
/** Tells of a neighbour of the present rank on \p slot. */
void topomap_places_pull(topomap_places *places, uint32_t slot, double weight);
/** The free slot of least weighted distance to the neighbours told of, which are then forgotten;
 *  as nearest() where there were none. */
uint32_t topomap_places_pulled(topomap_places *places);
void topomap_places_take(topomap_places *places, uint32_t slot);
