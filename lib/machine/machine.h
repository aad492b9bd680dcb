/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's own memory, for lib/ and topology-db/ only.
 *
 * Two parts. Inside a node, closeness is nested groups of slots (levels from the inside out).
 * Between nodes it is one of: nested groups of nodes (tree), coordinates (torus, mesh), or a
 * matrix between sites (matrix, fabric), a site being what several nodes hang on, such as a leaf
 * switch. Where slots are GPUs that go out by NICs of their own on a rail-optimised fabric, two
 * slots of different rails are farther than two of one: tree and matrix. */
#pragma once

#include <stdlib.h>

#include "topomap/topomap.h"
#include "util/alloc.h"

/* ---- machine ------------------------------------------------------------------- */

enum topomap_machine_kind_id {
    TOPOMAP_MACHINE_TREE,
    TOPOMAP_MACHINE_TORUS, /* meshes too: wrap[] says */
    TOPOMAP_MACHINE_MATRIX,
};

enum { TOPOMAP_MACHINE_LEVELS = 24, TOPOMAP_MACHINE_DIMS = 8, TOPOMAP_MACHINE_ASIDES = 2 };

/** One nesting: groups of slots, or of nodes. */
typedef struct topomap_nesting {
    char name[24];
    double cost;   /* of one byte between two members whose innermost common group is here */
    uint32_t hops; /* likewise; 0 inside nodes */
    double cross;  /* between nodes, added where the two members' rails differ */
    uint32_t cross_hops;
    uint32_t *group; /* [slots or nodes] group id, below the number of slots or nodes. Inside
                        nodes ids ascend with the slot, so that a group is a range of slots */
} topomap_nesting;

struct topomap_machine {
    const char *kind_name; /* "tree", "torus", "mesh", "matrix", "fabric": static */
    enum topomap_machine_kind_id kind;
    uint32_t slots, nodes;
    uint32_t *node_of;    /* [slots] */
    uint32_t *slot_first; /* [nodes + 1] */
    char **node_name;     /* [nodes] or NULL */

    uint32_t inner_levels; /* from the inside out; the last one is the whole node */
    topomap_nesting inner[TOPOMAP_MACHINE_LEVELS]; /* .group is [slots] */

    /* TREE: from the inside out; the last one is everything. */
    uint32_t outer_levels;
    topomap_nesting outer[TOPOMAP_MACHINE_LEVELS]; /* .group is [nodes] */

    /* TORUS: hops = base_hops + sum over dimensions; cost between nodes = base + hop_cost * that
     * sum. */
    uint32_t dims;
    uint32_t dim[TOPOMAP_MACHINE_DIMS];
    uint8_t wrap[TOPOMAP_MACHINE_DIMS];
    uint16_t *coord; /* [nodes * dims] */
    double base, hop_cost;
    uint32_t base_hops;

    /* MATRIX: between nodes of sites a and b; two nodes of one site: the diagonal. */
    uint32_t sites;
    uint32_t *site_of;   /* [nodes] */
    float *site_cost;    /* [sites * sites] symmetric */
    uint16_t *site_hops; /* [sites * sites], or NULL: 1 between any two nodes */

    uint32_t *rail_of; /* [slots] the rail that a slot's NIC is on; NULL: all are on one */
    float *site_cross; /* MATRIX: [sites * sites] symmetric, what is added where rails differ; NULL:
                          nothing. TREE: cross of the levels */

    double memory_rate; /* bytes a second that a slot takes from others of its node; 0: not known */
    /* Groups of nodes that no distance goes by, for who wants ranks to stay in one: NVLink domains,
     * Slurm's segments. */
    uint32_t asides;
    struct {
        char name[24];
        uint32_t *group; /* [nodes] below the number of nodes */
    } aside[TOPOMAP_MACHINE_ASIDES];

    uint32_t max_hops;
    struct topomap_network *network; /* owned; or NULL: not known, or a torus's own grid */
    char (*hop_level_name)[24];      /* TORUS, MATRIX: [max_hops + 1], names of the outer levels */
};

/** Nodes with \p per_node[i] slots each (0 allowed), no levels yet: the frame that the kinds fill.
 *  \param names  [nodes] copied, or NULL */
int topomap_machine_frame(uint32_t nodes, const uint32_t *per_node, char *const *names,
                          topomap_machine **machine, topomap_error *err);

/** Appends the next level inside nodes, from the inside out, or between nodes (TREE).
 *  \param group [slots] or [nodes], copied */
