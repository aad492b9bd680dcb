/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_BOUND_H
#define TOPOMAP_BOUND_H

#include "graph/graph.h"
#include "machine/machine.h"

/** A J that no placement goes below. Every rank's heaviest partners are put, for that rank alone,
 *  on the closest places that any slot of the machine has; half the sum over ranks.
 *  Tori and matrices of more than 1,024 nodes get a weaker bound, in which other nodes cost no
 *  hops at all. */
int topomap_bound_lower(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err);

#endif
