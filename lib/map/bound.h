/* SPDX-License-Identifier: BSD-3-Clause */
/* What no placement can be better than. */
#ifndef TOPOMAP_BOUND_H
#define TOPOMAP_BOUND_H

#include "map/problem.h"

/** A lower bound of J: each rank for itself has its heaviest partners on the slots that are closest
 *  to the best slot of the machine. Reached by a grid on a torus that it fits, by groups that fill
 *  nodes, by a complete graph. O(arcs log degree). Returns 0, or -1 where memory is short. */
int topomap_bound_J(const topomap_problem *problem, double *bound, topomap_error *err);

#endif
