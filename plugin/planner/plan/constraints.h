/* SPDX-License-Identifier: BSD-3-Clause */
/* keep= and pin=: what is to stay together, and where a rank is to be, made options of the search.
 */
#ifndef TOPOMAP_PLUGIN_PLANNER_PLAN_CONSTRAINTS_H
#define TOPOMAP_PLUGIN_PLANNER_PLAN_CONSTRAINTS_H

#include "plugin/planner/plan/inputs.h"
#include "request/request.h"
#include "topomap/topomap.h"

typedef struct planner_constraints {
    uint32_t *group; /* [ranks] owned; NULL: nothing is to stay together */
    char level[24];  /* on what */
    uint32_t size;   /* of the groups */
    char line[320];  /* what is asked and cannot be; or empty */
} planner_constraints;

/** Notes of the machine of \p inputs which nodes are in one NVLink domain, and which are one of
 *  Slurm's segments: so many nodes after the other of each domain, where keep= is asked. */
int planner_constraints_asides(planner_inputs *inputs, topomap_error *err);

/** Of tasks=node: the graph of GPUs that was folded, and how many of it a task stands for. */
typedef struct planner_constraints_fold {
    const topomap_graph *graph; /* NULL: none was */
    uint32_t each;
} planner_constraints_fold;

/** Reads what was asked, and puts it into \p options, which lend it: \p together, which ends with
 *  planner_constraints_clear(), must outlive them. What cannot be is left out, and the line says
 * so. \return -1 where memory is short */
int planner_constraints_open(const topomap_request *asked, const topomap_graph *graph,
                             const planner_constraints_fold *fold, const topomap_machine *machine,
                             planner_constraints *together, topomap_map_options *options,
                             topomap_error *err);
/** Reads RANK:first or RANK:NODE. \return NULL, or why it names no rank and node of these */
const char *planner_pin_read(const char *text, uint32_t ranks, const topomap_machine *machine,
                             uint32_t *rank, uint32_t *node);
/** Where groups had to be cut, or a rank could not be pinned, the line says so. */
void planner_constraints_check(planner_constraints *together, topomap_map_options *options,
                               const topomap_mapping *mapping, const topomap_machine *machine);
/** Nonzero where a placement has what was asked for and could be reached; \p mapping: what could.
 */
int planner_constraints_holds(const planner_constraints *together,
                              const topomap_map_options *options, const topomap_mapping *mapping,
                              const topomap_machine *machine, const uint32_t *slot_of);
void planner_constraints_clear(planner_constraints *together);

#endif
