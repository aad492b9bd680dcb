/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a platform of SimGrid (simgrid.org, "Describing your platform with XML", DTD 4.1).
 */
#ifndef TOPOMAP_DB_SIMGRID_H
#define TOPOMAP_DB_SIMGRID_H

#include "topomap/time.h"

/** Writes hosts named as the machine's nodes ("node5" where they have no names), and the links
 * between them. A whole torus and a whole fat tree are SimGrid's own zones, which route as
 * machine/network.h does; all others have each pair's route written out: by the tables or the rule
 * of the network where it has routes, else over one of the shortest paths, the alternatives shared
 * out by destination, as OpenSM's min-hop engine does. \param costs  rate (of cables of unknown
 * rate), hop_latency (of each link) and memory_rate (inside a node) are used TOPOMAP_EUSAGE where
 * the machine's links are not known, or it has too many nodes to write all routes out. */
int topomap_simgrid_write(FILE *out, const topomap_machine *machine,
                          const topomap_time_costs *costs, topomap_error *err);

#endif
