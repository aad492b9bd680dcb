/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plugin/common/environment.h"
#include "plugin/policy/policy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* What the command line said, or a #SBATCH directive. */
static struct said {
    char *topomap, *options, *explain_file;
    int explain;
} said;

/* ---- Recording --------------------------------------------------------------------------- */

static int keep(char **place, const char *value)
{
    char *copy = strdup(value);

    if (!copy)
        return -1;
    free(*place);
    *place = copy;
    return 0;
}

/* Words of --topomap, in small letters; a file of such a name is ./auto. NULL: none of them */
static const char *word_of(const char *value)
{
    static const char *const words[] = {"auto", "on", "off"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(value, words[i]))
            return words[i];
    return NULL;
}

/* "on" from a rewritten --distribution does not take the place of a graph. */
static int said_topomap(const char *value)
{
    value = word_of(value) ? word_of(value) : value;
    if (!strcmp(value, "on") && said.topomap && strcmp(said.topomap, "off"))
        return 0;
    return keep(&said.topomap, value);
}

static int said_options(const char *value)
{
    char *both = NULL;

    if (!said.options)
        return keep(&said.options, value);
    if (asprintf(&both, "%s,%s", said.options, value) < 0)
        return -1;
    free(said.options);
    said.options = both;
    return 0;
}

static int said_explain(const char *value)
{
    said.explain = 1;
    if (*value)
        return keep(&said.explain_file, value);
    free(said.explain_file);
    said.explain_file = NULL;
    return 0;
}

enum { SAID_TOPOMAP, SAID_OPTIONS, SAID_EXPLAIN };

static int (*const recorders[])(const char *value) = {said_topomap, said_options, said_explain};

static int record(int which, const char *value, int remote)
{
    if (remote) /* slurmstepd hears the options too; it has no use for them */
        return 0;
    return recorders[which](value && strcmp(value, "(null)") ? value : "");
}

#define SPANK_ROW(which, name, value, has_value, help)                                             \
    {name, value, help, has_value, which, record},

static struct spank_option table[] = {POLICY_OPTIONS(SPANK_ROW)};

int plugin_options_register(spank_t spank)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (spank_option_register(spank, &table[i]) != ESPANK_SUCCESS)
            return -1;
    return 0;
}

void plugin_options_forget(int allocator)
{
    static const char *const by_slurm[] = {"topomap", "topomap_options", "topomap_explain"};
    static const char *const by_us[] = {PLUGIN_ENV_JOB_TOPOMAP, PLUGIN_ENV_JOB_OPTIONS,
                                        PLUGIN_ENV_JOB_EXPLAIN, PLUGIN_ENV_JOB_FOLDER};
    char name[128];

    for (size_t i = 0; i < sizeof by_slurm / sizeof *by_slurm; i++) {
        snprintf(name, sizeof name, "SLURM_SPANK__SLURM_SPANK_OPTION_topomap_%s", by_slurm[i]);
        unsetenv(name);
    }
    for (size_t i = 0; allocator && i < sizeof by_us / sizeof *by_us; i++)
        unsetenv(by_us[i]);
}

void plugin_options_export(void)
{
    const plugin_launcher *launcher = plugin_launcher_get();
    char folder[PATH_MAX];

    if (launcher->on && !said.topomap)
        said_topomap("on");
    if (launcher->nodes_only)
        said_options("bind=none");
    if (said.topomap)
        setenv(PLUGIN_ENV_JOB_TOPOMAP, said.topomap, 1);
    if (said.topomap && getcwd(folder, sizeof folder))
        setenv(PLUGIN_ENV_JOB_FOLDER, folder, 1);
    if (said.options)
        setenv(PLUGIN_ENV_JOB_OPTIONS, said.options, 1);
    if (said.explain)
        setenv(PLUGIN_ENV_JOB_EXPLAIN, said.explain_file ? said.explain_file : "", 1);
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

void plugin_options_said(const plugin_launcher *launcher, policy_said *all, plugin_explain *explain)
{
    *all = (policy_said){.step = said.topomap,
                         .job = environment(PLUGIN_ENV_JOB_TOPOMAP),
                         .step_options = said.options,
                         .job_options = environment(PLUGIN_ENV_JOB_OPTIONS),
                         .environment = environment("TOPOMAP"),
                         .environment_graph = environment("TOPOMAP_GRAPH"),
                         .distribution = launcher->on,
                         .other_distribution = launcher->other,
                         .inherited_distribution = launcher->inherited,
                         .cpu_bind = launcher->cpu_bind};
    explain->own = said.explain;
    explain->wanted = said.explain || getenv(PLUGIN_ENV_JOB_EXPLAIN);
    explain->file = said.explain ? said.explain_file : environment(PLUGIN_ENV_JOB_EXPLAIN);
}
