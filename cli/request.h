/* SPDX-License-Identifier: BSD-3-Clause */
/* What the options of `map` and `eval` ask for, and the planner's request that says the same. */
#ifndef TOPOMAP_CLI_REQUEST_H
#define TOPOMAP_CLI_REQUEST_H

#include "cli/order.h"
#include "plugin/planner/request/request.h"

/** What srun would ask of the planner for the allocation of --nodes and --tasks-per-node.
 *  \p request ends with planner_request_clear(), \p order as cli_order_make() says.
 *  \return its text, which the caller frees; or NULL */
char *cli_request_make(const cli_call *call, planner_request *request, cli_order *order,
                       topomap_error *err);

/** The request's lines that say whom to ask for a job's cores: the first scontrol in PATH that can
 * be run. Nothing where PATH names no folder. */
void cli_request_scontrol(FILE *out);

#endif
