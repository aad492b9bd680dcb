/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CLI_PLAN_H
#define TOPOMAP_CLI_PLAN_H

#include "cli/cli.h"

/** `map --format plan`: what the planner makes of an allocation, as the record that a launch
 * leaves. */
int cli_plan(const cli_call *call);

#endif
