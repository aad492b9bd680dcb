/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/online.h"

#include <stdio.h>

int plugin_online_cpus(plugin_cpus *set)
{
    char list[4096] = "";
    FILE *file = fopen("/sys/devices/system/cpu/online", "re");

    if (!file)
        return -1;
    if (!fgets(list, sizeof list, file))
        *list = 0;
    fclose(file);
    return plugin_cpus_read_list(list, set);
}
