/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of `relieve` (relieve.c): its swaps are in relief_swaps.c, what it looks for them by
 * and descends with in relief_descent.c. */
#ifndef TOPOMAP_RELIEF_H
#define TOPOMAP_RELIEF_H

#include "machine/vicinity.h"
#include "map/links/loads.h"
#include "map/objective.h"
#include "map/problem.h"

enum { TOPOMAP_RELIEF_KINDS = 7, TOPOMAP_RELIEF_HOT = 64, TOPOMAP_RELIEF_EDGES = 4096 };
#define ENOUGH 1e-9 /* a gain below this part is rounding */

/* Phases do not meet on the links: each has loads of its own, and takes as long as the highest of
 * them, which the power mean `norm` of its loads is near. */
typedef struct relief_phase {
    topomap_traffic_rows rows;
    topomap_loads loads;
    double potential, norm, priced; /* priced: what the swap priced last adds to the potential */
} relief_phase;

typedef struct relief_edge {
    uint32_t u, v, next; /* u sends to v; next on the same link */
} relief_edge;

typedef struct relief {
    topomap_problem *problem;
    const topomap_machine *machine;
    const topomap_network *network;
    topomap_shares *shares;
    topomap_vicinity vicinity;
    uint32_t phases;
    relief_phase *phase;              /* [phases] */
    topomap_traffic_rows all;         /* of several phases together */
    const topomap_traffic_rows *rows; /* of all there are */
    int whole_nodes;                  /* places are nodes, not slots */
    uint32_t *place_of;               /* [vertices] */
    uint32_t *vertex_at;              /* [vertices] by place */
    uint32_t *at;                     /* [vertices] network vertex */
    uint32_t vertices;
    topomap_random random;
    uint64_t looked, limit; /* links, so far and at most */
    unsigned power;
    double norm; /* of all phases, one after the other */
    double step; /* from the lowest maximum so far down to what is aimed at */

    const topomap_objective *objective;
    double J, weight;        /* with a mix: of all ranks; norm by which 1 more of J counts */
    double priced, priced_J; /* what the swap priced last adds to the norm, and to J */

    uint32_t *best; /* [vertices] the best placement so far, and what it reaches */
    double best_value, best_max, best_sum, best_J;

    uint32_t hot[TOPOMAP_RELIEF_HOT], first[TOPOMAP_RELIEF_HOT], hots; /* of one phase */
    uint8_t *hot_of; /* [links] 1 + its number among the hot ones */
    relief_edge *edge;
    uint32_t edges;
} relief;

/** Makes the rows of each phase, of ranks or of the blocks that they are in. */
int topomap_relief_open(relief *r, const uint32_t *block_of, topomap_error *err);
void topomap_relief_close(relief *r);
/** Loads of the placement as it is, free of rounding, with potentials of a power and a slope. */
int topomap_relief_load(relief *r, unsigned power, double slope, topomap_error *err);

/** Who might change places with \p u, so that its edge to \p v takes another way: \p kind of
 *  TOPOMAP_RELIEF_KINDS. u itself: nobody. */
uint32_t topomap_relief_partner(relief *r, uint32_t u, uint32_t v, uint32_t kind);
/** What a swap adds to the norm; INFINITY where an edge would have no way. */
double topomap_relief_price(relief *r, uint32_t u, uint32_t x);
/** Makes the swap that was priced last. */
void topomap_relief_accept(relief *r, uint32_t u, uint32_t x);
/** Takes the placement as the best one. \p sum  of its loads, or infinity: not known. */
void topomap_relief_keep(relief *r, double sum);
/** After a row of swaps: the mean decides between equal maxima. */
void topomap_relief_compare(relief *r);
void topomap_relief_rescale(relief *r);
/** Of one phase: loads count for what they have above the next lower load that a link has, so that
 * all of the maximum's links are to come down to that. */
void topomap_relief_aim(relief *r);
/** The maxima of all phases, added up; as it is, or at most with the swap that was priced last. */
double topomap_relief_max(const relief *r);
double topomap_relief_peak(const relief *r);
/** The loads of all links, added up. */
double topomap_relief_sum(const relief *r);
/** Nonzero where what may be spent is. */
int topomap_relief_over(relief *r);

/** Lists the links that are loaded by more than \p part of the phase's maximum, and the edges over
 * them. \return 0, or -1: no memory */
int topomap_relief_hot(relief *r, uint32_t phase, double part);
/** A phase, the longer the likelier. */
uint32_t topomap_relief_draw_phase(relief *r);
/** Rounds over the links close to the maximum. \return 0, or -1: no memory */
int topomap_relief_descend(relief *r);
/** The mean, without touching the maximum. \return 0, or -1: no memory */
int topomap_relief_settle(relief *r);
/** Nonzero where memory was short. */
int topomap_relief_short(const relief *r);

#endif
