/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the planner: a process of its own, with a deadline, so that whatever happens to it
 * costs srun nothing but that time. */
#pragma once

#include "topomap/topomap.h"

typedef struct plugin_launch {
    const char *planner; /**< path */
    const char *word;    /**< of its command line, or NULL */
    const char *request;
    unsigned deadline_ms;
    int stays;       /**< nonzero: it is not killed at the deadline, and may outlive us */
    uint64_t memory; /**< bytes of addresses at most; 0: 8 GiB */
} plugin_launch;

/** Bytes of addresses that a planner has for a step of \p tasks: half a GiB, and 128 KiB a task, of
 *  which graphs as programs have them take a tenth. A job's memory may be as small as its tasks are
 * few. */
uint64_t plugin_launch_memory(uint32_t tasks);

/** Starts the planner, writes the request to its standard input and reads its file descriptor 3 to
 *  the end. But for \p stays, the process and what it started are dead when this returns; one that
 *  a file system holds in the kernel is left behind. A first line "topomap-wait MILLISECONDS" of
 *  the reply moves the deadline, to an hour at most.
 *  \param reply    NUL-terminated, ends with free(); *size does not count the NUL
 *  \param late     nonzero on failure: the deadline was over
 *  Fails where it cannot be started, does not end its reply in time, or writes more than 16 MiB. */
int plugin_launch_ask(const plugin_launch *launch, char **reply, size_t *size, int *late,
                      topomap_error *err);

/** The same, for whoever has no further wishes. */
int plugin_launch_run(const char *planner, const char *request, unsigned deadline_ms, char **reply,
                      size_t *size, topomap_error *err);
