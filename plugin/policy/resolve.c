/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/policy/policy.h"

#include <stdio.h>
#include <string.h>

#include "request/request.h"

static int is(const char *value, const char *word)
{
    return value && !strcmp(value, word);
}

static int names_graph(const char *value)
{
    return value && *value && !is(value, "on") && !is(value, "off");
}

int policy_is_switched_off(const policy_said *said)
{
    return topomap_request_means_off(said->environment) || is(said->step, "off") ||
           (is(said->job, "off") && !said->step && !said->distribution);
}

int policy_is_asked(const policy_said *said)
{
    return !policy_is_switched_off(said) &&
           (said->step || said->distribution || (said->job && !said->other_distribution));
}

int policy_is_off(const policy_said *said, const policy_site *site, int has_rules)
{
    return policy_is_switched_off(said) ||
           (!policy_is_asked(said) && !has_rules && site->mode <= POLICY_ASK);
}

void policy_origin_text(enum policy_origin origin, const policy *policy, const policy_rule *rule,
                        char *text, size_t size)
{
    static const char *const names[] = {[POLICY_BY_DEFAULT] = "default",
                                        [POLICY_BY_SITE] = "plugstack.conf",
                                        [POLICY_BY_RULE] = "rule",
                                        [POLICY_BY_ENVIRONMENT] = "environment",
                                        [POLICY_BY_JOB] = "the job's option",
                                        [POLICY_BY_STEP] = "option"};

    if (origin == POLICY_BY_RULE && rule)
        snprintf(text, size, "rule '%s', %s:%u", rule->name, policy->path, rule->line);
    else
        snprintf(text, size, "%s", names[origin]);
}

/* ---- On or off --------------------------------------------------------------------------- */

/* The site's wish, for a step whose user said nothing. */
static int site_wants(const policy_said *said, enum policy_mode mode, const char *who,
                      policy_decision *made)
{
    const char *but = NULL;

    if (mode <= POLICY_ASK)
        but = "";
    else if (said->other_distribution || said->inherited_distribution)
        but = ", but the step has a --distribution of its own";
    else if (said->cpu_bind)
        but = ", but the step has a --cpu-bind of its own";
    snprintf(made->why, sizeof made->why, "%s has mode %s%s", who, policy_mode_name(mode),
             but ? but : "");
    return !but;
}

static void settle_mode(const policy_said *said, const policy_site *site, const policy *policy,
                        const policy_rule *rule, policy_decision *made)
{
    int has = rule && rule->has_mode, forced = has && rule->force & POLICY_FORCE_MODE;
    enum policy_mode mode = has ? rule->mode : site->mode;
    char who[320];
    const struct {
        int applies, on, asked;
        const char *why;
    } order[] = {
        {topomap_request_means_off(said->environment), 0, 0, "TOPOMAP=off in the environment"},
        {is(said->step, "off"), 0, 0, "--topomap=off"},
        {forced && mode == POLICY_OFF && policy_is_asked(said), 0, 1, NULL},
        {said->step != NULL, 1, 1, "--topomap"},
        {said->distribution, 1, 1, "the distribution topomap"},
        {is(said->job, "off"), 0, 0, "the job's --topomap=off"},
        {said->job && said->other_distribution, 0, 0, "the step's own --distribution"},
        {said->job != NULL, 1, 1, "the job's --topomap"},
    };

    if (has)
        snprintf(who, sizeof who, "rule '%s' (%.200s:%u)", rule->name, policy->path, rule->line);
    else
        snprintf(who, sizeof who, "the site");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i].applies) {
            made->on = order[i].on;
            made->asked = order[i].asked;
            if (order[i].why)
                snprintf(made->why, sizeof made->why, "%s", order[i].why);
            else
                snprintf(made->why, sizeof made->why, "%s has mode off for everybody (Force)", who);
            return;
        }
    }
    made->on = site_wants(said, mode, who, made);
    /* Where nobody knows the graph, a profile of the program tells it. */
    if (made->on && mode == POLICY_AUTO && !policy_get(&made->settings, TOPOMAP_REQUEST_GRAPH))
        policy_set(&made->settings, TOPOMAP_REQUEST_GRAPH, "auto",
                   has ? POLICY_BY_RULE : POLICY_BY_SITE);
}

/* ---- Values ------------------------------------------------------------------------------ */

static void settle_graph(const policy_said *said, policy_settings *settings)
{
    if (names_graph(said->environment_graph))
        policy_set(settings, TOPOMAP_REQUEST_GRAPH, said->environment_graph, POLICY_BY_ENVIRONMENT);
    if (names_graph(said->job))
        policy_set(settings, TOPOMAP_REQUEST_GRAPH, said->job, POLICY_BY_JOB);
    if (names_graph(said->step))
        policy_set(settings, TOPOMAP_REQUEST_GRAPH, said->step, POLICY_BY_STEP);
}

static int force(const policy_rule *rule, policy_decision *made)
{
    for (int i = 0; i < TOPOMAP_REQUEST_SETTINGS; i++) {
        enum topomap_request_key key = (enum topomap_request_key)i;
        const char *wanted = rule->settings.value[key];

        if (!(rule->force & 1u << key) || made->settings.origin[key] == POLICY_BY_RULE)
            continue;
        if (strcmp(policy_get(&made->settings, key), wanted) != 0)
            made->overruled |= 1u << key;
        if (policy_set(&made->settings, key, wanted, POLICY_BY_RULE))
            return -1;
    }
    return 0;
}

int policy_settle(const policy_said *said, const policy_site *site, const policy *policy,
                  const policy_rule *rule, void (*bad)(const char *word), policy_decision *made,
                  topomap_error *err)
{
    memset(made, 0, sizeof *made);
    if (policy_settings_add(&made->settings, &site->settings) ||
        (rule && policy_settings_add(&made->settings, &rule->settings)))
        goto failed;
    policy_settings_read(&made->settings, said->job_options, POLICY_BY_JOB, bad);
    policy_settings_read(&made->settings, said->step_options, POLICY_BY_STEP, bad);
    settle_graph(said, &made->settings);
    if (rule && force(rule, made))
        goto failed;
    settle_mode(said, site, policy, rule, made);
    return 0;
failed:
    policy_settings_clear(&made->settings);
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
}
