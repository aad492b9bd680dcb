/* SPDX-License-Identifier: BSD-3-Clause */
/* How long phases take that no barrier divides, for lib/metric only. */
#ifndef TOPOMAP_OVERLAP_H
#define TOPOMAP_OVERLAP_H

#include "metric/traffic.h"
#include "topomap/time.h"

/** What is predicted. */
typedef struct topomap_overlap {
    const topomap_traffic *traffic;
    topomap_graph *const *phase;
    uint32_t phases;
    const topomap_time_costs *costs;
    double rate;     /* bytes a second of a link of capacity 1 */
    double slack;    /* seconds: what happens within them happens together */
    uint64_t budget; /* as topomap_fluid() has it */
} topomap_overlap;

/** A rank begins its part of a phase when it has ended its part of the one before: when what it
 * receives there and what it sends in messages of more than 64 KiB has arrived, the largest latency
 * of those is over, and so are its overheads. A message flows from when both of its ranks have
 * begun the phase, at its max-min fair rate among all that are under way, of whatever phase.
 *
 * \param seconds  until the last rank has ended
 * \return as topomap_fluid()
 */
int topomap_overlap_predict(const topomap_overlap *of, double *seconds, topomap_error *err);

#endif
