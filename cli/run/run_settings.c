/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked of `topomap run`, by whoever can ask it of srun. */
#include <string.h>

#include "cli/launch/records.h"
#include "cli/run/run.h"
#include "cli/subprocess.h"
#include "plugin/common/environment.h"
#include "plugin/planner/launch/launch.h"

enum { PATH = 8192, LOOK_MS = 2000, SITE_MS = 5000 };

static run_settings *reading; /* policy_settle() tells of words by name alone */

static void note_word(const char *word)
{
    if (!*reading->not_understood)
        snprintf(reading->not_understood, sizeof reading->not_understood, "%s", word);
}

/* ---- A job's graph is in the job's folder --------------------------------------------------- */

static int look(void *answer, void *settings)
{
    const char *path;

    if (planner_launch_make_absolute(settings))
        return -1;
    path = policy_get(settings, TOPOMAP_REQUEST_GRAPH);
    snprintf(answer, PATH, "%s", strlen(path) < PATH ? path : "");
    return 0;
}

/* Apart: its file system may never answer. */
static int find_graph(policy_settings *settings)
{
    char path[PATH] = "";
    const char *folder = cli_environment(PLUGIN_ENV_JOB_FOLDER);

    if (settings->origin[TOPOMAP_REQUEST_GRAPH] != POLICY_BY_JOB || !folder ||
        cli_call_in_child(look, settings, path, sizeof path, LOOK_MS) != CLI_CHILD_DONE || !*path)
        return 0;
    return policy_set(settings, TOPOMAP_REQUEST_GRAPH, path, POLICY_BY_JOB);
}

/* ---- All of it ------------------------------------------------------------------------------- */

int run_settings_read(const cli_call *call, run_settings *w)
{
    const policy_said said = {.step = call->options.topomap,
                              .job = cli_environment(PLUGIN_ENV_JOB_TOPOMAP),
                              .step_options = call->options.topomap_options,
                              .job_options = cli_environment(PLUGIN_ENV_JOB_OPTIONS),
                              .environment = cli_environment("TOPOMAP"),
                              .environment_graph = cli_environment("TOPOMAP_GRAPH")};
    const policy_site nothing = {.mode = POLICY_ASK};
    policy_decision decision;
    topomap_error err;
    int failed;

    *w = (run_settings){.off = policy_is_switched_off(&said)};
    reading = w;
    if (policy_settle(&said, &nothing, NULL, NULL, note_word, &decision, &err))
        return -1;
    w->settings = decision.settings;
    failed = find_graph(&w->settings);
    w->graph = policy_get(&w->settings, TOPOMAP_REQUEST_GRAPH);
    w->required = policy_flag(&w->settings, TOPOMAP_REQUEST_REQUIRED);
    w->verbose = policy_flag(&w->settings, TOPOMAP_REQUEST_VERBOSE);
    return failed;
}

void run_settings_clear(run_settings *w)
{
    policy_settings_clear(&w->settings);
    w->graph = NULL;
}

char *run_settings_db(const cli_call *call, unsigned ms)
{
    const char *own = call->options.db;
    char site[PATH] = "";

    if (!own && !cli_environment("TOPOMAP_DB")) {
        cli_site_db(site, sizeof site, ms < SITE_MS ? ms : SITE_MS);
        own = *site ? site : NULL;
    }
    return own ? strdup(own) : NULL;
}
