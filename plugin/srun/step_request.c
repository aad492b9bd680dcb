/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plugin/common/report.h"
#include "request/request.h"

#include <slurm/slurm.h>
#include <stdio.h>

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
void plugin_step_request_leave(plugin_step_request *wish, int loud, const char *why)
{
    if (wish->explain.own)
        snprintf(wish->left, sizeof wish->left, "%s", why);
    loud = loud || (wish->explain.own && wish->explain.wanted && !wish->explain.file);
    plugin_report_detail(wish->verbose || loud, "%s", why);
}

/* What a step was given that asks for nothing, and that it does not; NULL if nothing such. */
static const char *in_vain(const policy_said *said)
{
    if (policy_is_switched_off(said))
        return NULL;
    if (said->step_options)
        return "--topomap-options ask for nothing by themselves";
    /* A variable of all steps says who is left alone, and never what a step's graph is. */
    return topomap_request_means_on(said->environment)
               ? "TOPOMAP in the environment asks for nothing"
               : NULL;
}

/* \return nonzero: switched off */
static int settle(const plugin_args *args, const plugin_launcher *launcher,
                  plugin_step_request *wish)
{
    int off = policy_is_off(&wish->said, &args->site, args->policy != NULL);
    const char *vain = in_vain(&wish->said);
    policy_decision decision;
    topomap_error err;
    char line[sizeof decision.why + 128];

    /* The planner says what is not understood, once. */
    if (policy_settle(&wish->said, &args->site, NULL, NULL, NULL, &decision, &err)) {
        plugin_report_detail(0, "%s", err.text);
        return 1;
    }
    wish->asked = policy_is_asked(&wish->said);
    wish->verbose = policy_flag(&decision.settings, TOPOMAP_REQUEST_VERBOSE);
    wish->required = decision.on && policy_flag(&decision.settings, TOPOMAP_REQUEST_REQUIRED);
    wish->bind = policy_binds(&decision.settings, launcher->cpu_bind || launcher->nodes_only,
                              plugin_gpus_are_bound(&launcher->gpus) || launcher->mem_bind);
    snprintf(line, sizeof line, "off: %s%s%s%s", decision.why, vain ? "; " : "", vain ? vain : "",
             vain ? ": --topomap=on, auto, a file or a pattern does" : "");
    if (off)
        plugin_step_request_leave(wish, vain != NULL, line);
    policy_settings_clear(&decision.settings);
    return off;
}

int plugin_step_request_find(spank_t spank, const plugin_args *args,
                             const plugin_launcher *launcher, uint32_t step_id,
                             plugin_step_request *wish)
{
    const char *odd;
    int loud;

    plugin_options_said(launcher, &wish->said, &wish->explain);
    wish->own = wish->said.step || wish->said.distribution;
    if (settle(args, launcher, wish))
        return 0;
    odd = is_odd(spank, launcher, step_id, &loud);
    if (!odd)
        return 1;
    if (step_id > SLURM_MAX_NORMAL_STEP_ID)
        plugin_report_detail(0, "%s", odd);
    else
        plugin_step_request_leave(wish, loud && wish->asked, odd);
    return 0;
}
