/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/preload.h"
#include "plugin/common/environment.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plugin_preload_carry(uint32_t job, uint32_t step, const char *what)
{
    char text[PLUGIN_PRELOAD_TEXT];

    if (snprintf(text, sizeof text, "%u.%u %s", job, step, what) >= PLUGIN_PRELOAD_TEXT)
        return -1;
    return setenv(PLUGIN_ENV_CARRIED_PROFILE, text, 1);
}

void plugin_preload_forget(void)
{
    unsetenv(PLUGIN_ENV_CARRIED_PROFILE);
    unsetenv(PLUGIN_ENV_PROFILE_MEMORY);
}

int plugin_preload_find(spank_t spank, uint32_t job, uint32_t step, plugin_preload *found)
{
    char own[32], *rest = NULL, *id;

    if (spank_getenv(spank, PLUGIN_ENV_CARRIED_PROFILE, found->text, sizeof found->text) !=
        ESPANK_SUCCESS)
        return 0;
    snprintf(own, sizeof own, "%u.%u", job, step);
    id = strtok_r(found->text, " ", &rest);
    found->library = strtok_r(NULL, " ", &rest);
    found->file = rest;
    return id && found->library && *found->library == '/' && rest && *rest == '/' &&
           !strcmp(id, own);
}

/* The one that NCCL loads is beside the MPI profilers. A plugin of the user's stays; NCCL goes on
 * without one that it does not find or that is none for it (before 2.27). */
static void put_nccl(spank_t spank, const char *library)
{
    const char *slash = strrchr(library, '/');
    char path[4096];

    if (snprintf(path, sizeof path, "%.*s/libtopomap-profile-nccl.so", (int)(slash - library),
                 library) < (int)sizeof path)
        spank_setenv(spank, PLUGIN_ENV_NCCL_PROFILER, path, 0);
}

/* Tools that the user preloads come first: ours must not take their calls away. */
void plugin_preload_put(spank_t spank, const plugin_preload *found, int memory)
{
    char users[PLUGIN_PRELOAD_TEXT] = "", both[PLUGIN_PRELOAD_TEXT + 4096], number[16];
    int status = spank_getenv(spank, "LD_PRELOAD", users, sizeof users);

    if (status == ESPANK_ENV_NOEXIST)
        *users = 0;
    else if (status != ESPANK_SUCCESS) /* longer than any that makes sense */
        return;
    if (snprintf(both, sizeof both, "%s%s%s", users, *users ? ":" : "", found->library) >=
        (int)sizeof both)
        return;
    spank_setenv(spank, "LD_PRELOAD", both, 1);
    put_nccl(spank, found->library);
    snprintf(number, sizeof number, "%d", memory);
    spank_setenv(spank, PLUGIN_ENV_PROFILE_MEMORY, number, 1);
}
