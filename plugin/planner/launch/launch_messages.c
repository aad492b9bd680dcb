/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdarg.h>
#include <string.h>

#include "plugin/common/reply.h"

static void tell(planner_verdict *verdict, const char *how, const char *format, va_list args)
{
    char line[1024];

    vsnprintf(line, sizeof line, format, args);
    plugin_percent_line(verdict->out, how, line);
}

void planner_tell(planner_verdict *verdict, int loud, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell(verdict, loud || verdict->verbose ? "tell line" : "tell log", format, args);
    va_end(args);
}

void planner_tell_log(planner_verdict *verdict, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell(verdict, "tell log", format, args);
    va_end(args);
}

/* A job's file is about the steps that are placed. */
void planner_leave(planner_verdict *verdict, int loud, const char *why)
{
    const planner_facts *facts = verdict->facts;

    if (facts->explain_own && facts->explain && facts->explain_file && !verdict->why)
        verdict->why = strdup(why);
    if (loud || (facts->explain_own && facts->explain && !facts->explain_file))
        planner_tell(verdict, 1, "%s", why);
    else
        planner_tell_log(verdict, "%s", why);
}
