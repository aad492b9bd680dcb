/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the planner: a process of its own, with a deadline, so that whatever happens to it
 * costs srun nothing but that time. */
#ifndef TOPOMAP_PLUGIN_LAUNCH_H
#define TOPOMAP_PLUGIN_LAUNCH_H

#include "topomap/topomap.h"

/** Starts \p planner, writes \p request to its standard input and reads its file descriptor 3 to
 *  the end. The process and what it started are dead when this returns.
 *  \param verbose  nonzero: its standard error is ours
 *  \param reply    NUL-terminated, ends with free(); *size does not count the NUL
 *  Fails where it cannot be started, does not end its reply within \p deadline_ms, or writes more
 *  than 16 MiB. */
int plugin_launch_run(const char *planner, const char *request, unsigned deadline_ms, int verbose,
                      char **reply, size_t *size, topomap_error *err);

#endif
