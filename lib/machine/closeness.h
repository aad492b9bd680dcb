/* SPDX-License-Identifier: BSD-3-Clause */
/* How close slots are, and which are alike. */
#pragma once

#include "machine/machine.h"

/* ---- closeness ----------------------------------------------------------------- */
/* A machine's places as a search that prices millions of swaps wants them: distances without
 * division or search, groups of close places as ranges, short lists of nodes nearby.
 *
 * Places are slots, or whole groups of one level (processors, nodes, sub-trees) that change places
 * as one. They are numbered so that every group of every level is a range of places. */

enum topomap_closeness_how {
    TOPOMAP_CLOSE_BITS,  /* the highest bit in which two codes differ tells the level */
    TOPOMAP_CLOSE_RAILS, /* the same below the bits of the rail, which tell the rest */
    TOPOMAP_CLOSE_TABLE, /* a byte for each pair of sites; inside nodes by bits */
    TOPOMAP_CLOSE_TORUS, /* a byte for each difference of coordinates; inside nodes by bits */
    TOPOMAP_CLOSE_ANY,   /* the machine's own function: codes are slots */
};

enum {
    TOPOMAP_CLOSE_LEVELS = 2 * TOPOMAP_MACHINE_LEVELS,
    TOPOMAP_CLOSE_NODES = 4096,
    TOPOMAP_CLOSE_CODE_BITS = 31, /* of a code, at most */
    TOPOMAP_CLOSE_SLOTS = -1,     /* the level of places that are single slots */
};

typedef struct topomap_closeness {
    const topomap_machine *machine;
    enum topomap_closeness_how how;
    uint32_t places;
    uint32_t *code;  /* [places] */
    uint32_t *shape; /* [places] only places of equal shape may change places; NULL: all are */
    uint32_t *first; /* [places + 1] into slot */
    uint32_t *slot;  /* [slots] of the places, one after another */
    /* Nested groups from the inside out, up to nodes or (BITS) to everything. */
    uint32_t levels;
    uint32_t *group[TOPOMAP_CLOSE_LEVELS]; /* [places] */
    uint32_t *start[TOPOMAP_CLOSE_LEVELS]; /* [groups + 1] */
    uint32_t groups[TOPOMAP_CLOSE_LEVELS];
    float by_bit[34];     /* by the number of the highest differing bit + 1, 0: none differs */
    uint8_t level_of[34]; /* likewise: the level of the smallest common group */
    /* RAILS: from which bit on a code is the slot's rail; what is added where two of them differ.
     */
    uint32_t rail_shift;
    float cross_by_bit[34];
    /* BITS: distances across groups of each level; by how much two places inside a group of a level
     * are closer than that, by the same bit number, 0 where none differs; and the most of that. */
    float by_level[TOPOMAP_CLOSE_LEVELS + 1];
    float closer[TOPOMAP_CLOSE_LEVELS + 1][34], most_closer[TOPOMAP_CLOSE_LEVELS + 1];
    /* TABLE, TORUS: two places are of one node where code >> node_bits is the same; code >>
     * site_bits is the site (machine->site_of), or the coordinates in fields that hold twice as
     * much. */
    uint32_t node_bits, site_bits;
    uint32_t middle; /* TORUS: the difference of equal coordinates */
    uint8_t *pair;   /* [sites * sites], [2^fields] index into by_index */
    float by_index[256];
    /* TABLE, TORUS, ANY: nodes close to a node, closest first, itself left out. */
    uint32_t *near_first, *near_node; /* [nodes + 1] */
    uint32_t table_nodes;             /* a table is no larger than of that many sites */
    uint32_t *node_first; /* [nodes + 1] a node's places, where places are in the nodes' order */
} topomap_closeness;

/** \p level  TOPOMAP_CLOSE_SLOTS, or a level of topomap_closeness_levels(): its groups are the
 *             places.
 *  \p table_nodes  the most sites for a table of pairs, which takes a byte each and is worth it for
 *             long searches; TOPOMAP_CLOSE_NODES at most. A torus's, of differences, is as large
 *             at most. */
int topomap_closeness_init(topomap_closeness *c, const topomap_machine *machine, int level,
                           uint32_t table_nodes, topomap_error *err);
void topomap_closeness_clear(topomap_closeness *c);
/** How many levels of groups a machine has below the whole; the node's is nodes_level. */
uint32_t topomap_closeness_levels(const topomap_machine *machine);

static inline uint32_t topomap_closeness_bit(uint32_t a, uint32_t b)
{
    return a == b ? 0 : 32 - (uint32_t)__builtin_clz(a ^ b);
}

/** The same without a branch, for codes, which have 31 bits at most. */
static inline uint32_t topomap_closeness_code_bit(uint32_t a, uint32_t b)
{
    return 31 - (uint32_t)__builtin_clz(((a ^ b) << 1) | 1);
}

/** RAILS: what by_bit, cross_by_bit and level_of have of two codes. */
static inline uint32_t topomap_closeness_rails_bit(const topomap_closeness *c, uint32_t a,
                                                   uint32_t b)
{
    return topomap_closeness_code_bit((a ^ b) & (((uint32_t)1 << c->rail_shift) - 1), 0);
}

/** TABLE, TORUS: where a table has two places' sites. */
static inline __attribute__((always_inline)) size_t
topomap_closeness_pair(const topomap_closeness *c, enum topomap_closeness_how how, uint32_t a,
                       uint32_t b)
{
    if (how == TOPOMAP_CLOSE_TORUS)
        return (a >> c->site_bits) + c->middle - (b >> c->site_bits);
    return (size_t)(a >> c->site_bits) * c->machine->sites + (b >> c->site_bits);
}

