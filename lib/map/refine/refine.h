/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms that improve a placement. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/closeness.h"
#include "machine/machine.h"
#include "map/problem.h"
#include "util/alloc.h"
#include "util/random.h"

/* ---- anneal -------------------------------------------------------------------- */
/* Simulated annealing by swaps, on slots or on whole groups of them. */

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

/* ---- level --------------------------------------------------------------------- */
/* Ranks of unequal load: which of them share a node decides how much each node has to compute. What
 * counts is the highest load a slot of any node (loads of its ranks / its slots). It may be a given
 * part above what dealing out the ranks reaches, heaviest first, each to the node that has least:
 * the LPT rule (Graham, SIAM J. Appl. Math. 17, 1969), here with as many ranks a node as it has
 * slots. */

/** \param part   how much above LPT's is still good, 0.05 for 5 %
 *  \param level  all zeros before; ends with topomap_level_close() in each case
 *  \return 1, or 0 where there is nothing to level (loads all alike or none, one node); -1 where
 *          memory is short. Deterministic, O(ranks log ranks). */
int topomap_level_open(const topomap_problem *problem, double part, topomap_level *level,
                       topomap_error *err);
void topomap_level_close(topomap_level *level);

/** Exchanges the ranks on two places where nodes are \p node's: nonzero where neither node gets
 *  above the limit, or above what it has. */
int topomap_level_allows(const topomap_problem *problem, const double *node, uint32_t u, uint32_t x,
                         uint32_t place_u, uint32_t place_x);
/** Brings \p node up to date after such an exchange. */
void topomap_level_exchange(const topomap_problem *problem, double *node, uint32_t u, uint32_t x,
                            uint32_t place_u, uint32_t place_x);

/* ---- moves --------------------------------------------------------------------- */
/* What searches by swaps share: who is where, how far places are, and whom to look at next. What a
 * swap is worth, each prices in its own way. */

/** Between two places, which are slots, or whole nodes. */
static inline double topomap_moves_distance(const topomap_machine *machine, int whole_nodes,
                                            uint32_t p, uint32_t q)
{
    if (!whole_nodes)
        return topomap_slot_distance(machine, p, q);
    return p == q ? 0.0 : topomap_node_distance(machine, p, q);
}

/** u and x change places.
 *  \param place_of   [vertices]
 *  \param vertex_at  [places] */
static inline void topomap_moves_exchange(uint32_t *place_of, uint32_t *vertex_at, uint32_t u,
                                          uint32_t x)
{
    uint32_t place = place_of[u];

    place_of[u] = place_of[x];
    place_of[x] = place;
    vertex_at[place_of[u]] = u;
    vertex_at[place] = x;
}

/** Moves whole nodes' ranks; only nodes of equal size have changed places.
 *  \param node_to  [nodes] where the ranks of each node go */
static inline void topomap_moves_nodes(const topomap_machine *m, const uint32_t *node_to,
                                       uint32_t *slot_of)
{
    for (uint32_t v = 0; v < m->slots; v++) {
        uint32_t node = m->node_of[slot_of[v]];

        slot_of[v] = m->slot_first[node_to[node]] + (slot_of[v] - m->slot_first[node]);
    }
}

/** A queue in which every vertex is once at most. */
typedef struct topomap_ring {
    uint32_t *queue, head, count, size; /* [size] */
    uint8_t *queued;                    /* [size] */
} topomap_ring;

/** Fills a ring with all vertices in random order. Its arrays are allocated in \p memory. */
static inline int topomap_ring_open(topomap_ring *ring, uint32_t vertices, topomap_random *random,
                                    topomap_arena *memory, topomap_error *err)
{
    *ring = (topomap_ring){.count = vertices, .size = vertices};
    ring->queue = topomap_arena_alloc(memory, vertices, sizeof *ring->queue, err);
    ring->queued = topomap_arena_alloc(memory, vertices, 1, err);
    if (memory->is_short)
        return -1;
    topomap_identity(ring->queue, vertices);
    topomap_random_shuffle(random, ring->queue, vertices);
    memset(ring->queued, 1, vertices);
    return 0;
}

