/* SPDX-License-Identifier: BSD-3-Clause */
/* Which part of its nodes a job has, as far as srun's environment tells, and who tells the rest. */
#pragma once

#include "plugin/common/args.h"

#include <stdio.h>

/** Writes lines of the request: job-cpus, job-nodes, scontrol, scontrol-time (protocol.md). No file
 *  is looked for. */
void plugin_job_write(FILE *out, uint32_t job, const plugin_args *args);
