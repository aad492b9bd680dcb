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
 *  its weights need not be bytes, and a latency would be weighed against nothing. */
void planner_objective_costs(const topomap_request *asked, const topomap_graph *graph,
                             topomap_time_costs *costs);
/** Under `auto`, where the time has not changed, J tells what is gained. */
void planner_objective_settle(const topomap_request *asked, topomap_mapping *mapping);

#endif
