/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a step to be placed, and how? What its user and its site want, and which steps are left
 * alone. */
#ifndef TOPOMAP_PLUGIN_WISH_H
#define TOPOMAP_PLUGIN_WISH_H

#include "plugin/args.h"
#include "plugin/options.h"

typedef struct plugin_wish {
    policy_decision decision; /* the settings have a time */
    int verbose;
    int own; /* the step itself asks, not its job or site */
    plugin_explain explain;
} plugin_wish;

/** Finds out, and says what is to be said. \p wish is all zero before; its settings are to be
 *  cleared. \return nonzero: the step is to be placed */
int plugin_wish_find(spank_t spank, const plugin_args *args, const plugin_launcher *launcher,
                     uint32_t step_id, plugin_wish *wish);

/** One line on why a step is left alone; without \p loud for srun -v only, and for a step that
 * asked for an explanation. \p explain may be NULL. */
void plugin_wish_leave(const plugin_explain *explain, int loud, const char *why);

#endif
