/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/doctor/doctor.h"
#include "util/text.h"

void doctor_say(doctor_verdict *verdict, enum doctor_status status, const char *advice,
                const char *format, ...)
{
    va_list args;

    verdict->status = status;
    snprintf(verdict->advice, sizeof verdict->advice, "%s", advice ? advice : "");
    va_start(args, format);
    vsnprintf(verdict->found, sizeof verdict->found, format, args);
    va_end(args);
}

void doctor_add(doctor_verdict *verdict, const char *format, ...)
{
    char more[sizeof verdict->found];
    va_list args;

    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    topomap_text_append(verdict->found, sizeof verdict->found, "%s%s", *verdict->found ? "; " : "",
                        more);
}
