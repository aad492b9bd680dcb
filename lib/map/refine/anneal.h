/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated annealing by swaps, on slots or on whole groups of them. */
#ifndef TOPOMAP_ANNEAL_H
#define TOPOMAP_ANNEAL_H

#include "machine/closeness.h"
#include "map/problem.h"
#include "util/arena.h"

typedef struct topomap_arc {
    uint32_t target;
    float weight;
} topomap_arc;

/** What a swap across groups of a level costs a vertex. */
typedef struct topomap_loss {
    float all;   /* by leaving those of its own group below that level; of level 0, which no swap
                    crosses: not 0 where the row is up to date */
    float least; /* less what coming closer to others can save */
} topomap_loss;

/** Vertices and places are equally many; a permutation joins them. Vertex p is what was at place p
 *  when the search began. */
typedef struct topomap_anneal {
    topomap_arena memory;
    const topomap_closeness *close;
    uint32_t vertices;
    uint64_t *offset;   /* [vertices + 1] */
    topomap_arc *arc;   /* [offset[vertices]] rows in both directions */
    uint32_t *place;    /* [vertices] */
    uint32_t *code;     /* [vertices] close->code[place[v]] */
    uint32_t *at;       /* [places] the vertex there */
    topomap_loss *loss; /* [vertices * (close->levels + 1)], or NULL where that does not pay */
    topomap_random random;
    uint32_t lowest, highest; /* proposals cross groups of these levels */
    double change;            /* of J since the start, as added up */
    uint64_t accepted;        /* since it was looked at last */
    uint32_t blocks;
} topomap_anneal;

typedef struct topomap_cooling {
    uint64_t proposals;
    double hot, cold; /* temperatures, as multiples of what a swap that is worse costs here */
    double quiet;     /* share of the proposals accepted at which it is as good as over */
} topomap_cooling;

/** Builds the state for a placement of the problem's slots; what is inside a place is left out. */
int topomap_anneal_init(topomap_anneal *a, const topomap_problem *problem,
                        const topomap_closeness *close, const uint32_t *slot_of,
                        topomap_error *err);
void topomap_anneal_clear(topomap_anneal *a);
/** Anneals single slots, level by level; cooling->proposals is for each slot and level. */
int topomap_anneal_slots(topomap_problem *problem, const topomap_cooling *cooling,
                         uint32_t *slot_of, topomap_error *err);
/** Proposes swaps while it cools, until proposals or time are up. */
int topomap_anneal_run(topomap_anneal *a, const topomap_problem *problem,
                       const topomap_cooling *cooling, topomap_error *err);
/** Change of J by exchanging u and x. */
double topomap_anneal_delta(const topomap_anneal *a, uint32_t u, uint32_t x);
/** Arcs that pricing a proposed swap looks at, on average: those of a vertex drawn evenly, and of
 * one next to an arc, which hubs are more often. */
double topomap_anneal_arcs(const topomap_anneal *a);
/** Does it price most swaps by sums, without looking at arcs? */
int topomap_anneal_sums(const topomap_anneal *a);
/** Exchanges u and x. */
void topomap_anneal_swap(topomap_anneal *a, uint32_t u, uint32_t x);
/** Writes the places back to slots. \p scratch: the problem's. */
void topomap_anneal_store(const topomap_anneal *a, uint32_t *slot_of, uint32_t *scratch);

#endif
