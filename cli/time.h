/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted communication time: eval --time, map --objective time. */
#ifndef TOPOMAP_CLI_TIME_H
#define TOPOMAP_CLI_TIME_H

#include <jansson.h>

#include "cli/cli.h"
#include "topomap/time.h"

/** A row for a command's option table. \p what  that it is of */
#define CLI_TIME_COSTS(what)                                                                       \
    {                                                                                              \
        "time-costs", "KEY=VALUE,...",                                                             \
            "of " what ": rate= of cables where none is known, in Gb/s (100); latency= of nodes, " \
            "hop= and overhead= of a message, in us (1, 0.1, 0.2); memory= in GB/s (10)",          \
            NULL                                                                                   \
    }

/** What --time-costs says. \p what  that it is of, and whether that was asked for
 *  \return 0 or an exit status after saying what is wrong */
int cli_time_costs(const cli_call *call, const char *what, int asked, topomap_time_costs *costs);
json_t *cli_time_json(const topomap_time *time);
void cli_time_print(const topomap_time *time, const topomap_time_costs *costs);

#endif
