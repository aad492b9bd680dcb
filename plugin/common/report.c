/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/report.h"
#include "util/safe_text.h"

#include <slurm/spank.h>
#include <stdarg.h>

enum { LINE_SIZE = 1024 };

/* Planner's lines and users' words end up here: one line that no terminal obeys, whatever they
 * hold. */
static void format_line(char line[LINE_SIZE], const char *format, va_list args)
{
    vsnprintf(line, LINE_SIZE, format, args);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    topomap_safe_line(line, LINE_SIZE);
}

#define FORMAT(line, format)                                                                       \
    char line[LINE_SIZE];                                                                          \
    va_list args;                                                                                  \
                                                                                                   \
    va_start(args, format);                                                                        \
    format_line(line, format, args);                                                               \
    va_end(args)

void plugin_report_line(const char *format, ...)
{
    FORMAT(line, format);

    slurm_info("topomap: %s", line);
}

void plugin_report_error(const char *format, ...)
{
    FORMAT(line, format);

    slurm_error("topomap: %s", line);
}

void plugin_report_detail(int verbose, const char *format, ...)
{
    FORMAT(line, format);

    if (verbose)
        slurm_info("topomap: %s", line);
    else
        slurm_verbose("topomap: %s", line);
}

void plugin_report_node(const char *format, ...)
{
    FORMAT(line, format);

    slurm_spank_log("topomap: %s", line);
}
