/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts that Slurm itself could have made of a step: candidates beside the one that it has
 * made. */
#ifndef TOPOMAP_PLANNER_LAYOUTS_H
#define TOPOMAP_PLANNER_LAYOUTS_H

#include "plugin/planner/request/request.h"

typedef struct planner_layouts {
    size_t count;
    topomap_layout *row; /* [count] of all slots, as tasks; NULL where there are none */
    uint32_t *slot_of;   /* all of them, one behind the other */
    char *plane;         /* the name of the one that deals several tasks at a time */
} planner_layouts;

/** On a machine of several nodes: "block", a node after the other; "cyclic", a task to each node in
 *  turn until it is full; "plane=N", N tasks at a time, half of what the fullest node takes, 2 at
 *  least; "topology", blocks along the fabric. A node has its slots' number of tasks in each, in
 *  ascending order (Slurm's dist_tasks.c and slurm_step_layout.c; srun's --distribution).
 *  \param sequence  [nodes] in which order Slurm's topology has them; NULL: not known, they go by
 *                   the machine's groups, where it has any
 *  \param layouts   ends with planner_layouts_clear() */
int planner_layouts_make(const topomap_machine *machine, const uint32_t *sequence,
                         planner_layouts *layouts, topomap_error *err);
/** The same for a step, in the order of the topology that \p db has of Slurm. */
int planner_layouts_of_step(const planner_request *request, topomap_db *db,
                            const topomap_machine *machine, planner_layouts *layouts,
                            topomap_error *err);
void planner_layouts_clear(planner_layouts *layouts);

#endif
