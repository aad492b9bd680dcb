/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CLI_REPLAY_H
#define TOPOMAP_CLI_REPLAY_H

#include "cli/cli.h"
#include "plugin/planner/plan/plan.h"

/** Plans a record's step again and compares: CLI_DONE where the plan is the same, CLI_NO where it
 * is not. \param format  "text", "json" or "perm" */
int cli_replay(const cli_call *call, const char *format);

#endif
