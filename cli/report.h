/* SPDX-License-Identifier: BSD-3-Clause */
/* What `map` and `eval` print. */
#ifndef TOPOMAP_CLI_REPORT_H
#define TOPOMAP_CLI_REPORT_H

#include <jansson.h>

#include "cli/target.h"
#include "cli/time.h"
#include "plan/plan.h"

typedef struct cli_result {
    const cli_target *target;
    const topomap_map_options *options;
    const uint32_t *baseline; /* [ranks of the graph] the layout before */
    topomap_mapping *mapping;
    topomap_plan plan;
    topomap_cost before, after;
    topomap_spread spread[2];         /* before and after, of groups that are known */
    topomap_congestion congestion[2]; /* before and after; model NULL: not asked for */
    cli_costs costs;
    topomap_time time; /* of `before`; model NULL: not asked for */
    struct {
        int asked;
        uint32_t rank, node, on; /* where it is to be, and where it is */
    } pin;                       /* of `before` */
} cli_result;

/** Returns an exit status; --output is where it writes. */
typedef int cli_printer(const cli_call *call, const cli_result *result);

int cli_report_text(const cli_call *call, const cli_result *result);
int cli_report_json(const cli_call *call, const cli_result *result);
/** Adds `gpus` and `nics` of the plan's i-th task to its row, where they are known.
 *  \param each  GPUs of a task, one after the other */
void cli_report_devices(json_t *row, const topomap_plan *plan, uint32_t i, uint32_t each);
/** The cost `before` alone, as text or (--json) JSON. */
int cli_report_cost(const cli_call *call, const cli_result *result);

/** Maps what a command's options name, as `map` does, and has the result printed. */
int cli_map_print(const cli_call *call, cli_printer *print);

#endif
