/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_NODE_ONLINE_H
#define TOPOMAP_PLUGIN_NODE_ONLINE_H

#include "plugin/node/cpus.h"

/** The CPUs that this machine has; none where the kernel does not say. */
void plugin_online_cpus(plugin_cpus *online);

#endif
