/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/options.h"
#include "plugin/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How a job's options reach the steps inside it. */
#define JOB_TOPOMAP "SLURM_TOPOMAP"
#define JOB_OPTIONS "SLURM_TOPOMAP_OPTIONS"
#define JOB_EXPLAIN "SLURM_TOPOMAP_EXPLAIN" /* a path, or empty for standard error */

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

/* A relative path would be looked for where the step starts, not where it was written. Anything
 * that is no existing file stays as it is: a pattern, a word, or a mistake that the planner
 * names. */
static int keep_path(char **place, const char *value)
{
    char directory[PATH_MAX];
    struct stat status;
    char *whole = NULL;

    if (*value == '/' || stat(value, &status) || !getcwd(directory, sizeof directory))
        return keep(place, value);
    if (asprintf(&whole, "%s/%s", directory, value) < 0)
        return -1;
    free(*place);
    *place = whole;
    return 0;
}

/* "on" from a rewritten --distribution does not take the place of a graph. */
static int said_topomap(const char *value)
{
    if (!strcmp(value, "on") && said.topomap && strcmp(said.topomap, "off"))
        return 0;
    return keep_path(&said.topomap, value);
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

static struct spank_option table[] = {
    {"topomap", "what",
     "Place ranks where they talk cheapest. WHAT: a graph file, a pattern such as "
     "stencil2d:5:48x32, auto, on, or off",
     1, SAID_TOPOMAP, record},
    {"topomap-options", "key=value,...",
     "For topomap: objective=J|congestion, effort=fast|default|strong, time=SECONDS, seed=N, "
     "bind=core|pu|numa|none, min-gain=PERCENT, required, verbose",
     1, SAID_OPTIONS, record},
    {"topomap-explain", "file", "Print what topomap did and why, to srun's standard error or FILE",
     2, SAID_EXPLAIN, record},
};

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
    static const char *const by_us[] = {JOB_TOPOMAP, JOB_OPTIONS, JOB_EXPLAIN};
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

    if (launcher->on && !said.topomap)
        said_topomap("on");
    if (launcher->nodes_only)
        said_options("bind=none");
    if (said.topomap)
        setenv(JOB_TOPOMAP, said.topomap, 1);
    if (said.options)
        setenv(JOB_OPTIONS, said.options, 1);
    if (said.explain)
        setenv(JOB_EXPLAIN, said.explain_file ? said.explain_file : "", 1);
}

/* ---- The keys of --topomap-options ------------------------------------------------------- */

static int one_of(const char *words, const char *value)
{
    size_t length = strlen(value);

    for (const char *word = words; length && *word; word += strcspn(word, " ")) {
        word += *word == ' ';
        if (strcspn(word, " ") == length && !strncmp(word, value, length))
            return 1;
    }
    return 0;
}

/* Digits, and a point where fractions are meant. */
static int is_number(const char *kind, const char *value)
{
    size_t digits = strspn(value, "0123456789");

    if (*kind == 'f' && digits && value[digits] == '.')
        digits += 1 + strspn(value + digits + 1, "0123456789");
    return digits && !value[digits] && digits < 16;
}

static const struct key_row {
    const char *name;
    int (*valid)(const char *what, const char *value);
    const char *what; /* of `valid` */
    enum plugin_key key;
} keys[] = {
    {"bind", one_of, "core pu numa none", PLUGIN_KEY_BIND},
    {"objective", one_of, "J congestion", PLUGIN_KEY_OBJECTIVE},
    {"effort", one_of, "fast default strong", PLUGIN_KEY_EFFORT},
    {"seed", is_number, "integer", PLUGIN_KEY_SEED},
    {"time", is_number, "fraction", PLUGIN_KEY_TIME},
    {"min-gain", is_number, "fraction", PLUGIN_KEY_MIN_GAIN},
};

const char *plugin_options_key(enum plugin_key key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key)
            return keys[i].name;
    return NULL;
}

static const struct flag_row {
    const char *name;
    size_t offset;
} flags[] = {
    {"required", offsetof(plugin_options, required)},
    {"verbose", offsetof(plugin_options, verbose)},
};

/* One `key=value` or `flag`; 0 where it was understood. */
static int read_word(const char *word, plugin_options *options)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);

    for (size_t i = 0; !equals && i < sizeof flags / sizeof *flags; i++) {
        if (!strcmp(word, flags[i].name)) {
            *(int *)((char *)options + flags[i].offset) = 1;
            return 0;
        }
    }
    for (size_t i = 0; equals && i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].name) != length || strncmp(word, keys[i].name, length))
            continue;
        if (strlen(equals + 1) >= PLUGIN_OPTION_VALUE || !keys[i].valid(keys[i].what, equals + 1))
            return -1;
        strcpy(options->value[keys[i].key], equals + 1);
        return 0;
    }
    return -1;
}

static void read_words(const char *text, plugin_options *options)
{
    char *copy = text ? strdup(text) : NULL, *rest = NULL;

    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest))
        if (read_word(word, options))
            plugin_report_line("--topomap-options: '%s' is not understood and was passed over",
                               word);
    free(copy);
}

/* ---- Settling ---------------------------------------------------------------------------- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int is_word(const char *value, const char *word)
{
    return value && !strcmp(value, word);
}

static int names_graph(const char *value)
{
    return value && !is_word(value, "on") && !is_word(value, "off");
}

static void settle_on(const plugin_args *args, const plugin_launcher *launcher, const char *job,
                      plugin_options *options)
{
    const struct {
        int applies, on;
        const char *why;
    } order[] = {
        {is_word(environment("TOPOMAP"), "off"), 0, "TOPOMAP=off"},
        {is_word(said.topomap, "off"), 0, "--topomap=off"},
        {said.topomap != NULL, 1, "--topomap"},
        {launcher->on, 1, "the distribution topomap"},
        {is_word(job, "off"), 0, "the job's --topomap=off"},
        {job && launcher->other, 0, "the step's own --distribution"},
        {job != NULL, 1, "the job's --topomap"},
        {args->on && launcher->other, 0, "the step's own --distribution"},
        {args->on, 1, "the site's default"},
    };

    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i].applies) {
            options->on = order[i].on;
            options->why = order[i].why;
            return;
        }
    }
}

void plugin_options_settle(const plugin_args *args, const plugin_launcher *launcher,
                           plugin_options *options)
{
    const char *job = environment(JOB_TOPOMAP);

    *options = (plugin_options){.required = args->required, .verbose = args->verbose};
    settle_on(args, launcher, job, options);
    if (!options->on)
        return;
    read_words(environment(JOB_OPTIONS), options);
    read_words(said.options, options);
    options->explain = said.explain || getenv(JOB_EXPLAIN);
    options->explain_file = said.explain ? said.explain_file : environment(JOB_EXPLAIN);
    options->graph = names_graph(said.topomap) ? said.topomap
                     : names_graph(job)        ? job
                                               : environment("TOPOMAP_GRAPH");
}
