/* SPDX-License-Identifier: BSD-3-Clause */
/* What was said of a step, by whom: the settings of request/request.h's table, as texts. */
#ifndef TOPOMAP_POLICY_SETTINGS_H
#define TOPOMAP_POLICY_SETTINGS_H

#include "request/request.h"

/** From the weakest to the strongest; a value that a rule forces is stronger than all. */
enum policy_origin {
    POLICY_BY_DEFAULT,
    POLICY_BY_SITE, /**< plugstack.conf */
    POLICY_BY_RULE,
    POLICY_BY_ENVIRONMENT,
    POLICY_BY_JOB, /**< an option of sbatch or salloc, or a #SBATCH directive */
    POLICY_BY_STEP /**< an option of srun */
};

typedef struct policy_settings {
    char *value[TOPOMAP_REQUEST_SETTINGS]; /**< owned; NULL: not said */
    enum policy_origin origin[TOPOMAP_REQUEST_SETTINGS];
} policy_settings;

/** The value, or the default, or NULL. Lent. */
const char *policy_get(const policy_settings *settings, enum topomap_request_key key);
/** Whether a flag is set. */
int policy_flag(const policy_settings *settings, enum topomap_request_key key);
/** Whether tasks are bound, where \p own says that Slurm's options bind them, or leave the inside
 * of nodes alone. GPUs that Slurm has paired with a task's CPUs, and memory that the user has, are
 * by local task: there (\p paired) binding is only for whoever asks for it. The planner alone knows
 * which GPUs tasks can be bound next to (planner_compose_bind()). */
int policy_binds(const policy_settings *settings, int own, int paired);
/** Sets a value (copied). Flags are kept as "1" and "0". \return 0; -1: the value makes no sense,
 *  or there is no memory, and nothing is changed */
int policy_set(policy_settings *settings, enum topomap_request_key key, const char *value,
               enum policy_origin origin);
/** Takes what \p from says over what \p to says. \return 0, or -1: no memory */
int policy_settings_add(policy_settings *to, const policy_settings *from);
/** Reads "key=value,flag,...". \p bad is called for every word that is not understood; or NULL. */
void policy_settings_read(policy_settings *settings, const char *words, enum policy_origin origin,
                          void (*bad)(const char *word));
/** What would have been understood in place of such a word: what its key takes, or the keys.
 *  \p size at least 200 */
void policy_settings_expected(const char *word, char *text, size_t size);
/** Frees what the settings own (not the struct) and zeroes it. */
void policy_settings_clear(policy_settings *settings);

#endif
