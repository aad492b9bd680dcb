/* SPDX-License-Identifier: BSD-3-Clause */
/* What srun knows of a step, for the planner, which finds out the rest: srun itself touches no
 * file. */
#ifndef TOPOMAP_PLUGIN_SRUN_FACTS_H
#define TOPOMAP_PLUGIN_SRUN_FACTS_H

#include "plugin/common/args.h"
#include "plugin/srun/layout.h"
#include "plugin/srun/options.h"

#include <slurm/spank.h>

typedef struct plugin_facts {
    spank_t spank;
    const plugin_args *args;
    const plugin_launcher *launcher;
    const policy_said *said;
    const plugin_explain *explain;
    const plugin_layout *layout; /**< NULL: the step is not to be placed, only judged */
    uint32_t job, step;
    const char *reason; /**< why the step is left alone, for the file of its explanation, or NULL */
} plugin_facts;

/** The text of the request (protocol.md, "Request of a launch"); NULL and \p err on failure. Ends
 *  with free(). */
char *plugin_facts_text(const plugin_facts *facts, topomap_error *err);

/** The lines with what plugstack.conf says, which every message to the planner has. */
void plugin_facts_site(FILE *out, const plugin_args *args);

#endif
