/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps are left alone, as far as srun itself can tell, and what is said of that. */
#ifndef TOPOMAP_PLUGIN_SRUN_STEP_REQUEST_H
#define TOPOMAP_PLUGIN_SRUN_STEP_REQUEST_H

#include "plugin/common/args.h"
#include "plugin/srun/options.h"

typedef struct plugin_step_request {
    policy_said said;
    int own; /* the step itself asks, not its job or site */
    plugin_explain explain;
    /* By the options and plugstack.conf alone, until the planner has read the site's rules. */
    int asked, verbose, required, bind;
    char left[640]; /* why the step is left alone, for the file of --topomap-explain, or "" */
} plugin_step_request;

/** Finds out, and says what is to be said. \p wish is all zero before.
 *  \return nonzero: the planner is to be asked */
int plugin_step_request_find(spank_t spank, const plugin_args *args,
                             const plugin_launcher *launcher, uint32_t step_id,
                             plugin_step_request *wish);

/** One line on why a step is left alone; without \p loud for srun -v only, and for a step that
 *  asked for an explanation. */
void plugin_step_request_leave(plugin_step_request *wish, int loud, const char *why);

#endif
