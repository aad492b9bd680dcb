/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_ONLINE_H
#define TOPOMAP_PLUGIN_ONLINE_H

#include "plugin/cpus.h"

/** The CPUs that this machine has. \return 0, or -1: the kernel does not say */
int plugin_online_cpus(plugin_cpus *set);

#endif
