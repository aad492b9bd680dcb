/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the site's rules a step falls under. */
#ifndef TOPOMAP_PLUGIN_SITE_H
#define TOPOMAP_PLUGIN_SITE_H

#include "plugin/policy/policy.h"

#include <slurm/spank.h>

/** The first rule that fits, or NULL. What rules do not ask for is not looked up. */
const policy_rule *plugin_site_rule(spank_t spank, const policy *policy);

#endif
