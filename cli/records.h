/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of plans by the step's number. */
#ifndef TOPOMAP_CLI_RECORDS_H
#define TOPOMAP_CLI_RECORDS_H

#include "cli/cli.h"

/** The record that the option \p name names: a file, or JOB.STEP, which is looked for in --records
 *  DIR and in the user's own place. What is in neither is taken for a file. */
const char *cli_record(const cli_call *call, const char *name, char path[4096]);

#endif
