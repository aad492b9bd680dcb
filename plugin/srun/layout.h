/* SPDX-License-Identifier: BSD-3-Clause */
/* srun's step layout: finding it, checking that it is what we think, changing its task ids. */
#ifndef TOPOMAP_PLUGIN_SRUN_LAYOUT_H
#define TOPOMAP_PLUGIN_SRUN_LAYOUT_H

#include "plugin/common/ranks.h"
#include "plugin/srun/checked_memory.h"

#include <slurm/spank.h>

typedef struct plugin_layout {
    uint32_t job, step;
    int arbitrary;      /* the user gave a host file or an arbitrary distribution */
    char *node_list;    /* the step's nodes, as a host list in the step's order */
    plugin_ranks ranks; /* Slurm's own task ids */
    uint32_t **tids;    /* [ranks.nodes] where they are in srun */
    uint32_t task_dist; /* the distribution that the layout says it is */
    void *task_dist_at; /* where that is in srun */
    plugin_memory memory;
    const char *version; /* of the Slurm that runs, lent */
    int version_known;   /* the layout was tried or read for it; else the checks decide */
} plugin_layout;

/** Finds the layout of the step that srun is about to launch; everything is compared with what
 *  Slurm's public items say, and copied. Nothing is changed. Only in slurm_spank_local_user_init.
 *  On failure nothing is left to clear. */
int plugin_layout_find(spank_t spank, plugin_layout *layout, topomap_error *err);

/** Puts new task ids in place of Slurm's, and the distribution that goes with them (procmap.h): all
 *  or, on failure, none. */
int plugin_layout_apply(const plugin_layout *layout, const plugin_ranks *ranks, uint32_t task_dist,
                        topomap_error *err);

void plugin_layout_clear(plugin_layout *layout);

#endif
