/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.conf and plugstack.conf, as far as topomap is concerned: "KEY=VALUE" without case, and
 * "required|optional PLUGIN WORDS" (src/common/spank.c). */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/doctor/doctor.h"
#include "plugin/common/args.h"
#include "plugin/conf/slurm_lines.h"
#include "util/text.h"

enum { WORDS = 64 };

static void folder_of(const char *path, char folder[DOCTOR_PATH])
{
    char *slash;

    snprintf(folder, DOCTOR_PATH, "%s", path);
    slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash ? "" : ".");
}

/* ---- slurm.conf ----------------------------------------------------------------------------- */

struct conf {
    char *plugin_dir, *plugstack; /* [DOCTOR_PATH] or NULL */
    FILE *nodes;                  /* or NULL */
    size_t count;                 /* lines of nodes */
};

static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);

    return !strncasecmp(word, key, length) && word[length] == '=' ? word + length + 1 : NULL;
}

static int slurm_line(char *line, const char *path, void *data, topomap_error *err)
{
    struct conf *conf = data;
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);
    const char *value;

    (void)path;
    (void)err;
    for (; word; word = strtok_r(NULL, " \t", &rest)) {
        if (conf->plugin_dir && (value = value_of(word, "PluginDir")) != NULL)
            snprintf(conf->plugin_dir, DOCTOR_PATH, "%s", value);
        else if (conf->plugstack && (value = value_of(word, "PlugStackConfig")) != NULL)
            snprintf(conf->plugstack, DOCTOR_PATH, "%s", value);
        else if ((value = value_of(word, "NodeName")) != NULL && strcasecmp(value, "DEFAULT")) {
            if (conf->nodes)
                fprintf(conf->nodes, "%s%s", conf->count ? "," : "", value);
            conf->count++;
        }
    }
    return 0;
}

char *doctor_nodes_of(const char *slurm_conf)
{
    char *text = NULL;
    size_t size;
    struct conf conf = {.nodes = open_memstream(&text, &size)};
    topomap_error err;

    if (conf.nodes) {
        (void)slurm_lines_read(slurm_conf, SLURM_INCLUDES_FILES, slurm_line, &conf, &err);
        fclose(conf.nodes);
    }
    if (!conf.count) {
        free(text);
        return NULL;
    }
    return text;
}

/* slurmctld may not answer; then the check's own deadline would hide the file that is there. */
static void ask_scontrol(const char *key, char value[DOCTOR_PATH])
{
    FILE *in = popen("timeout 2 scontrol show config 2>/dev/null", "re");
    char line[2 * DOCTOR_PATH], name[64], found[DOCTOR_PATH];

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "%63s = %1023s", name, found) == 2 && !strcmp(name, key))
            snprintf(value, DOCTOR_PATH, "%s", found);
    if (in)
        pclose(in);
}

/* Without PluginDir it is what Slurm was built with (default_plugin_path,
 * src/common/read_config.c), which is not where topomap's own plugin went to, if --with-spankdir or
 * --prefix said otherwise. */
void doctor_plugin_dir(doctor_site *site)
{
    if (!*site->plugin_dir && *site->slurm_conf)
        setenv("SLURM_CONF", site->slurm_conf, 1);
    if (!*site->plugin_dir)
        ask_scontrol("PluginDir", site->plugin_dir);
    if (!*site->plugin_dir)
        snprintf(site->plugin_dir, DOCTOR_PATH, "%s", SLURM_PLUGINDIR);
}

void doctor_slurm_conf(doctor_site *site, doctor_verdict *verdict)
{
    char plugstack[DOCTOR_PATH] = "", folder[DOCTOR_PATH];
    struct conf conf = {.plugin_dir = site->plugin_dir, .plugstack = plugstack};
    const char *said = getenv("SLURM_CONF");
    topomap_error err;

    if (!*site->slurm_conf && said)
        snprintf(site->slurm_conf, DOCTOR_PATH, "%s", said);
    if (!*site->slurm_conf)
        ask_scontrol("SLURM_CONF", site->slurm_conf);
    if (!*site->slurm_conf)
        snprintf(site->slurm_conf, DOCTOR_PATH, "/etc/slurm/slurm.conf");
    if (slurm_lines_read(site->slurm_conf, SLURM_INCLUDES_FILES, slurm_line, &conf, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "run this where Slurm is configured, or name the file with --slurm-conf", "%s",
                   err.text);
        *site->slurm_conf = 0;
        return;
    }
    folder_of(site->slurm_conf, folder);
    if (!*site->plugstack && *plugstack)
        snprintf(site->plugstack, DOCTOR_PATH, "%s", plugstack);
    else if (!*site->plugstack &&
             snprintf(site->plugstack, DOCTOR_PATH, "%s/plugstack.conf", folder) >= DOCTOR_PATH)
        *site->plugstack = 0;
    doctor_say(verdict, DOCTOR_OK, NULL, "%s, %zu NodeName lines", site->slurm_conf, conf.count);
}

/* ---- Slurm ---------------------------------------------------------------------------------- */