int topomap_machine_add_inner(topomap_machine *machine, const char *name, double cost,
                              const uint32_t *group, topomap_error *err);
int topomap_machine_add_outer(topomap_machine *machine, const char *name, double cost,
                              uint32_t hops, const uint32_t *group, topomap_error *err);

/** Torus or mesh between nodes. \p coord [nodes * dims] is copied, each below its dimension.
 *  \p base_hops are added between any two nodes: 0 where nodes are routers of the torus, 2 where
 *  they hang on switches of it. */
int topomap_machine_set_torus(topomap_machine *machine, uint32_t dims, const uint32_t *dim,
                              const uint8_t *wrap, const uint16_t *coord, double base,
                              double hop_cost, uint32_t base_hops, topomap_error *err);

/** Matrix between sites: \p site_of [nodes], \p cost and \p hops [sites * sites] (hops may be
 *  NULL), all copied. \p kind_name: "matrix" or "fabric". */
int topomap_machine_set_matrix(topomap_machine *machine, const char *kind_name, uint32_t sites,
                               const uint32_t *site_of, const float *cost, const uint16_t *hops,
                               topomap_error *err);

/** Rails. \p rail_of [slots] is copied; where all are the same there are none. Of a tree, the
 * levels between nodes are farther by \p cross and \p cross_hops [outer_levels], all not negative;
 * of a matrix, sites by \p cross [sites * sites], and \p cross_hops is not looked at. After the
 * parts between nodes are set; TOPOMAP_EUSAGE for a torus. */
int topomap_machine_set_rails(topomap_machine *machine, const uint32_t *rail_of, const float *cross,
                              const uint32_t *cross_hops, topomap_error *err);

/** Adds groups of nodes that no distance goes by. \param group  [nodes], copied, each below the
 * number of nodes; TOPOMAP_EUSAGE where there are TOPOMAP_MACHINE_ASIDES already */
int topomap_machine_add_aside(topomap_machine *machine, const char *name, const uint32_t *group,
                              topomap_error *err);

/** Groups of nodes by the name of what they are: a level between nodes (TREE), or groups that no
 *  distance goes by. \return [nodes], the machine's; or NULL: it has none of that name */
const uint32_t *topomap_machine_groups(const topomap_machine *machine, const char *name);

/** Checks that every part is there and consistent; call it once after the parts are set. */
int topomap_machine_finish(topomap_machine *machine, topomap_error *err);

/** Checks that a placement is one to one. \p code is what it fails with: whoever made the placement
 * says whether it is an input or the caller's own.
 * \param slot_of  [ranks] */
int topomap_machine_check_slots(const topomap_machine *machine, const uint32_t *slot_of,
                                uint32_t ranks, enum topomap_code code, topomap_error *err);

/** The routers of a torus or mesh machine: all of the box, allocated or not, for all of them
 *  route. A wrapping dimension of two routers has two cables. TOPOMAP_EUSAGE for other machines. */
int topomap_network_grid(const topomap_machine *machine, struct topomap_network **network,
                         topomap_error *err);

/* ---- nesting ------------------------------------------------------------------- */
/* The levels of a machine as one row, from the inside out: those inside nodes, then those of a tree
 * between them. */

static inline const topomap_nesting *topomap_nesting_at(const topomap_machine *m, uint32_t level)
{
    return level < m->inner_levels ? &m->inner[level] : &m->outer[level - m->inner_levels];
}

/** The machine's own number of a slot's group; of a whole node, the node's. */
static inline uint32_t topomap_nesting_group(const topomap_machine *m, uint32_t level,
                                             uint32_t slot)
{
    if (level + 1 < m->inner_levels)
        return m->inner[level].group[slot];
    if (level < m->inner_levels)
        return m->node_of[slot];
    return m->outer[level - m->inner_levels].group[m->node_of[slot]];
}

/** Compares slots for qsort_r(), whose last argument is the machine: by their groups of the
 *  outermost level, then of the next one, and so on, so that the slots of a group are a run. */
int topomap_nested_order(const void *a, const void *b, void *data);
/** Returns all slots in that order, or NULL with `err` set. The caller frees them with free(). */
uint32_t *topomap_nested_slots(const topomap_machine *machine, topomap_error *err);

/** Returns the greatest load per slot of all nodes that have slots.
 *  \param load  [nodes] load of each node */
double topomap_nodes_most_load(const topomap_machine *machine, const double *load);

