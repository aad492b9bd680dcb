/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's table of algorithms: those that a search for a launch may run. */
#include "config.h"
#include "map/problem.h"

#define ADDRESS(algorithm) &(algorithm),
#define LEAVE_OUT(algorithm)
const topomap_algorithm_impl *const topomap_algorithms[] = {TOPOMAP_ALGORITHMS(ADDRESS, LEAVE_OUT)
                                                                NULL};
