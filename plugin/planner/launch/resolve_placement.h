/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a step to be placed, and how? What its user and its site want. */
#ifndef TOPOMAP_PLUGIN_PLANNER_LAUNCH_RESOLVE_PLACEMENT_H
#define TOPOMAP_PLUGIN_PLANNER_LAUNCH_RESOLVE_PLACEMENT_H

#include "plugin/planner/launch/verdict.h"

/** Fills the verdict's decision (with a time) and tells what is to be told.
 *  \return 1: to be placed, 0: not, -1: \p err */
int planner_resolve_placement(planner_verdict *verdict, topomap_error *err);

#endif
