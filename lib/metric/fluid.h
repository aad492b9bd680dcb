/* SPDX-License-Identifier: BSD-3-Clause */
/* How long messages take that are all under way at once, for lib/metric only. */
#ifndef TOPOMAP_FLUID_H
#define TOPOMAP_FLUID_H

#include "metric/flows.h"

/** Every message flows along its route at its max-min fair rate (Bertsekas & Gallager, Data
 * Networks, section 6.5.2: the link that gives its flows least is filled first), which changes when
 * some of them end; what SimGrid simulates with links that lose nothing. Never less than the most
 * loaded link takes, and mostly just that: more where a flow that was slow elsewhere is late at it.
 *
 * \param rate     bytes a second of a link of capacity 1
 * \param budget   links of flows to look at, at most: some (flows * hops) for each time at which
 *                 some flows end
 * \param seconds  until the last one ends
 * \return 0; 1 where that is over the budget; -1: TOPOMAP_EINPUT where a pair has no route, or no
 *         memory. Only for networks with routes.
 */
int topomap_fluid(const topomap_traffic *traffic, double rate, uint64_t budget, double *seconds,
                  topomap_error *err);

#endif
