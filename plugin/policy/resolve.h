/* SPDX-License-Identifier: BSD-3-Clause */
/* Who wins: the user's options, the environment, the site's rule, the defaults. */
#ifndef TOPOMAP_PLUGIN_POLICY_RESOLVE_H
#define TOPOMAP_PLUGIN_POLICY_RESOLVE_H

#include "plugin/policy/policy.h"

/** What was said about a step; NULL or 0: nothing. */
typedef struct policy_said {
    const char *step, *job;                 /**< --topomap */
    const char *step_options, *job_options; /**< --topomap-options */
    const char *environment;                /**< TOPOMAP */
    const char *environment_graph;          /**< TOPOMAP_GRAPH */
    int distribution;                       /**< the distribution topomap */
    int other_distribution;                 /**< another one, on the step's command line */
    int inherited_distribution;             /**< another one, by SLURM_DISTRIBUTION */
    int cpu_bind;                           /**< an explicit --cpu-bind */
} policy_said;

/** The words in plugstack.conf. */
typedef struct policy_site {
    enum policy_mode mode;
    policy_settings settings;
} policy_site;

typedef struct policy_decision {
    int on;
    int asked;     /**< the user asked for topomap; else it is the site's wish */
    char why[384]; /**< where `on` comes from; "" where nobody said anything */
    policy_settings settings;
    unsigned overruled; /**< keys, 1 << topomap_request_key, where the user said what a rule does
                           not allow */
} policy_decision;

/** Whether nothing that a rule says could matter: switched off, or nobody asked and the site has
 *  neither rules nor a mode of its own. */
int policy_is_off(const policy_said *said, const policy_site *site, int has_rules);
/** Whether the user switched it off. */
int policy_is_switched_off(const policy_said *said);
/** Whether the user asked for topomap. */
int policy_is_asked(const policy_said *said);

/** \param rule  that applies, with the \p policy that it is from; NULL: none
 *  \param bad   called for words of --topomap-options that are not understood; or NULL
 *  \return 0, or -1: no memory. The decision ends with policy_settings_clear(&made->settings). */
int policy_settle(const policy_said *said, const policy_site *site, const policy *policy,
                  const policy_rule *rule, void (*bad)(const char *word), policy_decision *made,
                  topomap_error *err);

/** "option", "job's option", "environment", "rule 'x', FILE:LINE", "plugstack.conf", "default". */
void policy_origin_text(enum policy_origin origin, const policy *policy, const policy_rule *rule,
                        char *text, size_t size);

#endif
