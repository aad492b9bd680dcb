/* SPDX-License-Identifier: BSD-3-Clause */
/* What the objective `auto` is for a machine and a graph. */
#ifndef TOPOMAP_PLANNER_OBJECTIVE_H
#define TOPOMAP_PLANNER_OBJECTIVE_H

#include "request/request.h"
#include "topomap/time.h"

/** Of `auto`: predicted time where the machine's links, routes and rates are known, else J. */
enum topomap_objective_kind planner_objective(const topomap_request *asked,
                                              const topomap_machine *machine);
/** For topomap_map(). Under `auto` a graph that counts no messages goes by the links' loads alone:
 *  its weights need not be bytes, and a latency would be weighed against nothing.
 *  \return nonzero where what a message costs is left out: it is 0 then */
int planner_objective_costs(const topomap_request *asked, const topomap_graph *graph,
                            topomap_time_costs *costs);
/** What topomap_map() is to count for a message: nothing where bytes alone are asked for, and under
 *  `auto` where predicted time is made small, which has latencies of its own.
 *  \param worth  bytes that pass in the time that a message costs */
double planner_message_bytes(const topomap_request *asked, enum topomap_objective_kind objective,
                             double worth);
/** Such a worth on a machine that is in no database: of TOPOMAP_TIME_COSTS, at the rate that its
 *  cables have on average where that is known. */
double planner_message_worth(const topomap_machine *machine);
/** Under `auto`, where the time has not changed, J tells what is gained. */
void planner_objective_settle(const topomap_request *asked, topomap_mapping *mapping);

#endif
