/* SPDX-License-Identifier: BSD-3-Clause */
/* What `map` and `eval` print. */
#ifndef TOPOMAP_CLI_REPORT_H
#define TOPOMAP_CLI_REPORT_H

#include <jansson.h>

#include "cli/target.h"
#include "cli/time.h"
#include "plan/plan.h"
#include "plan/spread.h"

typedef struct cli_result {
    const cli_target *target;
    const topomap_map_options *options;
    topomap_mapping *mapping;
    topomap_plan plan;
    topomap_cost before, after;
    topomap_spread spread[2];         /* before and after, of groups that are known */
    topomap_congestion congestion[2]; /* before and after; model NULL: not asked for */
    cli_costs costs;
    topomap_time time; /* of `before`; model NULL: not asked for */
} cli_result;

/** Each returns an exit status; --output is where they write. */
int cli_report_text(const cli_call *call, const cli_result *result);
int cli_report_json(const cli_call *call, const cli_result *result);
/** Adds `gpus` and `nics` of the plan's i-th task to its row, where they are known. */
void cli_report_devices(json_t *row, const topomap_plan *plan, uint32_t i);
/** The cost `before` alone, as text or (--json) JSON. */
int cli_report_cost(const cli_call *call, const cli_result *result);

#endif
