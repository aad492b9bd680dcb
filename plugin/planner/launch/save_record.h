/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of the plan, where one is kept. */
#ifndef TOPOMAP_PLUGIN_PLANNER_LAUNCH_SAVE_RECORD_H
#define TOPOMAP_PLUGIN_PLANNER_LAUNCH_SAVE_RECORD_H

#include "plugin/planner/launch/verdict.h"

/** Writes it in a process of its own, and tells where it is, or why there is none. A folder that
 *  does not answer within a tenth of a second holds up neither the launch nor, for longer than
 *  twenty seconds, that process. */
void planner_save_record(planner_verdict *verdict, const char *request, const char *reply,
                         size_t size);

#endif
