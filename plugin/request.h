/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_REQUEST_H
#define TOPOMAP_PLUGIN_REQUEST_H

#include "plugin/layout.h"
#include "plugin/policy/settings.h"

/** The request's text (protocol.md); NULL and \p err on failure. Ends with free().
 *  \param settings  with a time
 *  \param db     path of the topology database
 *  \param cores  of the job (plugin/cores.h), or NULL
 *  \param bind   nonzero: bindings are wanted
 *  \param cpus_per_task  at least 1
 *  \param record  nonzero: the reply is to say what `topomap map --replay` wants to know
 *  \param more   further lines, or "" */
char *plugin_request_make(const policy_settings *settings, const plugin_layout *layout,
                          const char *db, const char *cores, int bind, unsigned cpus_per_task,
                          int explain, int record, const char *more,
                          topomap_error *err);

#endif
