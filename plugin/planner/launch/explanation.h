/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --topomap-explain=FILE. */
#ifndef TOPOMAP_PLANNER_EXPLANATION_H
#define TOPOMAP_PLANNER_EXPLANATION_H

#include <stddef.h>

#include "topomap/topomap.h"

/** Puts a text where \p path leads, whole or not at all; nothing is made where another user could
 *  have a hand in it (util/publish.h). What is there and is no regular file (/dev/null, a FIFO),
 * and the planner's own standard output and error, is written to directly, and never waited for.
 *  \param until  of topomap_clock_wall(): when srun ends this process, whose unfinished file would
 *                stay. Where the file system has shown itself too slow for that, none is made. */
int planner_explanation_write(const char *path, const char *bytes, size_t size, double until,
                              topomap_error *err);

#endif
