/* SPDX-License-Identifier: BSD-3-Clause */
/* glibc hands (argc, argv, envp) to the constructors of a library that dlopen loads
 * (elf/dl-init.c), and srun, salloc and sbatch load SPANK plugins before they parse their options
 * (slurm 22.05: src/srun/libsrun/srun.c, src/salloc/salloc.c, src/sbatch/sbatch.c). */
#include "config.h"
#include "plugin/srun/srun.h"
#include "util/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static plugin_launcher launcher;

const plugin_launcher *plugin_launcher_get(void)
{
    return &launcher;
}

/* "topomap" -> "", "topomap:cyclic:block" -> "cyclic:block", another distribution -> NULL. */
static const char *after_topomap(const char *value)
{
    static const char name[] = "topomap";
    size_t length = sizeof name - 1;

    /* Slurm compares distributions without case (verify_dist_type in src/common/proc_args.c). */
    if (!value || strncasecmp(value, name, length))
        return NULL;
    if (!value[length])
        return value + length;
    return value[length] == ':' && value[length + 1] ? value + length + 1 : NULL;
}

static char *text(const char *format, const char *value)
{
    char *made = NULL;

    return asprintf(&made, format, value) < 0 ? NULL : made;
}

struct rewriting {
    char **words;
    plugin_launcher *launcher;
};

/* Puts what Slurm understands where the distribution was: --topomap=on in the same words, or the
 * plain node distribution before what followed the colon. */
static void rewrite(const struct rewriting *rewriting, int index, const plugin_option_word *option,
                    const char *rest)
{
    char **words = rewriting->words;
    TOPOMAP_FREED char *plain = text(*rest ? "--distribution=block:%s" : "--topomap=on%s", rest);
    TOPOMAP_FREED char *letters =
        option->letter_at > 1 ? strndup(words[index], (size_t)option->letter_at) : NULL;
    char *both = NULL;

    if (!plain || (option->letter_at > 1 && !letters))
        return;
    if (!letters && option->words == 1) {
        words[index] = topomap_take(&plain);
    } else if (option->words == 2) { /* -m topomap, -lm topomap: the letters before it stay */
        words[index + 1] = topomap_take(&plain);
        words[index] = letters ? topomap_take(&letters) : (char *)"--topomap-options=";
    } else if (asprintf(&both, *rest ? "%smblock:%s" : "%s%s", letters, rest) > 0) {
        words[index] = both; /* -lmtopomap leaves no word for --topomap=on; launcher->on says it */
    }
}

static void note_distribution(const struct rewriting *rewriting, int index,
                              const plugin_option_word *option)
{
    const char *rest = after_topomap(option->value);

    rewriting->launcher->other = !rest;
    rewriting->launcher->on = rest != NULL;
    rewriting->launcher->nodes_only = rest && *rest;
    if (rest)
        rewrite(rewriting, index, option, rest);
}

/* Words that only set how much task/affinity says are no binding (slurm_verify_cpu_bind in
 * src/common/slurm_resource_info.c). */
static int names_a_binding(const char *value)
{
    static const char *const loudness[] = {"q", "quiet", "v", "verbose", NULL};

    return plugin_command_line_has_other(value, loudness);
}

/* Memory by local task: rank, map_mem:, mask_mem:. The rest goes with the CPUs, wherever these
 * are. */
static int names_memory(const char *value)
{
    static const char *const harmless[] = {"q",     "quiet", "v",      "verbose", "none",   "no",
                                           "local", "sort",  "nosort", "p",       "prefer", NULL};

    return plugin_command_line_has_other(value, harmless);
}

/* --hint=nomultithread is --threads-per-core=1 to Slurm (verify_hint in
 * src/common/proc_args.c); its other hints leave the threads as they are. */
static void note_hint(plugin_launcher *noted, const char *hint)
{
    static const char *const others[] = {"compute_bound", "memory_bound", "multithread", NULL};

    if (hint && !strcasecmp(hint, "multithread"))
        noted->threads_per_core = 0;
    else if (hint && *hint && plugin_command_line_has_other(hint, others))
        noted->threads_per_core = 1;
}

/* "2:4:1", sockets, cores and threads; the last of three. */
static void note_geometry(plugin_launcher *noted, const char *value)
{
    const char *cores = value ? strchr(value, ':') : NULL;
    const char *threads = cores ? strchr(cores + 1, ':') : NULL;

    if (threads)
        noted->threads_per_core = (unsigned)strtoul(threads + 1, NULL, 10);
}

