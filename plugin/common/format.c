/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/format.h"
#include "plugin/common/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 128 };

void plugin_format_carry(unsigned format)
{
    char text[TEXT];

    unsetenv(PLUGIN_ENV_CARRIED_FORMAT);
    if (!getenv(PLUGIN_ENV_CARRIED_PLAN) && !getenv(PLUGIN_ENV_CARRIED_PROFILE))
        return;
    snprintf(text, sizeof text, "%u %s", format, PACKAGE_VERSION);
    setenv(PLUGIN_ENV_CARRIED_FORMAT, text, 1);
}

static int travels(spank_t spank, const char *name)
{
    char text[1]; /* what is longer is there, too */

    return spank_getenv(spank, name, text, sizeof text) != ESPANK_ENV_NOEXIST;
}

int plugin_format_is_known(spank_t spank, unsigned format, char *why, size_t size)
{
    char text[TEXT] = "1", *version;
    unsigned long theirs;
    spank_err_t found = spank_getenv(spank, PLUGIN_ENV_CARRIED_FORMAT, text, sizeof text);

    if (found == ESPANK_NOSPACE) /* Slurm has cut it (spank_getenv() in spank.c): no plugin's */
        *text = 0;
    if (found == ESPANK_SUCCESS || found == ESPANK_NOSPACE)
        spank_unsetenv(spank, PLUGIN_ENV_CARRIED_FORMAT);
    else if (!travels(spank, PLUGIN_ENV_CARRIED_PLAN) &&
             !travels(spank, PLUGIN_ENV_CARRIED_PROFILE))
        return 1;
    theirs = strtoul(text, &version, 10);
    if (theirs == format)
        return 1;
    snprintf(
        why, size,
        "srun's topomap%.40s sends plans of format %lu, that of this node (%s) reads format %u",
        version, theirs, PACKAGE_VERSION, format);
    return 0;
}
