/* SPDX-License-Identifier: BSD-3-Clause */
/* A SPANK plugin that has pyxis's --container-image and starts no container: what a task finds in
 * one of those is the environment that its hook leaves, with IMAGE and the container's PATH. */
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>

#define HOOK __attribute__((visibility("default")))

extern HOOK const char plugin_name[], plugin_type[];
extern HOOK const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(pyxis, 1)

HOOK spank_f slurm_spank_init, slurm_spank_task_init;

static char image[256];

static int take(int value, const char *text, int remote)
{
    (void)value, (void)remote;
    snprintf(image, sizeof image, "%s", text);
    return 0;
}

int slurm_spank_init(spank_t spank, int count, char *words[])
{
    static struct spank_option option = {
        "container-image", "image", "what the tasks' container is made of", 1, 0, take};

    (void)count, (void)words;
    return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}

int slurm_spank_task_init(spank_t spank, int count, char *words[])
{
    (void)count, (void)words;
    if (!*image)
        return 0;
    spank_setenv(spank, "IMAGE", image, 1);
    return spank_setenv(spank, "PATH", "/usr/local/bin:/usr/bin:/bin", 1) == ESPANK_SUCCESS ? 0
                                                                                            : -1;
}
