/* SPDX-License-Identifier: BSD-3-Clause */
/* Local search over pairs of ranks: Schulz & Traeff (VieM), sections 2, 3.2 and 3.3. A swap costs
 * O(d_u + d_v) to price and to make. How a swap is priced can be exchanged, so that a test can
 * show that the fast way takes the same path as the O(n) one. Where a rank might go instead of
 * changing places - a slot that is empty, or that of a rank that talks to nobody - is in every
 * neighbourhood, the papers' machines having no such slots. */
#ifndef TOPOMAP_PAIRS_H
#define TOPOMAP_PAIRS_H

#include "map/problem.h"
#include "map/refine/twins.h"

enum { TOPOMAP_ORACLE_BITS = 33 };

/** The online oracle of section 3.4 for machines with nested groups: a slot's code (that of
 *  machine/closeness.h) holds the number of its group inside the next one, a bit field a level, the
 *  outermost at the top. The highest bit in which two codes differ gives the level. */
typedef struct topomap_oracle {
    const topomap_machine *machine;
    uint32_t *code;                   /* [slots], or NULL: ask the machine */
    double cost[TOPOMAP_ORACLE_BITS]; /* by topomap_closeness_bit() of two codes; 0: the same */
} topomap_oracle;

/** The codes are left out where the machine has no levels or they take more than 31 bits. */
int topomap_oracle_init(topomap_oracle *oracle, const topomap_machine *machine, topomap_error *err);
void topomap_oracle_clear(topomap_oracle *oracle);

typedef struct topomap_pairs {
    topomap_problem *problem;
    topomap_oracle oracle;
    uint32_t *slot_of; /* [vertices], the caller's */
    double *gamma;     /* [vertices] cost of each vertex's edges where it is */
    topomap_twins twins;
    uint32_t *silent; /* [silents] vertices without edges, by slot at the beginning */
    uint32_t silents;
    int64_t looks; /* edges that may still be looked at; the search ends when they are used up */
    /** Cost change of exchanging u and x, or anything >= 0 where it does not pay. */
    double (*delta)(const struct topomap_pairs *pairs, uint32_t u, uint32_t x);
    /** Told of each swap that is made, with its delta; may be NULL. */
    void (*swapped)(void *data, uint32_t u, uint32_t x, double delta);
    void *data;
} topomap_pairs;

int topomap_pairs_init(topomap_pairs *pairs, topomap_problem *problem, uint32_t *slot_of,
                       topomap_error *err);
void topomap_pairs_clear(topomap_pairs *pairs);

double topomap_pairs_distance(const topomap_pairs *pairs, uint32_t p, uint32_t q);
/** The exact change, in O(d_u + d_x). */
double topomap_pairs_delta(const topomap_pairs *pairs, uint32_t u, uint32_t x);
/** Exchanges u and x and brings gamma up to date, in O(d_u + d_x). */
void topomap_pairs_swap(topomap_pairs *pairs, uint32_t u, uint32_t x, double delta);
/** Prices the pair and swaps where that pays; nonzero then. Twins are not priced. */
int topomap_pairs_try(topomap_pairs *pairs, uint32_t u, uint32_t x);
/** Nonzero when the caller's time or the looks are used up. */
int topomap_pairs_over(const topomap_pairs *pairs);
/** Whether two slots see all others, and each other, at the same distances. */
int topomap_pairs_alike(const topomap_pairs *pairs, uint32_t p, uint32_t q);

/** All pairs in cyclic order, until a whole round fails. \p block: pairs of one block of so many
 *  consecutive ranks only (N_p); 0: all (N^2). */
int topomap_pairs_cyclic(topomap_pairs *pairs, uint32_t block, topomap_error *err);
/** N_C^d: pairs at distance at most \p depth in the communication graph, in random order, until all
 *  of them fail. */
int topomap_pairs_near(topomap_pairs *pairs, uint32_t depth, topomap_error *err);

#endif
