/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested groups of a matrix machine's nodes, for what wants a hierarchy where there is none. */
#ifndef TOPOMAP_MACHINE_CLUSTERS_H
#define TOPOMAP_MACHINE_CLUSTERS_H

#include "machine/machine.h"

/** Groups by single linkage: the nodes of a site; then, at each distance at which groups meet, what
 *  is joined by pairs of sites no further apart; last, all nodes. On a fat tree these are its own
 *  levels. Where there are more than \p most distances, some are passed over. O(sites^2).
 *  \param level  [most] filled from the inside out; their groups end with the clear function
 *  \param most   at least 2 */
int topomap_machine_clusters(const topomap_machine *machine, topomap_nesting *level, uint32_t most,
                             uint32_t *levels, topomap_error *err);
void topomap_machine_clusters_clear(topomap_nesting *level, uint32_t levels);

#endif
