/* SPDX-License-Identifier: BSD-3-Clause */
/* How a torus or mesh is laid onto itself so that all distances stay: dimensions of one size and
 * kind change their parts, a dimension is walked the other way, one that wraps is begun elsewhere.
 */
#ifndef TOPOMAP_SYMMETRY_H
#define TOPOMAP_SYMMETRY_H

#include "machine/machine.h"

struct topomap_seat; /* a node with slots, at its router */

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

#endif
