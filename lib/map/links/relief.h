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

typedef struct relief_edge {
    uint32_t u, v, next; /* u sends to v; next on the same link */
} relief_edge;

typedef struct relief {
    topomap_problem *problem;
    const topomap_machine *machine;
    const topomap_network *network;
    topomap_shares *shares;
    topomap_vicinity vicinity;
    topomap_loads loads;
    int whole_nodes;     /* places are nodes, not slots */
    uint32_t *place_of;  /* [vertices] */
    uint32_t *vertex_at; /* [vertices] by place */
    uint32_t vertices;
    topomap_random random;
    uint64_t limit; /* of loads.looked */
    double potential;

    const topomap_objective *objective;
    double J, weight;        /* with a mix: of all ranks; potential by which 1 more of J counts */
    double priced, priced_J; /* what the swap priced last adds to the potential, and to J */

    uint32_t *best; /* [vertices] the best placement so far, and what it reaches */
    double best_value, best_max, best_sum, best_J;

    uint32_t hot[TOPOMAP_RELIEF_HOT], first[TOPOMAP_RELIEF_HOT], hots;
    uint8_t *hot_of; /* [links] 1 + its number among the hot ones */
    relief_edge *edge;
    uint32_t edges;
} relief;

/** Who might change places with \p u, so that its edge to \p v takes another way: \p kind of
 *  TOPOMAP_RELIEF_KINDS. u itself: nobody. */
uint32_t topomap_relief_partner(relief *r, uint32_t u, uint32_t v, uint32_t kind);
/** What a swap adds to the potential. */
double topomap_relief_price(relief *r, uint32_t u, uint32_t x);
/** Makes the swap that was priced last. */
void topomap_relief_accept(relief *r, uint32_t u, uint32_t x);
/** Takes the placement as the best one. \p sum  of its loads, or infinity: not known. */
void topomap_relief_keep(relief *r, double sum);
/** After a row of swaps: the mean decides between equal maxima. */
void topomap_relief_compare(relief *r);
void topomap_relief_rescale(relief *r);
/** Nonzero where what may be spent is. */
int topomap_relief_over(relief *r);

/** Lists the links that are loaded by more than \p part of the maximum, and the edges over them.
 * \return 0, or -1: no memory */
int topomap_relief_hot(relief *r, double part);
/** Rounds over the links close to the maximum. \return 0, or -1: no memory */
int topomap_relief_descend(relief *r);
/** The mean, without touching the maximum. \return 0, or -1: no memory */
int topomap_relief_settle(relief *r);

#endif