static inline void topomap_ring_put(topomap_ring *ring, uint32_t v)
{
    if (ring->queued[v])
        return;
    ring->queued[v] = 1;
    ring->queue[(ring->head + ring->count++) % ring->size] = v;
}

static inline uint32_t topomap_ring_take(topomap_ring *ring)
{
    uint32_t v = ring->queue[ring->head];

    ring->head = (ring->head + 1) % ring->size;
    ring->count--;
    ring->queued[v] = 0;
    return v;
}

/* ---- twins --------------------------------------------------------------------- */

/** Vertices that talk alike to all others: exchanging two of them changes no cost, wherever they
 *  are. In a complete graph of equal weights these are all pairs. */
typedef struct topomap_twins {
    const topomap_weights *weights;
    uint64_t *print; /* [vertices] of the weights to all neighbours */
} topomap_twins;

/** O(edges). */
int topomap_twins_init(topomap_twins *twins, const topomap_weights *weights, topomap_error *err);
void topomap_twins_clear(topomap_twins *twins);

/** Nonzero for twins; for others, too, once in 2^64. O(log degree). */
int topomap_twins_are(const topomap_twins *twins, uint32_t u, uint32_t x);

/* ---- pairs --------------------------------------------------------------------- */
/* Local search over pairs of ranks: Schulz & Traeff (VieM), sections 2, 3.2 and 3.3. A swap costs
 * O(d_u + d_v) to price and to make. How a swap is priced can be exchanged, so that a test can
 * show that the fast way takes the same path as the O(n) one. Where a rank might go instead of
 * changing places - a slot that is empty, or that of a rank that talks to nobody - is in every
 * neighbourhood, the papers' machines having no such slots. */

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

/** All pairs in cyclic order, until a whole round fails. \p block: pairs of one block of so many
 *  consecutive ranks only (N_p); 0: all (N^2). */
int topomap_pairs_cyclic(topomap_pairs *pairs, uint32_t block, topomap_error *err);
/** N_C^d: pairs at distance at most \p depth in the communication graph, in random order, until all
 *  of them fail. */
int topomap_pairs_near(topomap_pairs *pairs, uint32_t depth, topomap_error *err);

/* ---- swap search --------------------------------------------------------------- */
/* Local search by pair swaps with gains in O(degree): Schulz & Traeff (VieM), section 3.2, with
 * the partners chosen by ours: who sits close to where a vertex's neighbours sit. It works on
 * slots, and in the same way on whole nodes of equal size. */

typedef struct topomap_swap {
    topomap_arena memory;
    const topomap_weights *weights;
    const topomap_machine *machine;
    const topomap_vicinity *vicinity;
    int whole_nodes;      /* places are nodes, not slots */
    uint32_t *place_of;   /* [vertices] */
    uint32_t *vertex_at;  /* [vertices] by place */
    double *gamma;        /* [vertices] cost of each vertex's edges where it is */
    uint32_t reach;       /* partners tried for each neighbour */
    uint64_t evaluations; /* how many more swaps may be priced; those of vertices with many edges
                             count more */
    topomap_problem *problem;
    const uint32_t *held; /* a vertex that stays where it is; NULL: none does */
    double *node_load;    /* [nodes] that the problem's level limits; NULL: it does not */
} topomap_swap;

/** Makes vertex_at and gamma for what place_of says; they end with the swap's memory, on failure
 * too.
 */
int topomap_swap_open(topomap_swap *swap, topomap_error *err);
/** Cost change of exchanging u and x; negative is better. Exact: equals the difference of two full
 *  evaluations, the edge u-x included (it keeps its cost, distances being symmetric). */
double topomap_swap_delta(const topomap_swap *swap, uint32_t u, uint32_t x);
/** Exchanges u and x and brings gamma up to date, in O(degree). */
void topomap_swap_apply(topomap_swap *swap, uint32_t u, uint32_t x);
/** Swaps until no partner in reach improves, evaluations run out, or the time is up. */
int topomap_swap_run(topomap_swap *swap, uint64_t seed, topomap_error *err);
