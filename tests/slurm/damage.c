/* SPDX-License-Identifier: BSD-3-Clause */
/* A SPANK plugin that stands behind topomap's in plugstack.conf and damages what topomap sends to
 * the nodes: $DAMAGE_BINDINGS and $DAMAGE_PLAN take the place of it; $DAMAGE_SPOOL is what becomes
 * of the plan's file: "unlink" or "chmod", which lets everybody write it. */
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

extern HOOK const char plugin_name[], plugin_type[];
extern HOOK const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(damage, 1)

HOOK spank_f slurm_spank_local_user_init;

int slurm_spank_local_user_init(spank_t spank, int count, char *words[])
{
    const char *bindings = getenv("DAMAGE_BINDINGS"), *plan = getenv("DAMAGE_PLAN");
    const char *spool = getenv("DAMAGE_SPOOL"), *note = getenv("SLURM_TOPOMAP_SPOOL");

    (void)spank, (void)count, (void)words;
    if (spool && note && !strcmp(spool, "unlink"))
        unlink(strchr(note, '/'));
    if (spool && note && !strcmp(spool, "chmod"))
        chmod(strchr(note, '/'), 0666);
    if (bindings)
        setenv("SLURM_TOPOMAP_BINDINGS", bindings, 1);
    if (plan)
        setenv("SLURM_TOPOMAP_PLAN", plan, 1);
    return 0;
}
