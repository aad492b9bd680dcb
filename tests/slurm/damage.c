/* SPDX-License-Identifier: BSD-3-Clause */
/* A SPANK plugin that stands behind topomap's in plugstack.conf and damages what topomap sends to
 * the nodes: $DAMAGE_BINDINGS and $DAMAGE_PLAN take the place of it; $DAMAGE_SPOOL is what becomes
 * of the plan's file: "unlink" or "chmod", which lets everybody write it. $DAMAGE_NOTE is the note
 * of a plan's file in place of all bindings, with the step for its '@'; $DAMAGE_FILE is moved to
 * where that points. */
#include <slurm/spank.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

extern HOOK const char plugin_name[], plugin_type[];
extern HOOK const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(damage, 1)

HOOK spank_f slurm_spank_local_user_init;

static void forge_note(spank_t spank, const char *form, const char *file)
{
    char note[4096];
    uint32_t job = 0, step = 0;
    const char *at = strchr(form, '@');

    spank_get_item(spank, S_JOB_ID, &job);
    spank_get_item(spank, S_JOB_STEPID, &step);
    if (at)
        snprintf(note, sizeof note, "%.*s%u.%u%s", (int)(at - form), form, job, step, at + 1);
    else
        snprintf(note, sizeof note, "%s", form);
    if (file && strchr(note, '/'))
        rename(file, strchr(note, '/'));
    unsetenv("SLURM_TOPOMAP_BINDINGS");
    unsetenv("SLURM_TOPOMAP_IN_ORDER");
    setenv("SLURM_TOPOMAP_SPOOL", note, 1);
}

int slurm_spank_local_user_init(spank_t spank, int count, char *words[])
{
    const char *bindings = getenv("DAMAGE_BINDINGS"), *plan = getenv("DAMAGE_PLAN");
    const char *spool = getenv("DAMAGE_SPOOL"), *note = getenv("SLURM_TOPOMAP_SPOOL");

    (void)count, (void)words;
    if (getenv("DAMAGE_NOTE"))
        forge_note(spank, getenv("DAMAGE_NOTE"), getenv("DAMAGE_FILE"));
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