void doctor_slurm(doctor_site *site, doctor_verdict *verdict)
{
    char line[256] = "";
    const char *number;
    FILE *in;

    if (*site->slurm_conf) /* srun wants one even for this */
        setenv("SLURM_CONF", site->slurm_conf, 1);
    in = popen("srun --version 2>/dev/null", "re");
    if (in && !fgets(line, sizeof line, in))
        *line = 0;
    if (in)
        pclose(in);
    line[strcspn(line, "\r\n")] = 0;
    number = strpbrk(line, "0123456789");
    if (!number) {
        doctor_say(
            verdict, DOCTOR_WARNING,
            "put Slurm's programs into PATH, slurm.conf where they look for it, and ask again",
            "no srun in PATH that tells its version, which it does not do without a slurm.conf");
        return;
    }
    snprintf(site->version, sizeof site->version, "%.*s", (int)strspn(number, "0123456789."),
             number);
    doctor_say(verdict, DOCTOR_OK, NULL, "%s", line);
}

/* ---- plugstack.conf ------------------------------------------------------------------------- */

/* The last line that names topomap's plugin. */
struct stack {
    char line[4 * DOCTOR_PATH], path[DOCTOR_PATH];
    int lines, required;
};

static int stack_line(char *line, const char *path, void *data, topomap_error *err)
{
    struct stack *stack = data;
    char copy[sizeof stack->line], *rest = NULL, *word, *plugin;

    (void)err;
    snprintf(copy, sizeof copy, "%s", line);
    word = strtok_r(copy, " \t", &rest);
    plugin = word ? strtok_r(NULL, " \t", &rest) : NULL;
    if (!plugin || (strcmp(word, "required") && strcmp(word, "optional")) ||
        !strstr(strrchr(plugin, '/') ? strrchr(plugin, '/') : plugin, "spank_topomap"))
        return 0;
    stack->lines++;
    stack->required = !strcmp(word, "required");
    snprintf(stack->line, sizeof stack->line, "%s", line);
    snprintf(stack->path, sizeof stack->path, "%s", path);
    return 0;
}

static char passed_over[512];

static void pass_over(const char *word)
{
    topomap_text_append(passed_over, sizeof passed_over, "%s%s", *passed_over ? " " : "", word);
}

static void copy(char to[DOCTOR_PATH], const char *from)
{
    snprintf(to, DOCTOR_PATH, "%s", from ? from : "");
}

/* The words behind the plugin's name, read by what srun reads them with. */
static void take_words(doctor_site *site, struct stack *stack)
{
    char *words[WORDS], *rest = NULL, *word = strtok_r(stack->line, " \t", &rest);
    enum policy_origin origin;
    plugin_args args = {0};
    int count = 0;

    word = strtok_r(NULL, " \t", &rest);
    copy(site->plugin, word);
    while (count < WORDS && (word = strtok_r(NULL, " \t", &rest)) != NULL) {
        site->planner_said |= !strncmp(word, "planner=", 8);
        site->node_helper_said |= !strncmp(word, "node_helper=", 12);
        words[count++] = word;
        topomap_text_append(site->words, sizeof site->words, "%s\n", word);
    }
    plugin_args_read(count, words, &args, pass_over);
    if (!site->db_said)
        copy(site->db, plugin_args_db(&args, &origin));
    copy(site->planner, args.planner);
    copy(site->node_helper, args.node_helper);
    copy(site->profiler, args.profiler);
    copy(site->policy, args.policy);
    copy(site->spool, args.spool);
    copy(site->store, args.store);
    copy(site->records, args.records);
    snprintf(site->mode, sizeof site->mode, "%s", policy_mode_name(args.site.mode));
    site->deadline_ms = args.deadline_ms;
    policy_settings_clear(&args.site.settings);
}

void doctor_plugstack(doctor_site *site, doctor_verdict *verdict)
{
    static const char line[] =
        "add the line: optional spank_topomap.so db=/var/lib/topomap/topology.db";
    struct stack stack = {.lines = 0};
    topomap_error err;
    int failed;

    if (!*site->plugstack) {
        doctor_say(verdict, DOCTOR_SKIPPED, "name it with --plugstack", "slurm.conf is not known");
        return;
    }
    failed = slurm_lines_read(site->plugstack, SLURM_INCLUDES_PATTERNS, stack_line, &stack, &err);
    if (failed || !stack.lines) {
        doctor_say(verdict, DOCTOR_PROBLEM, line, "%s%s", failed ? err.text : site->plugstack,
                   failed ? "" : ": no line has topomap's plugin");
        return;
    }
    take_words(site, &stack);
    doctor_say(verdict, DOCTOR_OK, NULL, "%s: %s, default=%s", stack.path, site->plugin,
               site->mode);
    if (stack.required)
        doctor_say(verdict, DOCTOR_WARNING,
                   "write optional: a required plugin that cannot be loaded stops every srun",
                   "%s: %s is required", stack.path, site->plugin);
    if (stack.lines > 1)
        doctor_say(verdict, DOCTOR_PROBLEM, "leave one of them",
                   "%s: %d lines have topomap's plugin", site->plugstack, stack.lines);
    if (*passed_over)
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "correct them: the page topomap-plugin(8) has the words",
                   "%s: not understood: %s", stack.path, passed_over);
}