/** Returns how many slots a node has. */
static inline uint32_t topomap_node_slots(const topomap_machine *m, uint32_t node)
{
    return m->slot_first[node + 1] - m->slot_first[node];
}

/* ---- distance ------------------------------------------------------------------ */
/* Distances of slots, inline: they are the innermost loop of every search. */

static inline uint32_t topomap_torus_hops(const topomap_machine *m, uint32_t a, uint32_t b)
{
    const uint16_t *ca = m->coord + (size_t)a * m->dims;
    const uint16_t *cb = m->coord + (size_t)b * m->dims;
    uint32_t hops = 0;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t gap = (uint32_t)abs((int)ca[d] - (int)cb[d]);

        if (m->wrap[d] && gap > m->dim[d] - gap)
            gap = m->dim[d] - gap;
        hops += gap;
    }
    return hops;
}

/** A router's number by its coordinates: x + X*(y + Y*z), as node ids of a specification. */
static inline uint64_t topomap_torus_router(const topomap_machine *m, const uint16_t *coord)
{
    uint64_t index = 0;

    for (uint32_t d = m->dims; d-- > 0;)
        index = index * m->dim[d] + coord[d];
    return index;
}

/** Cost of one byte between two different nodes. */
static inline double topomap_node_distance(const topomap_machine *m, uint32_t a, uint32_t b)
{
    switch (m->kind) {
    case TOPOMAP_MACHINE_TORUS:
        return m->base + m->hop_cost * topomap_torus_hops(m, a, b);
    case TOPOMAP_MACHINE_MATRIX:
        return (double)m->site_cost[(size_t)m->site_of[a] * m->sites + m->site_of[b]];
    case TOPOMAP_MACHINE_TREE:
        for (uint32_t l = 0; l < m->outer_levels; l++)
            if (m->outer[l].group[a] == m->outer[l].group[b])
                return m->outer[l].cost;
    }
    return 0.0;
}

/** What two slots of different nodes are farther because their rails differ. */
static inline double topomap_rail_distance(const topomap_machine *m, uint32_t p, uint32_t q)
{
    uint32_t a = m->node_of[p], b = m->node_of[q];

    if (m->rail_of[p] == m->rail_of[q])
        return 0.0;
    if (m->kind == TOPOMAP_MACHINE_MATRIX)
        return m->site_cross
                   ? (double)m->site_cross[(size_t)m->site_of[a] * m->sites + m->site_of[b]]
                   : 0.0;
    for (uint32_t l = 0; l < m->outer_levels; l++)
        if (m->outer[l].group[a] == m->outer[l].group[b])
            return m->outer[l].cross;
    return 0.0;
}

static inline double topomap_slot_distance(const topomap_machine *m, uint32_t p, uint32_t q)
{
    uint32_t a = m->node_of[p], b = m->node_of[q];

    if (a != b)
        return topomap_node_distance(m, a, b) + (m->rail_of ? topomap_rail_distance(m, p, q) : 0.0);
    if (p == q)
        return 0.0;
    for (uint32_t l = 0; l + 1 < m->inner_levels; l++)
        if (m->inner[l].group[p] == m->inner[l].group[q])
            return m->inner[l].cost;
    return m->inner[m->inner_levels - 1].cost;
}

/** Attribute of a local pointer: frees the machine at the end of its scope. The pointer must be
 *  initialised. */
#define TOPOMAP_MACHINE_FREED TOPOMAP_CLEANUP(topomap_machine_free_local)
static inline void topomap_machine_free_local(topomap_machine **machine)
{
    topomap_machine_free(*machine);
}

/* ---- joining ------------------------------------------------------------------- */
/* Neighbour joining over places: a tree for machines that only have distances
 * (Wu, Xiong, Lan, section 3.1.1). */

/** Items are vertices 0..items-1 (the leaves); inner vertices follow; the root is the last. */
typedef struct topomap_joining {
    uint32_t vertices;
    uint32_t *first_child; /* [vertices + 1] child[first_child[v] .. first_child[v+1]) */
    uint32_t *child;       /* [vertices - 1] */
} topomap_joining;

/** In each round, groups of mutually closest places (cliques at the least distance, built by
 *  ascending id) become one vertex; its distance to the rest is the mean over its members,
 *  weighted by their leaves.
 *  \param distance [items * items] symmetric; it is used up as scratch */
int topomap_joining_build(uint32_t items, float *distance, topomap_joining *tree,
                          topomap_error *err);
void topomap_joining_clear(topomap_joining *tree);
