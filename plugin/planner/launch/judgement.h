/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that is over: was its layout right for what it sent? */
#ifndef TOPOMAP_PLANNER_JUDGEMENT_H
#define TOPOMAP_PLANNER_JUDGEMENT_H

#include "plugin/planner/launch/launch.h"

/** Leaves the answer in the run's folder, where its plan is there and its profile is whole.
 *  \param answer  planner_launch_answer(), but in tests */
void planner_judgement(const char *folder, planner_answerer *answer);

#endif
