/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all algorithms (map/problem.h). It is alone in this file, so that a program that
 * has another table is linked without this one. */
#include "map/problem.h"

#define ADDRESS(algorithm) &(algorithm),
const topomap_algorithm_impl *const topomap_algorithms[] = {TOPOMAP_ALGORITHMS(ADDRESS, ADDRESS)
                                                                NULL};