/** 0 for equal codes, else all ones: which is the case is not foreseen, so nothing branches. */
static inline uint32_t topomap_closeness_apart(uint32_t a, uint32_t b)
{
    return 0 - (uint32_t)(a != b);
}

/** Distance of two codes; \p how is a constant where this is inlined. */
static inline __attribute__((always_inline)) float
topomap_closeness_distance(const topomap_closeness *c, enum topomap_closeness_how how, uint32_t a,
                           uint32_t b)
{
    switch (how) {
    case TOPOMAP_CLOSE_BITS:
        return c->by_bit[topomap_closeness_code_bit(a, b)];
    case TOPOMAP_CLOSE_RAILS: {
        uint32_t bit = topomap_closeness_rails_bit(c, a, b);

        return c->by_bit[bit] + ((a ^ b) >> c->rail_shift ? c->cross_by_bit[bit] : 0.0f);
    }
    case TOPOMAP_CLOSE_TABLE:
    case TOPOMAP_CLOSE_TORUS:
        if (c->node_bits && ((a ^ b) >> c->node_bits) == 0)
            return c->by_bit[topomap_closeness_code_bit(a, b)];
        return c->by_index[c->pair[topomap_closeness_pair(c, how, a, b)] &
                           topomap_closeness_apart(a, b)];
    case TOPOMAP_CLOSE_ANY:
        break;
    }
    return (float)topomap_slot_distance(c->machine, a, b);
}

/* ---- closeness table ----------------------------------------------------------- */

/** Completes a closeness whose machine has distances between nodes, not levels (or levels too deep
 *  for codes): the table of pairs, or codes for the machine's own function, and the lists of near
 *  nodes. */
int topomap_closeness_tabulate(topomap_closeness *c, int level, topomap_error *err);

/* ---- clusters ------------------------------------------------------------------ */
/* Nested groups of a matrix machine's nodes, for what wants a hierarchy where there is none. */

/** Groups by single linkage: the nodes of a site; then, at each distance at which groups meet, what
 *  is joined by pairs of sites no further apart; last, all nodes. On a fat tree these are its own
 *  levels. Where there are more than \p most distances, some are passed over. O(sites^2).
 *  \param level  [most] filled from the inside out; their groups end with the clear function
 *  \param most   at least 2 */
int topomap_machine_clusters(const topomap_machine *machine, topomap_nesting *level, uint32_t most,
                             uint32_t *levels, topomap_error *err);
void topomap_machine_clusters_clear(topomap_nesting *level, uint32_t levels);

/* ---- vicinity ------------------------------------------------------------------ */
/* For each node, the nodes close to it: where a search looks for partners to swap with. */

typedef struct topomap_vicinity {
    uint32_t *first; /* [nodes + 1] */
    uint32_t *node;  /* [first[nodes]] ascending for each node; the node itself is left out */
} topomap_vicinity;

/** Torus: nodes at most one hop away. Tree: nodes of the innermost group that holds more than one
 *  node. Matrix: nodes of the same site, or of the nearest one. At most \p limit for a node. */
int topomap_vicinity_build(const topomap_machine *machine, uint32_t limit,
                           topomap_vicinity *vicinity, topomap_error *err);
void topomap_vicinity_clear(topomap_vicinity *vicinity);

/* ---- symmetry ------------------------------------------------------------------ */
/* How a torus or mesh is laid onto itself so that all distances stay: dimensions of one size and
 * kind change their parts, a dimension is walked the other way, one that wraps is begun elsewhere.
 */

struct topomap_seat; /* a node with slots, at its router */

/** Changes \p order to the lexicographically next permutation of its numbers, which differ; the
 *  ascending one is the first. Returns 0, with nothing changed, if it was the last one. */
static inline int topomap_next_order(uint32_t *order, uint32_t count)
{
    uint32_t i = count, k = count;

    while (i > 1 && order[i - 2] >= order[i - 1])
        i--;
    if (i <= 1)
        return 0;
    while (order[k - 1] <= order[i - 2])
        k--;
    TOPOMAP_SWAP(order[i - 2], order[k - 1]);
    for (k = count; i < k; i++, k--)
        TOPOMAP_SWAP(order[i - 1], order[k - 1]);
    return 1;
}

/** All symmetries that bring one node to another one. */
typedef struct topomap_symmetries {
    const topomap_machine *machine;
    uint32_t from, to;                   /* nodes */
    struct topomap_seat *seat;           /* [seats] by router, size, number */
    uint32_t seats;                      /* 0: there is no symmetry */
    uint32_t axis[TOPOMAP_MACHINE_DIMS]; /* what becomes of each dimension's coordinate */
    uint32_t turned;                     /* bit d: dimension d is walked the other way */
    uint32_t looked;                     /* how many were tried on the nodes */
    int done;
} topomap_symmetries;

/** Machines that are no torus, and nodes of unequal size, have none. Ends with
 *  topomap_symmetries_close(), after a failure too. O(nodes log nodes). */
int topomap_symmetries_open(const topomap_machine *machine, uint32_t from, uint32_t to,
                            topomap_symmetries *symmetries, topomap_error *err);
void topomap_symmetries_close(topomap_symmetries *symmetries);

/** The next one that brings all nodes that have slots to such nodes of the same size; those without
 *  turns and changed dimensions come first. A few hundred are looked at, at most.
 *  \param node_to  [nodes] out: where each node's ranks go; nodes without slots stay
 *  \return 1, or 0: that was all */
int topomap_symmetries_next(topomap_symmetries *symmetries, uint32_t *node_to);
