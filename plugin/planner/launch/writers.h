/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's processes on this machine that write records and that nobody waits for. A file system
 * that is stuck holds each of them for good, and they count as the user's processes (ulimit -u). */
#ifndef TOPOMAP_PLUGIN_PLANNER_LAUNCH_WRITERS_H
#define TOPOMAP_PLUGIN_PLANNER_LAUNCH_WRITERS_H

#include <sys/types.h>

enum { PLANNER_WRITERS_MOST = 4 };

/** A process for which nobody waits, and which ends by itself after 20 s: in a session of its own,
 *  since srun kills the planner's group when the planner has ended, and without the reply.
 *  \return as fork(2) */
pid_t planner_writers_fork(void);

/** Makes the calling process one of those that write to \p folder, and waits two seconds at most
 * until they are few enough for that. Where the kernel has no keyring for us, all are. Two at the
 * very same moment may count as one, and who is in another container (pid_namespaces(7)) is not
 * seen. \return 0; -1: there are PLANNER_WRITERS_MOST others of that
 * folder */
int planner_writers_join(const char *folder);

#endif
