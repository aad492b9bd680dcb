/* SPDX-License-Identifier: BSD-3-Clause */
/* Was a layout right for what a program then sent? */
#ifndef TOPOMAP_PLUGIN_PLANNER_PLAN_JUDGE_LAYOUT_H
#define TOPOMAP_PLUGIN_PLANNER_PLAN_JUDGE_LAYOUT_H

#include "plugin/planner/request/request.h"

/** By how much the layout that the request names to be judged costs less than Slurm's, in percent;
 *  below 0: more. By J, or predicted time where that is the objective; other objectives fail. */
int planner_judge_layout(const planner_request *request, double *gain, topomap_error *err);

#endif
