/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdarg.h>
#include <string.h>

#include "plugin/common/reply.h"

void planner_tell(planner_verdict *verdict, int loud, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    plugin_percent_line(verdict->out,
                        loud > 0 || (!loud && verdict->verbose) ? "tell line" : "tell log", line);
}

/* A job's file is about the steps that are placed. */
void planner_leave(planner_verdict *verdict, int loud, const char *why)
{
    const planner_facts *facts = verdict->facts;

    if (facts->explain_own && facts->explain && facts->explain_file && !verdict->why)
        verdict->why = strdup(why);
    loud = loud || (facts->explain_own && facts->explain && !facts->explain_file);
    planner_tell(verdict, loud ? 1 : PLANNER_LOG, "%s", why);
}
