/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/wish.h"
#include "plugin/explain.h"
#include "plugin/report.h"
#include "plugin/site.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Steps that are left alone ----------------------------------------------------------- */

/* Known before the site's rules are read and the layout is looked at. \return why a step is left
 * alone, or NULL; *loud: whoever asked for topomap must be told */
static const char *is_odd(spank_t spank, const plugin_launcher *launcher, uint32_t step_id,
                          int *loud)
{
    uint32_t tasks;

    *loud = launcher->het;
    if (step_id > SLURM_MAX_NORMAL_STEP_ID)
        return "not a step of tasks";
    if (launcher->het)
        return "a heterogeneous step is left as Slurm placed it";
    if (!spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) && tasks < 2)
        return "one task has one place";
    return launcher->pty ? "an interactive step (--pty) is left alone" : NULL;
}

/* ---- Who wants what ---------------------------------------------------------------------- */

/* A job's file is about the steps that are placed. */
void plugin_wish_leave(const plugin_explain *explain, int loud, const char *why)
{
    if (explain && explain->own)
        plugin_explain_reason(explain, why);
    if (loud || (explain && explain->own && plugin_explain_is_shown(explain)))
        plugin_report_line("%s", why);
    else
        plugin_report_detail(0, "%s", why);
}

static void not_understood(const char *word)
{
    plugin_report_line("--topomap-options: '%s' is not understood and was passed over", word);
}

static void describe_arg(const char *name, const char *value, const char *origin)
{
    /* The folder of records is not whether one is kept, which is a step's own. */
    plugin_report_detail(0, "%s%s %s (%s)", name, strcmp(name, "records") ? "" : " folder", value,
                         origin);
}

/* srun -v: every value with its origin. */
static void describe(const plugin_args *args, const policy_decision *decision, const policy *policy,
                     const policy_rule *rule)
{
    enum policy_origin by;
    const char *db = plugin_args_db(args, &by);
    char text[64];

    policy_origin_text(by, NULL, NULL, text, sizeof text);
    plugin_report_detail(0, "db %s (%s)", db, text);
    plugin_args_describe(args, describe_arg);
    for (int i = 0; i < POLICY_KEYS; i++) {
        enum policy_key key = (enum policy_key)i;
        const policy_settings *settings = &decision->settings;
        const char *value = policy_get(settings, key);
        char origin[512];

        policy_origin_text(settings->value[key] ? settings->origin[key] : POLICY_BY_DEFAULT, policy,
                           rule, origin, sizeof origin);
        if (value)
            plugin_report_detail(0, "%s %s (%s)", policy_key(key)->name, value, origin);
    }
}

static void say_overruled(const policy_decision *decision, const policy *policy,
                          const policy_rule *rule)
{
    for (int key = 0; key < POLICY_KEYS; key++)
        if (decision->overruled & 1u << key)
            plugin_report_line("%s is %s here, by rule '%s' of the site (%s:%u)",
                               policy_key((enum policy_key)key)->name,
                               policy_get(&decision->settings, (enum policy_key)key), rule->name,
                               policy->path, rule->line);
}

/* The time that is left to the search where nobody names one; an hour at most. */
static int settle_time(policy_settings *settings, unsigned deadline_ms)
{
    const char *said = policy_get(settings, POLICY_TIME);
    char text[32];

    if (said && strtod(said, NULL) > 3600)
        return policy_set(settings, POLICY_TIME, "3600", settings->origin[POLICY_TIME]);
    snprintf(text, sizeof text, "%.3f", deadline_ms / 4e3);
    return said ? 0 : policy_set(settings, POLICY_TIME, text, POLICY_BY_DEFAULT);
}

/* Rules that cannot be read must not place anybody's step against the site's will: then only those
 * who ask are served. */
static int settle_with(spank_t spank, const plugin_args *args, const policy_said *said,
                       plugin_wish *wish, topomap_error *err)
{
    policy_site site = args->site;
    const policy_rule *rule = NULL;
    policy policy = {0};
    int failed;

    if (args->policy && policy_read(args->policy, &policy, NULL, err)) {
        site.mode = POLICY_ASK;
        plugin_wish_leave(NULL, policy_is_asked(said), err->text);
    }
    if (policy.rules)
        rule = plugin_site_rule(spank, &policy);
    failed = policy_settle(said, &site, &policy, rule, not_understood, &wish->decision, err);
    if (!failed) {
        wish->verbose = policy_flag(&wish->decision.settings, POLICY_VERBOSE);
        failed = settle_time(&wish->decision.settings, args->deadline_ms);
        if (!wish->decision.on)
            plugin_wish_leave(&wish->explain, wish->decision.asked, wish->decision.why);
        else {
            plugin_report_detail(0, "on: %s", wish->decision.why);
            describe(args, &wish->decision, &policy, rule);
            say_overruled(&wish->decision, &policy, rule);
        }
    }
    policy_clear(&policy);
    return failed;
}

static void pass_over(const char *word)
{
    (void)word;
}

static void say_off(const policy_said *said, const policy_site *site, const plugin_explain *explain)
{
    char line[sizeof((policy_decision *)0)->why + 8];
    policy_decision decision;
    topomap_error err;

    if (policy_settle(said, site, NULL, NULL, pass_over, &decision, &err))
        return;
    snprintf(line, sizeof line, "off: %s", decision.why);
    plugin_wish_leave(explain, 0, line);
    policy_settings_clear(&decision.settings);
}

int plugin_wish_find(spank_t spank, const plugin_args *args, const plugin_launcher *launcher,
                     uint32_t step_id, plugin_wish *wish)
{
    policy_said said;
    topomap_error err;
    const char *odd;
    int loud;

    plugin_options_said(launcher, &said, &wish->explain);
    wish->own = said.step || said.distribution;
    if (policy_is_off(&said, &args->site, args->policy != NULL)) {
        say_off(&said, &args->site, &wish->explain);
        return 0;
    }
    odd = is_odd(spank, launcher, step_id, &loud);
    if (odd) {
        plugin_wish_leave(step_id > SLURM_MAX_NORMAL_STEP_ID ? NULL : &wish->explain,
                          loud && policy_is_asked(&said), odd);
        return 0;
    }
    if (settle_with(spank, args, &said, wish, &err)) {
        plugin_report_line("%s; the step runs with Slurm's own layout", err.text);
        return 0;
    }
    return wish->decision.on;
}
