/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CLI_PLAN_H
#define TOPOMAP_CLI_PLAN_H

#include "cli/report.h"

/** `map --format plan`: what the planner makes of an allocation, as the record that a launch
 * leaves. */
int cli_plan(const cli_call *call);
/** planner_answer_text(), which on a terminal says how far it has come where it takes long. */
char *cli_plan_answer(const cli_call *call, planner_request *request, size_t *size);

/** `map --format` of another launcher (lib/plan/writers): what was found, by the name of --format.
 * \return an exit status */
int cli_launchers_print(const cli_call *call, const cli_result *result);
/** `map --from-plan`: the plan of a record in the format of another launcher, as it is; nothing is
 * planned. */
int cli_launchers_convert(const cli_call *call);
/** Adds the names of those formats to \p text, each behind ", ". */
void cli_launchers_names(char *text, size_t size);

#endif