static void note(int index, const plugin_option_word *option, void *context)
{
    const struct rewriting *rewriting = context;
    plugin_launcher *noted = rewriting->launcher;

    if (!strcmp(option->name, "distribution"))
        note_distribution(rewriting, index, option);
    else if (!strcmp(option->name, "cpu-bind") || !strcmp(option->name, "cpu_bind"))
        noted->cpu_bind = names_a_binding(option->value);
    else if (!strcmp(option->name, "mem-bind") || !strcmp(option->name, "mem_bind"))
        noted->mem_bind = names_memory(option->value);
    else if (!strcmp(option->name, "cpus-per-task"))
        noted->cpus_per_task = (unsigned)strtoul(option->value, NULL, 10);
    else if (!strcmp(option->name, "threads-per-core"))
        noted->threads_per_core = (unsigned)strtoul(option->value, NULL, 10);
    else if (!strcmp(option->name, "hint"))
        note_hint(noted, option->value);
    else if (!strcmp(option->name, "extra-node-info"))
        note_geometry(noted, option->value);
    else if (!strcmp(option->name, "mpi"))
        noted->mpi = option->value;
    else if (!strcmp(option->name, "pty"))
        noted->pty = 1;
    else if (!strcmp(option->name, "async"))
        noted->async = 1;
    else if (!strcmp(option->name, "multi-prog"))
        noted->multi = 1;
    else if (!strcmp(option->name, "chdir"))
        noted->chdir = option->value;
    else if (!strcmp(option->name, "segment"))
        noted->segment = option->value;
    else if (!strcmp(option->name, "input"))
        noted->input = option->value;
    else if (!strcmp(option->name, "container") || !strcmp(option->name, "container-id") ||
             !strcmp(option->name, "container-image") || !strcmp(option->name, "container-name"))
        noted->container = option->value;
    else
        plugin_gpus_note(&noted->gpus, option->name, option->value);
}

/* A step in several components of a heterogeneous job: ":" between them, or --het-group=0,1. Looked
 * for in all words, since leaving a step alone is the smaller mistake. */
static int is_het(int count, char **words)
{
    int het = 0;

    for (int i = 1; i < count && words[i]; i++) {
        const char *equals = strchr(words[i], '=');
        const char *value = equals ? equals + 1 : i + 1 < count ? words[i + 1] : NULL;

        het |= !strcmp(words[i], ":");
        if (!strncmp(words[i], "--het", 5) && value)
            het |= value[strcspn(value, ",-")] != 0;
    }
    return het;
}

static unsigned inherited_threads(void)
{
    const char *threads = getenv("SLURM_THREADS_PER_CORE");

    return threads ? (unsigned)strtoul(threads, NULL, 10) : 0;
}

void plugin_distribution_rewrite(int count, char **words, plugin_launcher *found)
{
    const struct rewriting rewriting = {words, found};

    if (found->program == PLUGIN_SRUN) { /* what a job's options leave to its steps */
        plugin_gpus_inherit(&found->gpus);
        found->threads_per_core = inherited_threads();
        note_hint(found, getenv("SLURM_HINT"));
        found->container = getenv("SLURM_CONTAINER");
        found->container = found->container ? found->container : getenv("SLURM_CONTAINER_ID");
    }
    plugin_command_line_scan(found->program, count, words, note, (void *)&rewriting);
    found->het = is_het(count, words);
}

/* The command line wins over SLURM_DISTRIBUTION (srun) and SBATCH_DISTRIBUTION (sbatch). */
static void read_environment(plugin_launcher *found)
{
    const char *name =
        found->program == PLUGIN_SBATCH ? "SBATCH_DISTRIBUTION" : "SLURM_DISTRIBUTION";
    const char *rest = after_topomap(getenv(name));
    TOPOMAP_FREED char *plain = NULL;

    found->inherited = !rest && getenv(name) && *getenv(name);
    if (!rest || found->program == PLUGIN_SALLOC) /* salloc reads none; its srun will */
        return;
    if (!found->on && !found->other) {
        found->on = 1;
        found->nodes_only = *rest != 0;
    }
    plain = *rest ? text("block:%s", rest) : NULL;
    if (plain)
        setenv(name, plain, 1);
    else
        unsetenv(name);
}

static void read_bindings(plugin_launcher *found)
{
    found->cpu_bind = names_a_binding(getenv("SLURM_CPU_BIND"));
    found->mem_bind = names_memory(getenv("SLURM_MEM_BIND"));
}

__attribute__((constructor)) static void at_load(int count, char **words, char **environment)
{
    (void)environment;
    if (count < 1 || !words || !words[0] || launcher.program)
        return;
    launcher.program = plugin_command_line_program(words[0]);
    if (!launcher.program)
        return;
    if (launcher.program == PLUGIN_SRUN)
        read_bindings(&launcher);
    plugin_distribution_rewrite(count, words, &launcher);
    read_environment(&launcher);
}
