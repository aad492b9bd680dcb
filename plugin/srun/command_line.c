/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

enum plugin_program plugin_command_line_program(const char *argv0)
{
    static const struct {
        const char *name;
        enum plugin_program program;
    } programs[] = {{"srun", PLUGIN_SRUN}, {"salloc", PLUGIN_SALLOC}, {"sbatch", PLUGIN_SBATCH}};
    const char *slash = strrchr(argv0, '/');
    const char *name = slash ? slash + 1 : argv0;

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(name, programs[i].name))
            return programs[i].program;
    return PLUGIN_OTHER;
}

int plugin_command_line_has_other(const char *value, const char *const *words)
{
    while (value && *value) {
        size_t length = strcspn(value, ",;");
        int known = !length;

        for (size_t i = 0; words[i]; i++)
            known |= strlen(words[i]) == length && !strncasecmp(value, words[i], length);
        if (!known)
            return 1;
        value += length + (value[length] != 0);
    }
    return 0;
}

struct scan {
    enum plugin_program program;
    unsigned release;
    int count;
    char **words;
    void (*visit)(int index, const plugin_option_word *option, void *context);
    void *context;
};

/* The next word is the option's value. \return 0: there is none */
static int take_next(const struct scan *scan, int index, plugin_option_word *option)
{
    if (index + 1 >= scan->count)
        return 0;
    option->value = scan->words[index + 1];
    option->words = 2;
    return 1;
}

/* What pyxis adds to them, which starts containers of enroot (its args.c). Abbreviations are left
 * to who types them. */
static const char *const of_pyxis[2][12] = {
    {"container-entrypoint", "container-entrypoint-log", "container-mount-home",
     "container-readonly", "container-remap-root", "container-writable", "no-container-entrypoint",
     "no-container-mount-home", "no-container-remap-root"}, /* no value */
    {"container-env", "container-image", "container-mounts", "container-name", "container-save",
     "container-workdir"}}; /* a value */

/* Returns the option's name, with *takes set, or NULL if pyxis has no such option. */
static const char *named_beside(const char *name, size_t length, enum plugin_takes *takes)
{
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t i = 0; of_pyxis[kind][i]; i++)
            if (strlen(of_pyxis[kind][i]) == length && !strncmp(of_pyxis[kind][i], name, length)) {
                *takes = kind ? PLUGIN_TAKES_VALUE : PLUGIN_TAKES_NONE;
                return of_pyxis[kind][i];
            }
    return NULL;
}

/* \return the number of words taken, 0: the scan ends here */
static int scan_long(const struct scan *scan, int index)
{
    char *word = scan->words[index] + 2;
    char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const plugin_slurm_option *row =
        plugin_slurm_option_named(scan->program, scan->release, word, length);
    enum plugin_takes takes = row ? row->takes : PLUGIN_TAKES_NONE;
    plugin_option_word option = {.name = row ? row->name : named_beside(word, length, &takes),
                                 .words = 1,
                                 .value = equals ? equals + 1 : NULL};

    if (!option.name) {
        const char *next = index + 1 < scan->count ? scan->words[index + 1] : NULL;

        return equals || (next && *next == '-') ? 1 : 0;
    }
    if (!equals && takes == PLUGIN_TAKES_VALUE && !take_next(scan, index, &option))
        return 0;
    scan->visit(index, &option, scan->context);
    return option.words;
}

static int scan_letters(const struct scan *scan, int index)
{
    char *word = scan->words[index];

    for (int at = 1; word[at]; at++) {
        const plugin_slurm_option *row =
            plugin_slurm_option_lettered(scan->program, scan->release, word[at]);
        plugin_option_word option = {.words = 1, .letter_at = at};

        if (!row)
            return 0;
        option.name = row->name;
        if (row->takes != PLUGIN_TAKES_NONE && word[at + 1])
            option.value = word + at + 1;
        else if (row->takes == PLUGIN_TAKES_VALUE && !take_next(scan, index, &option))
            return 0;
        scan->visit(index, &option, scan->context);
        if (row->takes != PLUGIN_TAKES_NONE)
            return option.words;
    }
    return 1;
}

void plugin_command_line_scan(enum plugin_program program, int count, char **words,
                              void (*visit)(int index, const plugin_option_word *option,
                                            void *context),
                              void *context)
{
    const struct scan scan = {program, plugin_slurm_release(), count, words, visit, context};

    for (int index = 1, taken; index < count && words[index]; index += taken) {
        const char *word = words[index];

        if (word[0] != '-' || !word[1] || !strcmp(word, "--"))
            return; /* their getopt strings begin with '+': options end at the first other word */
        taken = word[1] == '-' ? scan_long(&scan, index) : scan_letters(&scan, index);
        if (!taken)
            return;
    }
}
