/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/preload.h"
#include "plugin/environment.h"

#include <fcntl.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384 };

int plugin_preload_carry(uint32_t job, uint32_t step, const char *library, const char *file)
{
    char text[TEXT];

    if (snprintf(text, sizeof text, "%u.%u %s %s", job, step, library, file) >= TEXT)
        return -1;
    return setenv(PLUGIN_ENV_CARRIED_PROFILE, text, 1);
}

void plugin_preload_forget(void)
{
    unsetenv(PLUGIN_ENV_CARRIED_PROFILE);
    if (getenv(PLUGIN_ENV_PROFILE_AGREE)) /* ours, not a file that the user names */
        unsetenv(PLUGIN_ENV_PROFILE);
    unsetenv(PLUGIN_ENV_PROFILE_AGREE);
}

/* Tools that the user preloads come first: ours must not take their calls away. */
static void preload(spank_t spank, const char *library, const char *file)
{
    char users[TEXT] = "", both[TEXT + 4096];
    int status;

    if (faccessat(AT_FDCWD, library, R_OK, AT_EACCESS)) /* slurmstepd is still root beneath */
        return;
    status = spank_getenv(spank, "LD_PRELOAD", users, sizeof users);
    if (status == ESPANK_ENV_NOEXIST)
        *users = 0;
    else if (status != ESPANK_SUCCESS) /* longer than any that makes sense */
        return;
    if (snprintf(both, sizeof both, "%s%s%s", users, *users ? ":" : "", library) >=
        (int)sizeof both)
        return;
    spank_setenv(spank, "LD_PRELOAD", both, 1);
    spank_setenv(spank, PLUGIN_ENV_PROFILE, file, 1);
    spank_setenv(spank, PLUGIN_ENV_PROFILE_AGREE, "1", 1);
}

void plugin_preload_node(spank_t spank)
{
    char text[TEXT], own[32], *rest = NULL, *id, *library;
    uint32_t job, step;

    if (spank_getenv(spank, PLUGIN_ENV_CARRIED_PROFILE, text, sizeof text) != ESPANK_SUCCESS)
        return;
    spank_unsetenv(spank, PLUGIN_ENV_CARRIED_PROFILE);
    if (spank_get_item(spank, S_JOB_ID, &job) || spank_get_item(spank, S_JOB_STEPID, &step))
        return;
    snprintf(own, sizeof own, "%u.%u", job, step);
    id = strtok_r(text, " ", &rest);
    library = strtok_r(NULL, " ", &rest);
    if (id && library && rest && *rest == '/' && !strcmp(id, own))
        preload(spank, library, rest);
}
