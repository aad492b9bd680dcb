/* SPDX-License-Identifier: BSD-3-Clause */
/* What the site says: the words behind the plugin's name in plugstack.conf. */
#pragma once

#include "plugin/common/reply.h"
#include "plugin/policy/policy.h"

/* What the site waits for where plugstack.conf does not say, in milliseconds. */
enum { PLUGIN_DEADLINE_MS = 2000, PLUGIN_NODE_MS = 1000, PLUGIN_END_MS = 100 };

typedef struct plugin_args {
    const char *planner;     /* path; lent by Slurm, which keeps the words while it runs */
    const char *node_helper; /* path, or NULL: the nodes' own (node.h) */
    const char *db;          /* plugin_args_db() is what counts */
    const char *policy;      /* path, or NULL */
    const char *spool;       /* a folder that all nodes share, or NULL */
    const char *store;       /* a folder for profiles with one for each user in it, or NULL */
    const char *scontrol; /* whom the planner asks for a job's cores, "none", or NULL: srun's own */
    const char *profiler; /* the folder of the libraries that profile */
    const char *records;  /* where records of plans go, or NULL */
    plugin_record_limits record_limits;
    unsigned deadline_ms; /* that srun waits for a plan */
    unsigned node_ms;     /* that slurmstepd, which reads it by node.h, waits for topomap-node */
    unsigned end_ms;  /* that a launch waits for the plan's record, and srun at the step's end */
    unsigned said;    /* rows of the table that plugstack.conf has, 1 << row */
    policy_site site; /* default=, and values for steps that say none */
    int count;        /* the words themselves, lent by Slurm */
    char **words;
} plugin_args;

/** Reads the words into \p args, which is all zero or of an earlier call. One that is not known, or
 * has a value that makes no sense, is told to \p pass_over (NULL: nobody) and passed over: a typing
 * error of the site must not stop its jobs. */
void plugin_args_read(int count, char **words, plugin_args *args,
                      void (*pass_over)(const char *word));

/** Reads the value of a word that is a time in milliseconds: 1 to an hour.
 *  Returns 0, or -1 and leaves \p to as it is. */
int plugin_args_milliseconds(const char *value, unsigned *to);

/** Calls \p say for every value that is of no step alone: "deadline_ms", "2000", "default". */
void plugin_args_describe(const plugin_args *args,
                          void (*say)(const char *name, const char *value, const char *origin));

/** The database: $TOPOMAP_DB, else the site's, else the default. Lent. */
const char *plugin_args_db(const plugin_args *args, enum policy_origin *origin);
