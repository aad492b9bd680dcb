/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user sees. */
#ifndef TOPOMAP_PLUGIN_COMMON_REPORT_H
#define TOPOMAP_PLUGIN_COMMON_REPORT_H

#include "topomap/topomap.h"

/** One line, always shown (srun without --quiet). */
void plugin_report_line(const char *format, ...) TOPOMAP_PRINTF(1, 2);

/** One line of the reason why a step is about to fail. */
void plugin_report_error(const char *format, ...) TOPOMAP_PRINTF(1, 2);

/** One line, shown under `srun -v`; always if \p verbose is set (verbose in --topomap-options or
 *  plugstack.conf, or the user asked). */
void plugin_report_detail(int verbose, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/** One line of a compute node, shown at srun. */
void plugin_report_node(const char *format, ...) TOPOMAP_PRINTF(1, 2);

#endif
