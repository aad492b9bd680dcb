/* SPDX-License-Identifier: BSD-3-Clause */
/* tasks=node: a graph of GPUs on a step of one task a node. */
#ifndef TOPOMAP_PLUGIN_PLANNER_PLAN_NODE_TASKS_H
#define TOPOMAP_PLUGIN_PLANNER_PLAN_NODE_TASKS_H

#include "plugin/planner/plan/inputs.h"

/** How many of the graph's vertices each task is to stand for: the GPUs of a node where the
 *  database knows them and they are as many on all nodes, and 1 where nobody asks or the step has
 *  not one task on each node, which is noted. 0: it goes by the graph. */
uint32_t planner_node_tasks_each(planner_inputs *inputs);

/** Puts the graph of tasks into the place of that of GPUs: task t stands for the vertices from
 *  t * each on.
 *  \param each  of planner_node_tasks_each() \return 0, or -1: the graph does not go up */
int planner_node_tasks_fold(planner_inputs *inputs, uint32_t each, topomap_error *err);

/** The same of a stored profile, which knows how many workers its tasks had. Where the step has not
 * one task on each node the graph goes, and a note says why. */
int planner_node_tasks_profile(planner_inputs *inputs, topomap_error *err);

#endif
