/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a record of a plan (plugin/common/record.h writes it). */
#ifndef TOPOMAP_PLANNER_RECORD_H
#define TOPOMAP_PLANNER_RECORD_H

#include "plugin/common/reply.h"
#include "plugin/planner/plan/inputs.h"

typedef struct planner_record {
    char version[32];
    long long time; /* seconds since 1970: 0 to the end of the year 9999 */
    planner_request request;
    char *bytes; /* that the reply points into */
    plugin_reply reply;
} planner_record;

/** \param path  a file, packed or not; "-" is none. Anything but a whole record is TOPOMAP_EINPUT.
 *  \param record  ends with planner_record_clear() */
int planner_record_read(const char *path, planner_record *record, topomap_error *err);
void planner_record_clear(planner_record *record);

/** What it has planned, without slots, GPUs and NICs; \p plan ends with topomap_plan_clear(), after
 * a failure, too. */
int planner_record_plan(const planner_record *record, topomap_plan *plan, topomap_error *err);

/** The slots of all tasks by a reply's layout and bindings, on the machine of the same request.
 *  Where the bindings do not tell the slots of a node apart, its tasks are on them in their order.
 *  \param slot_of  [slots of the machine] filled */
int planner_record_slots(const planner_inputs *inputs, const plugin_reply *reply, uint32_t *slot_of,
                         topomap_error *err);

#endif
