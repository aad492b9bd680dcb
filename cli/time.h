/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted communication time: eval --time, map --objective time. */
#ifndef TOPOMAP_CLI_TIME_H
#define TOPOMAP_CLI_TIME_H

#include <jansson.h>

#include "cli/cli.h"
#include "topomap/time.h"

/** A row for a command's option table. \p what  that it is of */
#define CLI_TIME_COSTS(what)                                                                       \
    "time-costs", "KEY=VALUE,...", EXPERT(TEXT(time_costs)),                                       \
        "of " what                                                                                 \
        ": rate= of cables where none is known, in Gb/s (100); latency= of nodes, hop= "           \
        "and overhead= of a message, in us (1, 0.1, 0.2); memory= in GB/s (10); a calibration "    \
        "of the database takes their place"

enum { CLI_COSTS = 5 };
typedef struct cli_costs {
    topomap_time_costs value;
    unsigned measured; /**< by the database: enum topomap_db_measured */
    unsigned given;    /**< by --time-costs: bit i, the i-th of its keys */
    int left_out;      /**< what a message costs, as the graph counts none */
} cli_costs;

/** Puts what --time-costs says in place of the costs that are there.
 *  \param what  that it is of, and whether that was asked for
 *  \return 0 or an exit status after saying what is wrong */
int cli_time_costs(const cli_call *call, const char *what, int asked, cli_costs *costs);
/** What goes by others of them: memory, where it is neither given nor measured. */
void cli_time_costs_settle(const topomap_machine *machine, cli_costs *costs);
json_t *cli_time_costs_json(const cli_costs *costs);
/** A line on what is measured, where something is. */
void cli_time_costs_print(FILE *out, const cli_costs *costs);
json_t *cli_time_json(const topomap_time *time, const cli_costs *costs);
void cli_time_print(const topomap_time *time, const cli_costs *costs);

#endif
