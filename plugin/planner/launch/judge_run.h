/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that is over: was its layout right for what it sent? */
#ifndef TOPOMAP_PLUGIN_PLANNER_LAUNCH_JUDGE_RUN_H
#define TOPOMAP_PLUGIN_PLANNER_LAUNCH_JUDGE_RUN_H

#include "plugin/planner/launch/launch.h"

/** Leaves the answer in the run's folder, where its plan is there and its profile is whole.
 *  \param answer  planner_launch_answer(), but in tests */
void planner_judge_run(const char *folder, planner_answerer *answer);

#endif
