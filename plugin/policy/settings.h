/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be set for a step, by whom, and where each value comes from. One table serves
 * --topomap-options, the site's policy file, the planner's request and `topomap policy check`. */
#ifndef TOPOMAP_POLICY_SETTINGS_H
#define TOPOMAP_POLICY_SETTINGS_H

#include "topomap/topomap.h"

enum policy_key {
    POLICY_GRAPH,
    POLICY_BIND,
    POLICY_LAYOUT,
    POLICY_CONTIGUOUS,
    POLICY_OBJECTIVE,
    POLICY_EFFORT,
    POLICY_SEED,
    POLICY_TIME,
    POLICY_MIN_GAIN,
    POLICY_CAPACITY, /**< a file of what other jobs take of the links */
    POLICY_REQUIRED,
    POLICY_RECORDS, /**< whether the plan is recorded, where the site has a folder for it */
    POLICY_VERBOSE,
    /* Of profiles; the planner never hears of these, nor of the two before. */
    POLICY_KEY,
    POLICY_MPI,
    POLICY_PROFILE,
    POLICY_PROFILE_EVERY,
    POLICY_KEYS
};

/** From the weakest to the strongest; a value that a rule forces is stronger than all. */
enum policy_origin {
    POLICY_BY_DEFAULT,
    POLICY_BY_SITE, /**< plugstack.conf */
    POLICY_BY_RULE,
    POLICY_BY_ENVIRONMENT,
    POLICY_BY_JOB, /**< an option of sbatch or salloc, or a #SBATCH directive */
    POLICY_BY_STEP /**< an option of srun */
};

typedef struct policy_key_row {
    const char *name;      /**< in --topomap-options and in the request */
    const char *rule_name; /**< in a policy file, or NULL */
    const char *fallback;  /**< the value where nobody says one, or NULL */
    int flag;              /**< yes or no; a bare name means yes */
    int (*valid)(const char *what, const char *value);
    const char *what; /**< of `valid`; for words: all of them */
} policy_key_row;

typedef struct policy_settings {
    char *value[POLICY_KEYS]; /**< owned; NULL: not said */
    enum policy_origin origin[POLICY_KEYS];
} policy_settings;

const policy_key_row *policy_key(enum policy_key key);

/** The value, or the default, or NULL. Lent. */
const char *policy_get(const policy_settings *settings, enum policy_key key);
/** Whether a flag is set. */
int policy_flag(const policy_settings *settings, enum policy_key key);
/** Whether tasks are bound, where \p own says that Slurm's options bind them, or leave the inside
 * of nodes alone. GPUs that Slurm has paired with a task's CPUs, and memory that the user has, are
 * by local task: there (\p paired) binding is only for whoever asks for it. */
int policy_binds(const policy_settings *settings, int own, int paired);
/** Sets a value (copied). Flags are kept as "1" and "0". \return 0; -1: the value makes no sense,
 *  or there is no memory, and nothing is changed */
int policy_set(policy_settings *settings, enum policy_key key, const char *value,
               enum policy_origin origin);
/** Takes what \p from says over what \p to says. \return 0, or -1: no memory */
int policy_settings_add(policy_settings *to, const policy_settings *from);
/** Reads "key=value,flag,...". \p bad is called for every word that is not understood. */
void policy_settings_read(policy_settings *settings, const char *words, enum policy_origin origin,
                          void (*bad)(const char *word));
/** Frees what the settings own (not the struct) and zeroes it. */
void policy_settings_clear(policy_settings *settings);

#endif
