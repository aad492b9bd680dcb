/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/online.h"

#include <stdio.h>
#include <string.h>

/* sysfs makes the list at each reading, which takes a good part of a millisecond: once a node is
 * enough. */
void plugin_online_cpus(plugin_cpus *online)
{
    FILE *file = fopen("/sys/devices/system/cpu/online", "re");
    char list[4096];

    memset(online, 0, sizeof *online);
    if (!file)
        return;
    if (!fgets(list, sizeof list, file) || plugin_cpus_read_list(list, online))
        memset(online, 0, sizeof *online);
    fclose(file);
}
