/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of srun, salloc and sbatch, release by release. */
#pragma once

#include <stddef.h>

/* One bit each. */
enum plugin_program { PLUGIN_OTHER = 0, PLUGIN_SRUN = 1, PLUGIN_SALLOC = 2, PLUGIN_SBATCH = 4 };

/* Does an option take a value? MAYBE: only in the same word (getopt's optional argument). */
enum plugin_takes { PLUGIN_TAKES_NONE, PLUGIN_TAKES_VALUE, PLUGIN_TAKES_MAYBE };

typedef struct plugin_slurm_option {
    const char *name;
    char letter; /* 0: none */
    enum plugin_takes takes;
    unsigned programs;    /* enum plugin_program, or-ed */
    unsigned first, last; /* releases that have it so, 2405 is 24.05; 0: the oldest, the newest */
} plugin_slurm_option;

/** The release that the plugin was built for, 2405 for 24.05. Slurm refuses a plugin that another
 *  release's headers made. */
unsigned plugin_slurm_release(void);

/** A long option by its name or, as getopt_long does, by a beginning that only one of this
 *  program's options has. NULL: none, or several */
const plugin_slurm_option *plugin_slurm_option_named(enum plugin_program program, unsigned release,
                                                     const char *name, size_t length);

const plugin_slurm_option *plugin_slurm_option_lettered(enum plugin_program program,
                                                        unsigned release, char letter);

/** All rows, whatever has them; NULL past the last. */
const plugin_slurm_option *plugin_slurm_option_row(size_t index);
