/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of plans by the step's number. */
#pragma once

#include "cli/cli.h"
#include "plugin/planner/plan/plan.h"

/** Reads a record: of a file, or JOB.STEP, which is looked for in --records DIR, else in
 *  plugstack.conf's records=, and in the user's own place; or JOB, or nothing: what was written
 *  there last. What is in neither is taken for a file. --db and --graph are put in place of what it
 *  has. \p record ends with planner_record_clear().
 *  \param said  the value of an option; NULL: that of --job */
int cli_record_read(const cli_call *call, const char *said, planner_record *record,
                    topomap_error *err);

enum { CLI_RECORD_LINE = 512 };
/** Whether the file that the record calls \p path is another one by now, or not there.
 *  \param what  "graph", "database"
 *  \param then  its digest in the record; NULL: it has none, nor does it differ
 *  \param line  says so, where it is */
int cli_record_differs(const char *what, const char *path, const char *then,
                       char line[CLI_RECORD_LINE]);

/** An error where the record's database is not there. */
int cli_record_database(const planner_record *record, topomap_error *err);

/** For who looks at a plan with today's database and graph: an error where they are not there, a
 *  note on standard error where they are others. */
int cli_record_inputs(const cli_call *call, const planner_record *record, topomap_error *err);

/** Adds `gpus` and `nics` of the plan's i-th task to its row, where they are known.
 *  \param each  GPUs of a task, one after the other */
void cli_devices_json(json_t *row, const topomap_plan *plan, uint32_t i, uint32_t each);

/** records= of the plugin's line in the site's plugstack.conf, found and read by a process that has
 *  seconds for it (cli/doctor). \param path  [size] empty: there is none, or it is not known */
void cli_site_records(char *path, size_t size);
/** The database that the plugin of this site takes, likewise found in \p ms. */
void cli_site_db(char *path, size_t size, unsigned ms);
/** All words of that line, one a line, as far as they are found in \p ms. Ends with free(); NULL:
 * memory is short */
char *cli_site_words(unsigned ms);
