/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_BOUND_H
#define TOPOMAP_BOUND_H

#include "graph/graph.h"
#include "machine/machine.h"

/** From any slot, at most `slots` others are no farther than `distance`. */
typedef struct topomap_shell {
    double distance, slots;
} topomap_shell;

/** Distances ascend, and slots with them. */
typedef struct topomap_shells {
    topomap_shell *shell;
    size_t count, capacity;
} topomap_shells;

/** Every rank's partners, heaviest first, on the closest slots; half the sum over ranks. */
int topomap_shells_cost(const topomap_weights *weights, const topomap_shells *shells, double *bound,
                        topomap_error *err);

/** A J that no placement goes below. Every rank's heaviest partners are put, for that rank alone,
 *  on the closest places that any slot of the machine has; half the sum over ranks.
 *  Tori of more than 4,096 nodes, and matrices whose nodes and sites multiply to more than 2^23,
 *  get the bound of topomap_bound_quick, which is weaker. */
int topomap_bound_lower(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err);

/** The same or less, in O(arcs log degree) and without a look at pairs of nodes: from the largest
 *  group of each level, from all nodes of the torus or mesh, from the closest two sites. */
int topomap_bound_quick(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err);

#endif
