/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/common/environment.h"
#include "plugin/common/reply.h"
#include "plugin/common/spool.h"
#include "util/alloc.h"

static int carry_in_order(planner_verdict *verdict, const char *text)
{
    TOPOMAP_CLEANUP(topomap_bindings_clear) topomap_bindings bindings = {0};
    topomap_error err;
    TOPOMAP_FREED char *short_text = NULL;

    if (topomap_bindings_decode(text, &bindings, &err))
        return 0;
    short_text = topomap_bindings_in_order(&bindings, &err);
    if (!short_text || strlen(short_text) > PLUGIN_ENV_MOST ||
        (long)strlen(short_text) > verdict->facts->room)
        return 0;
    fprintf(verdict->out, "in-order %s\n", short_text);
    return 1;
}

/* In a process for which nobody waits: a folder may be slow. */
static void tidy(const char *note)
{
    if (planner_writers_fork() != 0)
        return;
    plugin_spool_tidy(note);
    _exit(0);
}

static int spool(planner_verdict *verdict, const char *text, topomap_error *why)
{
    const planner_facts *facts = verdict->facts;
    TOPOMAP_FREED char *note = NULL;

    if (!facts->args.spool)
        return topomap_error_set(why, TOPOMAP_EUSAGE, "plugstack.conf names no folder, spool=");
    if (plugin_spool_write(facts->args.spool, facts->job, facts->step, text, &note, why))
        return -1;
    fprintf(verdict->out, "spool %s\n", note);
    plugin_percent_line(verdict->out, "later spool", note);
    tidy(note);
    return 0;
}

/* Whole bindings are there twice, ours and the tasks'. */
void planner_forward_bindings(planner_verdict *verdict, const char *text)
{
    long room = verdict->facts->room, length = (long)strlen(text);
    topomap_error why;
    int in_order;

    if (room <= 0)
        return; /* srun says so */
    if (length <= PLUGIN_ENV_MOST && 2 * length <= room) {
        fprintf(verdict->out, "bindings %s\n", text);
        return;
    }
    in_order = carry_in_order(verdict, text);
    if (spool(verdict, text, &why))
        planner_tell(verdict, 0,
                     "the bindings are too long for the environment (%ld bytes) and %s: %s", length,
                     why.text,
                     in_order ? "each node's tasks are bound in order"
                              : "the inside of nodes is left to Slurm");
}

void planner_forward_nics(planner_verdict *verdict, const char *text)
{
    long room = verdict->facts->room, length = (long)strlen(text);

    if (room > 0 && length <= PLUGIN_ENV_MOST && length <= room / 4)
        fprintf(verdict->out, "nics %s\n", text);
    else
        planner_tell(
            verdict, 0,
            "nic= is passed over: which NIC each task is next to takes %ld bytes, too many "
            "for the environment",
            length);
}
