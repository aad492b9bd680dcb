/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user sees. */
#pragma once

#include "topomap/topomap.h"

#include <stddef.h>

/** Remembers what descriptor 2 is. Slurm loads the plugin before it opens sockets of its own, and
 * calls this from slurm_spank_init of srun, sbatch and salloc. From then on, the functions below
 * print nothing if descriptor 2 was closed at that time or is another file by now. */
void plugin_report_begin(void);

/** One line of the reason why a step is about to fail. */
void plugin_report_error(const char *format, ...) TOPOMAP_PRINTF(1, 2);

/** One line, shown under `srun -v`; always if \p verbose is set (verbose in --topomap-options or
 *  plugstack.conf, or the user asked). */
void plugin_report_detail(int verbose, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/** One line of a compute node, shown at srun. */
void plugin_report_node(const char *format, ...) TOPOMAP_PRINTF(1, 2);

/** Writes \p size bytes of a text of several lines to standard error, with control characters made
 * visible (topomap_safe_text()). */
void plugin_report_text(const char *text, size_t size);
