/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs each task of a step gets: the part of a plan that travels to the compute nodes.
 *
 * It is written and read around a launch, so this file and bindings.c use libc alone: no hwloc, no
 * zstd, no other part of the library.
 *
 * A node belongs to a class (nodes with the same inside). The class lists its cores in hwloc's
 * logical order, which is also Slurm's abstract core numbering (socket by socket), with the OS PU
 * numbers of each. A task gets a set of places; a place is one core (all its PUs) or one PU. */
#ifndef TOPOMAP_BINDINGS_H
#define TOPOMAP_BINDINGS_H

#include "plan/node_plan.h"
#include "topomap/topomap.h"

typedef struct topomap_bindings_class {
    uint32_t cores;
    uint32_t *pu_first; /* [cores + 1] */
    uint32_t *pu_os;    /* [pu_first[cores]] */
} topomap_bindings_class;

typedef struct topomap_bindings {
    uint32_t job, step; /* a plan for another job or step must not be applied */
    uint32_t classes;
    topomap_bindings_class *node_class; /* [classes] */
    uint32_t nodes;                     /* of the step, in the step's node order */
    uint32_t *class_of;                 /* [nodes], UINT32_MAX: unknown inside, no binding */
    uint32_t *task_first;               /* [nodes + 1] tasks of node i, by local id, are
                                           task_first[i] .. task_first[i+1] */
    uint32_t *pu_start;                 /* [task_first[nodes] + 1] */
    uint32_t *pu; /* [pu_start[last]] OS PU numbers of each task, ascending, non-empty for
                     nodes with a class */
} topomap_bindings;

/** Encodes for an environment variable: printable ASCII without '=' trouble, versioned and
 *  checksummed (CRC-32). Aim: at most 2 characters a task where each task gets one core of a
 *  128-core node. NULL on failure; ends with free(). */
char *topomap_bindings_encode(const topomap_bindings *bindings, topomap_error *err);

/** The same CPUs dealt out in order: of each node's tasks, by local id, the first gets those that
 *  come first in the class's order. Nodes of one class with as many tasks are then all alike, and
 *  the text stays short however many they are.
 *  \p bindings  as topomap_bindings_decode() gives them
 *  \return the text, as topomap_bindings_encode()'s; NULL on failure; ends with free() */
char *topomap_bindings_in_order(const topomap_bindings *bindings, topomap_error *err);

/** Decodes what topomap_bindings_encode wrote; anything else is TOPOMAP_EINPUT. Sizes are bounded
 *  before memory is asked for: nodes and patterns by the text's length; a core by 256 PUs,
 *  a class by 8,192, all classes by 2^20; a node by 65,536 tasks, all of them by 2^24; all tasks'
 *  PUs by 2^25. */
int topomap_bindings_decode(const char *text, topomap_bindings *bindings, topomap_error *err);

/** The same for one node of the step alone, in time that grows with the text and the node's tasks,
 *  and with at most \p budget bytes: a text that wants more is refused before it has them.
 *  \param node    at or past the number of nodes is TOPOMAP_EINPUT
 *  \param memory  on success where the plan's arrays lie; ends with free() */
int topomap_bindings_decode_node(const char *text, size_t size, uint32_t node, size_t budget,
                                 topomap_node_plan *plan, void **memory, topomap_error *err);

/** Whether a text is bindings of this step, \p task_first as in topomap_bindings, without unfolding
 *  them: in time that grows with the text, and with at most four times its memory. What it takes,
 *  topomap_bindings_decode() does too, unless their PUs are over its bounds.
 *  \return 0, or -1: anything else, TOPOMAP_EINPUT */
int topomap_bindings_check(const char *text, uint32_t job, uint32_t step, uint32_t nodes,
                           const uint32_t *task_first, topomap_error *err);

/** Frees what the bindings own (not the struct) and zeroes it. */
void topomap_bindings_clear(topomap_bindings *bindings);

/** CRC-32 (IEEE 802.3), for plans and replies. */
uint32_t topomap_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
