/* SPDX-License-Identifier: BSD-3-Clause */
/* --distribution=topomap, which Slurm's own parser would refuse. */
#ifndef TOPOMAP_PLUGIN_SRUN_DISTRIBUTION_H
#define TOPOMAP_PLUGIN_SRUN_DISTRIBUTION_H

#include "plugin/srun/gpus.h"
#include "plugin/srun/command_line.h"

/* What the command line and the environment said, besides what the options say. */
typedef struct plugin_launcher {
    enum plugin_program program;
    int on;         /* the distribution is topomap */
    int nodes_only; /* topomap:SOCKET..., the inside of a node is Slurm's */
    int other;      /* another distribution on the command line */
    int inherited;  /* another one in SLURM_DISTRIBUTION: the user's or the job's */
    int cpu_bind;   /* an explicit --cpu-bind */
    plugin_gpus gpus;
    int mem_bind; /* an explicit --mem-bind by local task */
    int pty;
    int async;                 /* the step is only queued; srun does not launch it */
    int multi;                 /* --multi-prog: the program is a list of programs */
    int het;                   /* a step in several components: separated by ":", or --het-group */
    unsigned cpus_per_task;    /* 0: not said */
    unsigned threads_per_core; /* 0: not said, all of them */
    const char *mpi;           /* --mpi, lent, or NULL */
    const char *chdir;         /* --chdir, lent, or NULL */
    const char *segment;       /* --segment, lent, or NULL */
    const char *input;         /* --input, lent, or NULL */
    const char *container;     /* --container and the like, pyxis's too, lent, or NULL */
} plugin_launcher;

/** What was found when the plugin was loaded. */
const plugin_launcher *plugin_launcher_get(void);

/** Rewrites the words and notes what they say; the library's constructor calls it, tests too.
 *  Words are replaced, never changed in place; a replacement stays allocated. */
void plugin_distribution_rewrite(int count, char **words, plugin_launcher *launcher);

#endif
