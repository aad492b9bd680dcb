/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user says: --topomap, --topomap-options, --topomap-explain, and the environment. */
#ifndef TOPOMAP_PLUGIN_OPTIONS_H
#define TOPOMAP_PLUGIN_OPTIONS_H

#include "plugin/args.h"
#include "plugin/distribution.h"

#include <slurm/spank.h>

enum { PLUGIN_OPTION_VALUE = 64 };

/* Keys of --topomap-options that go into the request as they are; empty: not said. */
enum plugin_key {
    PLUGIN_KEY_BIND,
    PLUGIN_KEY_OBJECTIVE,
    PLUGIN_KEY_EFFORT,
    PLUGIN_KEY_SEED,
    PLUGIN_KEY_TIME,
    PLUGIN_KEY_MIN_GAIN,
    PLUGIN_KEYS
};

typedef struct plugin_options {
    char value[PLUGIN_KEYS][PLUGIN_OPTION_VALUE];
    int required, verbose;
    int explain;
    const char *explain_file; /* NULL: standard error */
    int on;
    const char *graph; /* NULL: none is named; lent until the next call */
    const char *why;   /* where `on` comes from, for people */
} plugin_options;

/** The name of a key, as the user and the request spell it. */
const char *plugin_options_key(enum plugin_key key);

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

/** In srun: settles everything. Order: option of the step, of the job, environment, site. */
void plugin_options_settle(const plugin_args *args, const plugin_launcher *launcher,
                           plugin_options *options);

#endif
