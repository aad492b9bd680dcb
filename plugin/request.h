/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_REQUEST_H
#define TOPOMAP_PLUGIN_REQUEST_H

#include "plugin/layout.h"
#include "plugin/policy/settings.h"

/** What Slurm's options say of each task's CPUs. */
typedef struct plugin_request_cpus {
    unsigned per_task;         /**< at least 1 */
    unsigned threads_per_core; /**< 0: all */
} plugin_request_cpus;

/** The request's text (protocol.md); NULL and \p err on failure. Ends with free().
 *  \param settings  with a time
 *  \param db     path of the topology database
 *  \param job    lines about the job's part of its nodes (plugin/job.h), or ""
 *  \param bind   nonzero: bindings are wanted
 *  \param cpus   of each task
 *  \param record  nonzero: the reply is to say what `topomap map --replay` wants to know
 *  \param more   further lines, or "" */
char *plugin_request_make(const policy_settings *settings, const plugin_layout *layout,
                          const char *db, const char *job, int bind,
                          const plugin_request_cpus *cpus, int explain, int record,
                          const char *more, topomap_error *err);

#endif
