/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tasks of a step find in their environment. */
#ifndef TOPOMAP_PLUGIN_ENVIRONMENT_H
#define TOPOMAP_PLUGIN_ENVIRONMENT_H

#define PLUGIN_ENV_APPLIED "TOPOMAP_APPLIED"
#define PLUGIN_ENV_PLAN_ID "TOPOMAP_PLAN_ID"
#define PLUGIN_ENV_GAIN "TOPOMAP_GAIN"
#define PLUGIN_ENV_BINDINGS "TOPOMAP_BINDINGS"

/* Linux takes 128 KiB a variable (MAX_ARG_STRLEN); a task whose environment has more does not
 * start. */
enum { PLUGIN_ENV_MOST = 96 << 10 };

#endif
