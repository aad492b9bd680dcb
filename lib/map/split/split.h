/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive constructions: the machine and the graph are divided alike. */
#pragma once

#include "machine/machine.h"
#include "map/problem.h"

/* ---- recursion ----------------------------------------------------------------- */
/* Recursive mapping, shared by every top-down construction: a segment of slots is split along the
 * machine, the vertices on it are split along the graph into parts of exactly the same sizes, and
 * each half goes on by itself. What differs is how slots are split. */

typedef struct topomap_split {
    uint32_t parts;  /* 1: the slots are all alike, any order will do */
    uint32_t *size;  /* [parts] slots of each */
    uint32_t *where; /* [parts] what the splitter wants to know when the part comes up */
    size_t capacity;
} topomap_split;

static inline void topomap_split_clear(topomap_split *split)
{
    free(split->size);
    free(split->where);
}

/** Appends a part. */
int topomap_split_add(topomap_split *split, uint32_t size, uint32_t where, topomap_error *err);

typedef struct topomap_splitter {
    void *data;
    /** Splits slots[0..count), reordering them so that parts follow one another. */
    int (*split)(void *data, uint32_t where, uint32_t *slots, uint32_t count, topomap_split *split,
                 topomap_error *err);
    uint32_t root; /* `where` of the first segment */
    /** Nonzero: parts of equal size are dealt to the places that their neighbours' present
     *  segments make cheapest; zero: in the order that the partition gave them. */
    int orient;
    unsigned how; /* topomap_partition_how */
    /** Tells that each slot from now on stands for \p size of them; or NULL: it need not know. */
    void (*by_nodes)(void *data, uint32_t size);
    const uint32_t *place; /* [vertices of the weights] slots to map to; NULL: all */
} topomap_splitter;

/** Maps with the splitter. slot_of [slots] is filled with a permutation. */
int topomap_recursion_map(topomap_problem *problem, const topomap_splitter *splitter,
                          uint32_t *slot_of, topomap_error *err);

/** The same; with the parameter `grouped` by groups of a node's size, one k-way partition
 * (map/split/grouped.c). EUSAGE where nodes differ in size then. */
int topomap_grouped_map(topomap_problem *problem, const topomap_splitter *splitter,
                        uint32_t *slot_of, topomap_error *err);

/** Slots of every node that has any; 0 where they differ. */
uint32_t topomap_slots_per_node(const topomap_machine *machine);

/** The splitter of Alg. 1, along the machine's tree (map/split/tree.c), until
 * topomap_tree_splitter_close(). EUSAGE where the tree would have to be joined from too many
 * places. */
int topomap_tree_splitter_open(const topomap_machine *machine, topomap_splitter *splitter,
                               topomap_error *err);
void topomap_tree_splitter_close(topomap_splitter *splitter);

/** Appends each run of slots with the same key as a part.
 *  \param key  of slots where \p node_of is NULL, else of nodes */
int topomap_split_runs(const uint32_t *slots, uint32_t count, const uint32_t *key,
                       const uint32_t *node_of, uint32_t where, topomap_split *split,
                       topomap_error *err);

/** Splits a node's slots (or a run of slots of one node) along the node's inner levels; part of
 *  every splitter once it is down to one node. `where` is not used. */
int topomap_split_inside(const topomap_machine *machine, uint32_t *slots, uint32_t count,
                         topomap_split *split, topomap_error *err);

/* ---- orient -------------------------------------------------------------------- */

/** Decides which part of the graph goes to which part of the machine. The partition alone cannot
 *  tell: it does not see the vertices outside the segment. Parts of equal size change places
 *  while that brings their outside neighbours' traffic closer, judged by one slot in the middle of
 *  each part and of each neighbour's segment (\p stand_in, [slots] by vertex).
 *  \p slots and \p vertices are the segment's; \p vertices is reordered. */
int topomap_orient(const topomap_problem *problem, const topomap_split *split,
                   const uint32_t *slots, uint32_t *vertices, const uint32_t *stand_in,
                   topomap_error *err);

/* ---- torus seam ---------------------------------------------------------------- */
/* Nodes of a torus or mesh, each dimension that wraps turned so that the largest gap that they
 * leave open is at the seam. */

typedef struct topomap_torus_seam {
    const topomap_machine *machine;
    int sees_wrap;                         /* zero: nothing is turned */
    uint32_t origin[TOPOMAP_MACHINE_DIMS]; /* coordinate that becomes 0 */
    uint32_t cut;  /* the dimension of the longest extent, the first of such */
    uint8_t *seen; /* [largest dimension] scratch */
} topomap_torus_seam;

/** Its scratch ends with free(). */
int topomap_torus_seam_open(topomap_torus_seam *turn, const topomap_machine *machine, int sees_wrap,
                            topomap_error *err);
/** Turns towards some nodes, and finds where they are to be cut.
 *  \param items    [count] nodes, or what is on them
 *  \param node_of  [items] or NULL: they are nodes */
void topomap_torus_seam_towards(topomap_torus_seam *turn, const uint32_t *items, uint32_t count,
                                const uint32_t *node_of);
/** Order of two nodes along the dimension to cut, then along the others, then by number. */
int topomap_torus_seam_order(const topomap_torus_seam *turn, uint32_t p, uint32_t q);

/** A node's coordinate, turned. */
static inline uint32_t topomap_torus_seam_at(const topomap_torus_seam *turn, uint32_t node,
                                             uint32_t d)
{
    const topomap_machine *m = turn->machine;
    uint32_t c = m->coord[(size_t)node * m->dims + d];

    return c >= turn->origin[d] ? c - turn->origin[d] : c + m->dim[d] - turn->origin[d];
}
