/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user says: --topomap, --topomap-options, --topomap-explain, and the environment. */
#ifndef TOPOMAP_PLUGIN_SRUN_OPTIONS_H
#define TOPOMAP_PLUGIN_SRUN_OPTIONS_H

#include "plugin/policy/policy.h"
#include "plugin/srun/srun.h"

#include <slurm/spank.h>

/* What the step's --topomap-explain says, or the job's. */
typedef struct plugin_explain {
    int wanted, own;  /* own: the step's */
    const char *file; /* NULL: standard error */
} plugin_explain;

/** Registers the options; to be called from slurm_spank_init in every context. */
int plugin_options_register(spank_t spank);

/** Before options are read: drops what an enclosing job or step left for its own steps. Slurm hands
 *  a job's SPANK options to its steps too (SLURM_SPANK__SLURM_SPANK_OPTION_..., plugstack.c), as
 *  they were written; ours travel in variables of our own, with paths made absolute.
 *  \param allocator  in sbatch and salloc, where a new job begins */
void plugin_options_forget(int allocator);

/** In sbatch and salloc: leaves what their options said in the environment, where srun inside the
 *  job finds it. SLURM_ names pass --export=NONE too. */
void plugin_options_export(void);

/** In srun: everything that was said. Lent until the next call. */
void plugin_options_said(const plugin_launcher *launcher, policy_said *said,
                         plugin_explain *explain);

#endif
